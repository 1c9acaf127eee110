package storage_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/list"
	"bordero/storage/storagetest"
)

// newCategory creates a category of the account, below parent unless that is 0.
func newCategory(t testing.TB, s *storage.Store, account, parent int64, name string) finance.Category {
	t.Helper()
	c := finance.Category{AccountID: account, Name: name, Revenue: true, Cost: true}
	if parent != 0 {
		c.ParentID = &parent
	}
	if err := s.InTx(t.Context(), func(tx *storage.Tx) error {
		return tx.InsertCategory(t.Context(), &c)
	}); err != nil {
		t.Fatal(err)
	}
	return c
}

// fullNames returns the full names of the account's categories that begin with prefix.
func fullNames(t testing.TB, s *storage.Store, account int64, prefix string) (names []string) {
	t.Helper()
	listed, err := s.Categories(t.Context(), account, list.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range listed.Items {
		if strings.HasPrefix(c.FullName, prefix) {
			names = append(names, c.FullName)
		}
	}
	return names
}

func TestANewAccountHasTheDefaultCategories(t *testing.T) {
	t.Parallel()
	s := storagetest.New(t)
	account := storagetest.NewTenant(t, s).AccountID
	listed, err := s.Categories(t.Context(), account, list.Query{})
	if err != nil {
		t.Fatal(err)
	}
	byID, kept := map[int64]finance.Category{}, map[string]finance.Category{}
	for _, c := range listed.Items {
		byID[c.ID], kept[c.FullName] = c, c
	}
	for _, want := range finance.DefaultCategories() {
		fullName := strings.TrimPrefix(want.Parent+" / "+want.Name, " / ")
		c, ok := kept[fullName]
		switch {
		case !ok:
			t.Errorf("no %s", fullName)
		case c.Revenue != want.Revenue || c.Cost == want.Revenue || c.Name != want.Name:
			t.Errorf("%s is %+v", fullName, c)
		case c.ParentID == nil && want.Parent != "", c.ParentID != nil && byID[*c.ParentID].FullName != want.Parent:
			t.Errorf("%s is not below %q", fullName, want.Parent)
		}
	}
	if len(kept) != len(finance.DefaultCategories()) {
		t.Errorf("%d categories", len(kept))
	}
}

func TestACategoryIsFoundByIDOrFullNameInItsAccount(t *testing.T) {
	t.Parallel()
	s := storagetest.New(t)
	account, foreign := storagetest.NewTenant(t, s).AccountID, storagetest.NewTenant(t, s).AccountID
	root := newCategory(t, s, account, 0, "Água")
	child := newCategory(t, s, account, root.ID, "Poço")
	hidden := newCategory(t, s, account, 0, "Antiga")
	gone := newCategory(t, s, account, hidden.ID, "Velha")
	err := s.InTx(t.Context(), func(tx *storage.Tx) error { return tx.RemoveCategory(t.Context(), &hidden) })
	if err != nil || len(hidden.Below) != 1 || hidden.Below[0] != gone.ID {
		t.Fatalf("removed with %v, %v", hidden.Below, err)
	}
	for _, c := range []struct {
		account  int64
		id       int64
		fullName string
		want     int64 // 0 for none
	}{
		{account, root.ID, "", root.ID},
		{account, child.ID, "", child.ID},
		{account, 0, "Água / Poço", child.ID},
		{account, 0, "AGUA / poco", child.ID},
		{account, root.ID, "Água / Poço", child.ID},
		{account, 0, "Poço", 0},
		{account, 0, "Água /Poço", 0},
		{account, hidden.ID, "", 0},
		{account, gone.ID, "", 0},
		{account, 0, "Antiga / Velha", 0},
		{account, 1 << 40, "", 0},
		{foreign, root.ID, "", 0},
		{foreign, 0, "Água", 0},
	} {
		var fullName *string
		if c.fullName != "" {
			fullName = &c.fullName
		}
		err := s.InTx(t.Context(), func(tx *storage.Tx) error {
			found, err := tx.ShareCategory(t.Context(), c.account, &c.id, fullName)
			if found.ID != c.want {
				t.Errorf("%+v: found %d", c, found.ID)
			}
			return err
		})
		if (err == storage.ErrNotFound) != (c.want == 0) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestARenameReachesAllThatIsBelow(t *testing.T) {
	t.Parallel()
	s := storagetest.New(t)
	account, foreign := storagetest.NewTenant(t, s).AccountID, storagetest.NewTenant(t, s).AccountID
	root := newCategory(t, s, account, 0, "Zoo")
	middle := newCategory(t, s, account, root.ID, "Aves")
	leaf := newCategory(t, s, account, middle.ID, "Arara")
	newCategory(t, s, account, 0, "Zoológico")
	newCategory(t, s, foreign, 0, "Zoo")

	root.Name = "Zona"
	if err := s.InTx(t.Context(), func(tx *storage.Tx) error {
		return tx.UpdateCategory(t.Context(), &root)
	}); err != nil {
		t.Fatal(err)
	}
	if got, want := fullNames(t, s, account, "Zo"), []string{"Zona / Aves / Arara", "Zona / Aves", "Zona",
		"Zoológico"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := fullNames(t, s, foreign, "Zo"); !slices.Equal(got, []string{"Zoo"}) {
		t.Errorf("another account has %q", got)
	}
	if slices.Sort(root.Below); !slices.Equal(root.Below, []int64{middle.ID, leaf.ID}) {
		t.Errorf("changed %v below", root.Below)
	}

	if err := s.InTx(t.Context(), func(tx *storage.Tx) error {
		return tx.UpdateCategory(t.Context(), &root)
	}); err != nil {
		t.Fatal(err)
	}
	if len(root.Below) != 0 {
		t.Errorf("%v changed without a change", root.Below)
	}
}

// Two moves that are each valid would together create a cycle.
func TestMovesOfCategoriesTakeTurns(t *testing.T) {
	t.Parallel()
	s := storagetest.New(t)
	account := storagetest.NewTenant(t, s).AccountID
	for i := range 10 {
		a := newCategory(t, s, account, 0, fmt.Sprintf("A%d", i))
		b := newCategory(t, s, account, 0, fmt.Sprintf("B%d", i))
		var wg sync.WaitGroup
		errs := make([]error, 2)
		for k, move := range [][2]int64{{a.ID, b.ID}, {b.ID, a.ID}} {
			wg.Go(func() {
				errs[k] = s.InTx(t.Context(), func(tx *storage.Tx) error {
					c, err := tx.LockCategory(t.Context(), account, move[0])
					if err != nil {
						return err
					}
					c.ParentID = &move[1]
					return tx.UpdateCategory(t.Context(), c)
				})
			})
		}
		wg.Wait()
		if (errs[0] == nil) == (errs[1] == nil) {
			t.Fatalf("moved below each other: %v, %v", errs[0], errs[1])
		}
	}
}

// A deletion waits for an open transaction that refers to the category; later transactions do
// not find it.
func TestACategoryIsNotDeletedWhileItIsShared(t *testing.T) {
	t.Parallel()
	database := storagetest.Borrow(t)
	s, db := database.Store, database.Owner
	account := storagetest.NewTenant(t, s).AccountID
	root := newCategory(t, s, account, 0, "Zoo")
	child := newCategory(t, s, account, root.ID, "Aves")
	hold := func(tx *storage.Tx) error {
		_, err := tx.ShareCategory(t.Context(), account, &child.ID, nil)
		return err
	}
	removed := make(chan error, 1)
	err := s.InTx(t.Context(), func(tx *storage.Tx) error {
		if err := hold(tx); err != nil {
			return err
		}
		go func() {
			removed <- s.InTx(t.Context(), func(tx *storage.Tx) error { return tx.RemoveCategory(t.Context(), &root) })
		}()
		storagetest.AwaitLock(t, db, 1)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-removed; err != nil {
		t.Fatal(err)
	}
	if err := s.InTx(t.Context(), hold); err != storage.ErrNotFound {
		t.Errorf("found after its deletion: %v", err)
	}
}
