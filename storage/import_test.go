package storage_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/imports"
	"bordero/storage/list"

	"github.com/google/go-cmp/cmp"
)

func item(day int, cents finance.Amount, fitid, description string) imports.StagedItem {
	d, _ := finance.NewDate(2026, time.March, day)
	return imports.StagedItem{Day: d, Amount: cents, FITID: fitid, Description: description}
}

func TestImportStoresUnknownItems(t *testing.T) {
	t.Parallel()
	type file []imports.StagedItem
	coffee := item(2, -500, "", "CAFE")
	marked := func(mark string) imports.StagedItem {
		i := item(2, -9900, "", "LOJA "+mark)
		i.Card = true
		return i
	}
	for _, c := range []struct {
		name  string
		files []file
		fresh []int64  // per file
		texts []string // of all transactions at the end, in the order of their insertion
	}{
		{"the same file twice adds nothing", []file{{coffee, item(3, 100, "a", "X")}, {coffee, item(3, 100, "a", "X")}},
			[]int64{2, 0}, []string{"CAFE", "X"}},
		{"two equal coffees on one day stay two", []file{{coffee, coffee}, {coffee, coffee}}, []int64{2, 0}, []string{
			"CAFE", "CAFE"}},
		{"a third one is new", []file{{coffee, coffee}, {coffee, coffee, coffee}}, []int64{2, 1},
			[]string{"CAFE", "CAFE", "CAFE"}},
		{"fewer than known add nothing", []file{{coffee, coffee}, {coffee}}, []int64{2, 0}, []string{"CAFE", "CAFE"}},
		{"overlapping periods add what is new", []file{{item(1, 100, "", "A"), item(2, 200, "", "B")},
			{item(2, 200, "", "B"), item(3, 300, "", "C")}}, []int64{2, 1}, []string{"A", "B", "C"}},
		{"a FITID that changes between exports changes nothing",
			[]file{{item(2, 100, "1", "A")}, {item(2, 100, "2", "A")}}, []int64{1, 0}, []string{"A"}},
		{"a FITID that is repeated for different rows changes nothing",
			[]file{{item(2, 100, "0", "A"), item(2, 200, "0", "B")}, {item(2, 200, "0", "B"), item(2, 100, "0", "A")}},
			[]int64{2, 0}, []string{"A", "B"}},
		{"another day or another sign is another item",
			[]file{{item(2, 100, "1", "A")}, {item(3, 100, "1", "A"), item(2, -100, "1", "A")}}, []int64{1, 2},
			[]string{"A", "A", "A"}},
		{
			"an item whose FITID is remembered is paired first, so the other is new",
			[]file{{item(2, 100, "b", "B")}, {item(2, 100, "a", "A"), item(2, 100, "b", "B more")}},
			[]int64{1, 1}, []string{"B", "A"},
		},
		{
			"a FITID that stands twice in the file pairs nothing",
			[]file{{item(2, 100, "b", "B")}, {item(2, 100, "a", "A"), item(2, 100, "b", "C"), item(5, 700, "b", "D")}},
			[]int64{1, 2}, []string{"B", "C", "D"},
		},
		{
			"a remembered description pairs with one item, so its second one is the new one",
			[]file{{item(2, 100, "", "PIX"), item(2, 100, "", "FEE")},
				{item(2, 100, "", "PIX"), item(2, 100, "", "PIX"), item(2, 100, "", "FEE")}},
			[]int64{2, 1}, []string{"PIX", "FEE", "PIX"},
		},
		{
			"a description whose FITID has paired already pairs with no other item",
			[]file{{item(2, 100, "a", "PIX"), item(2, 100, "", "FEE")},
				{item(2, 100, "", "PIX"), item(2, 100, "a", "PIX"), item(2, 100, "", "FEE")}},
			[]int64{2, 1}, []string{"PIX", "FEE", "PIX"},
		},
		{
			"without a FITID the one with the remembered description is the known one",
			[]file{{item(2, 100, "", "B")}, {item(2, 100, "", "A"), item(2, 100, "", "B")}},
			[]int64{1, 1}, []string{"B", "A"},
		},
		{"instalments of one purchase are kept apart by their mark",
			[]file{{marked("1/3"), marked("2/3")}, {marked("2/3"), marked("3/3")}}, []int64{2, 1},
			[]string{"LOJA 1/3", "LOJA 2/3", "LOJA 3/3"}},
		{"a file without items is fine", []file{{}}, []int64{0}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			i := newImports(t)
			for n, f := range c.files {
				got, _, err := i.run(t.Context(), f)
				if err != nil {
					t.Fatal(err)
				}
				if got.New != c.fresh[n] || got.New+got.Known != int64(len(f)) {
					t.Errorf("file %d: %d new and %d known of %d, want %d new", n+1, got.New, got.Known, len(f),
						c.fresh[n])
				}
			}
			i.check(t, c.texts)
		})
	}
}

// check compares the transactions, in the order of their insertion, and the balance, number
// and last day derived from them.
func (i importing) check(t testing.TB, texts []string) {
	t.Helper()
	scope := storage.Scope{AccountID: i.into.AccountID, EntityID: i.into.EntityID}
	listed, err := i.FinancialTransactions(t.Context(), scope, i.into.ID, list.Query{Number: 1, Size: 500})
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(listed.Items, func(a, b finance.FinancialTransaction) int { return int(a.ID - b.ID) })
	var got []string
	var sum finance.Amount
	var last *finance.Date
	for _, x := range listed.Items {
		got = append(got, *x.OriginalDescription)
		sum += x.Amount
		if last == nil || last.Before(x.OccurredAt) {
			last = &x.OccurredAt
		}
	}
	if texts != nil {
		if d := cmp.Diff(texts, got); d != "" {
			t.Errorf("transactions: %s", d)
		}
	}
	account, err := i.DepositAccount(t.Context(), scope, i.into.ID)
	if err != nil {
		t.Fatal(err)
	}
	if account.CalculatedBalance != finance.Sum(sum.String()) || account.TransactionsCount != int64(len(got)) ||
		listed.Total != int64(len(got)) {
		t.Errorf("balance %s of %d transactions, want %s of %d", account.CalculatedBalance, account.TransactionsCount,
			sum, len(got))
	}
	if (last == nil) != (account.LastTransactionDate == nil) || last != nil && *last != *account.LastTransactionDate {
		t.Errorf("last transaction %v, want %v", account.LastTransactionDate, last)
	}
}

func TestImportNamesKnownItemsWithAnotherDescription(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	before := []imports.StagedItem{item(2, 100, "1", "PIX"), item(3, 100, "2", "TED"), item(4, 100, "3", "CARD"),
		item(4, 100, "4", "FEE")}
	if _, _, err := i.run(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	got, _, err := i.run(t.Context(), []imports.StagedItem{item(2, 100, "9", "PIX ANA"), item(3, 100, "8", "TED"),
		item(4, 100, "7", "CARD"), item(4, 100, "6", "CARD")})
	if err != nil {
		t.Fatal(err)
	}
	day, _ := finance.NewDate(2026, time.March, 2)
	fourth, _ := finance.NewDate(2026, time.March, 4)
	want := []finance.SuspectedDuplicate{
		{Line: 1, Day: day, Amount: 100, Description: "PIX ANA", Known: "PIX"},
		{Line: 4, Day: fourth, Amount: 100, Description: "CARD", Known: "FEE"},
	}
	if d := cmp.Diff(want, got.Doubts, cmp.Comparer(func(a, b finance.Date) bool { return a == b })); d != "" {
		t.Error(d)
	}
}

func TestImportForgetsNothingThatWasDeletedByHand(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	items := []imports.StagedItem{item(2, 100, "1", "A"), item(3, 200, "2", "B")}
	if _, _, err := i.run(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	scope := storage.Scope{AccountID: i.into.AccountID, EntityID: i.into.EntityID}
	listed, err := i.FinancialTransactions(t.Context(), scope, i.into.ID, list.Query{Number: 1, Size: 1})
	if err != nil {
		t.Fatal(err)
	}
	err = i.InTx(t.Context(), func(tx *storage.Tx) error {
		x, err := tx.LockFinancialTransactionForDelete(t.Context(), scope, i.into.ID, listed.Items[0].ID)
		if err != nil {
			return err
		}
		return tx.DeleteFinancialTransaction(t.Context(), x)
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := i.run(t.Context(), items); err != nil || got.New != 0 {
		t.Errorf("%d new, %v; want none", got.New, err)
	}
	i.check(t, []string{"A"})
}

func TestConcurrentImportsOfOneFileStoreEachItemOnce(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	var items []imports.StagedItem
	for n := range 2000 {
		items = append(items, item(1+n%28, finance.Amount(1+n%7), "", fmt.Sprint(n)))
	}
	var group sync.WaitGroup
	var fresh [4]int64
	errs := make([]error, 4)
	for n := range 4 {
		group.Go(func() {
			got, _, err := i.run(t.Context(), items)
			fresh[n], errs[n] = got.New, err
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if sum := fresh[0] + fresh[1] + fresh[2] + fresh[3]; sum != 2000 {
		t.Errorf("%v new, want 2000 together", fresh)
	}
}

func TestStagingThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, fill := range map[string]func(context.CancelFunc) error{
		"the file is broken":  func(context.CancelFunc) error { return broken },
		"the run was cut off": func(cut context.CancelFunc) error { cut(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newImports(t)
			ctx, cut := context.WithCancel(t.Context())
			defer cut()
			_, err := imports.Stage(ctx, i.Store, func(add func(imports.StagedItem) error) error {
				for line := range 5000 { // more than one packet
					if err := add(item(line, 100, "", "A")); err != nil {
						return err
					}
				}
				if err := fill(cut); err != nil {
					return err
				}
				return add(item(5000, 100, "", "A"))
			})
			if !errors.Is(err, broken) && !errors.Is(err, context.Canceled) {
				t.Fatalf("%v, want what ended it", err)
			}
			got, _, err := i.run(t.Context(), []imports.StagedItem{item(1, 100, "", "A")})
			if err != nil || got.New != 1 {
				t.Errorf("%d new, %v; want 1", got.New, err)
			}
		})
	}
}

// A panic of a reader is an error of its job, and the process goes on. It leaves no connection in use.
func TestAPanicOfAReaderGivesItsConnectionBack(t *testing.T) {
	t.Parallel()
	i := newImports(t)
	for range 30 { // more than the pool has
		func() {
			defer func() {
				if p := recover(); p != "a reader" {
					t.Errorf("recovered %v", p)
				}
			}()
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			_, err := imports.Stage(ctx, i.Store, func(add func(imports.StagedItem) error) error {
				if err := add(item(1, 100, "", "A")); err != nil {
					return err
				}
				panic("a reader")
			})
			t.Fatal(err)
		}()
	}
	got, _, err := i.run(t.Context(), []imports.StagedItem{item(1, 100, "", "A")})
	if err != nil || got.New != 1 {
		t.Errorf("%d new, %v; want 1", got.New, err)
	}
}
