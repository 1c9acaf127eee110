package members_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/members"
	"bordero/storage/storagetest"
)

func TestTheLastAdministratorOfAnAccountStays(t *testing.T) {
	t.Parallel()
	s := storagetest.New(t)
	tenant := storagetest.NewTenant(t, s)
	member := finance.Access{AccountID: tenant.AccountID, AllEntities: true}
	storagetest.NewUser(t, s, member)
	put := func(a finance.Access) error {
		return s.InTx(t.Context(), func(tx *storage.Tx) error { return members.PutMembership(t.Context(), tx, a) })
	}
	remove := func(user int64) error {
		return s.InTx(t.Context(), func(tx *storage.Tx) error {
			return members.RemoveMembership(t.Context(), tx, tenant.AccountID, user)
		})
	}
	present := func() []finance.Access {
		all, err := members.List(t.Context(), s.Queries, tenant.AccountID)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	ana := tenant.Token[:12] + "@example.com"
	member.UserID = tenant.UserID
	for what, err := range map[string]error{"removed": remove(tenant.UserID), "made a member": put(member)} {
		if !errors.Is(err, members.ErrLastAdministrator) {
			t.Errorf("the last administrator is %s: %v", what, err)
		}
	}
	if len(present()) != 2 {
		t.Errorf("members %v", present())
	}

	storagetest.NewUser(t, s, finance.Access{AccountID: tenant.AccountID, Administrator: true, AllEntities: true})
	if err := remove(tenant.UserID); err != nil {
		t.Errorf("one of two administrators: %v", err)
	}
	if _, _, err := members.Accesses(t.Context(), s, tenant.Token); !errors.Is(err, members.ErrNoToken) {
		t.Errorf("the token of a removed member: %v", err)
	}
	if err := remove(tenant.UserID); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("removed again: %v", err)
	}
	for _, a := range present() {
		if a.AccountID != tenant.AccountID || a.UserEmail == "" || a.UserEmail == ana || !a.AllEntities {
			t.Errorf("member %+v", a)
		}
	}
}

// Two administrators who remove each other at once: one stays.
func TestAdministratorsRemovingEachOtherAreSerialised(t *testing.T) {
	t.Parallel()
	s := storagetest.New(t)
	for range 5 {
		tenant := storagetest.NewTenant(t, s)
		user, _ := storagetest.NewUser(t, s, finance.Access{AccountID: tenant.AccountID, Administrator: true,
			AllEntities: true})
		var both sync.WaitGroup
		for _, who := range []int64{tenant.UserID, user} {
			both.Go(func() {
				err := s.InTx(t.Context(), func(tx *storage.Tx) error {
					return members.RemoveMembership(t.Context(), tx, tenant.AccountID, who)
				})
				if err != nil && !errors.Is(err, members.ErrLastAdministrator) {
					t.Error(err)
				}
			})
		}
		both.Wait()
		if left, err := members.List(t.Context(), s.Queries, tenant.AccountID); err != nil || len(left) != 1 {
			t.Errorf("%d members stay, %v", len(left), err)
		}
	}
}

func TestTheUseOfATokenIsNotedOnceAnHour(t *testing.T) {
	t.Parallel()
	databaseURL := storagetest.DatabaseURL(t)
	// a leaked connection would block the next statement
	s := storagetest.Open(t, databaseURL, storage.Options{Connections: 1})
	db := storagetest.DB(t, databaseURL)
	tenant := storagetest.NewTenant(t, s)
	used := func() string {
		tokens, err := members.Tokens(t.Context(), s.Queries, tenant.AccountID)
		if err != nil || len(tokens) != 1 {
			t.Fatal(tokens, err)
		}
		return fmt.Sprint(tokens[0].LastUsedAt)
	}
	ask := func() {
		if _, _, err := members.Accesses(t.Context(), s, tenant.Token); err != nil {
			t.Error(err)
		}
	}
	set := func(expression string) {
		if _, err := db.ExecContext(t.Context(), `UPDATE tokens SET last_used_at = `+expression); err != nil {
			t.Fatal(err)
		}
	}
	if used() != "<nil>" {
		t.Error("used before its first use")
	}
	ask()
	if used() == "<nil>" {
		t.Error("the first use is not noted")
	}
	set(`now() - interval '59 minutes'`)
	before := used()
	ask()
	if used() != before {
		t.Error("noted again within the hour")
	}
	set(`now() - interval '61 minutes'`)
	before = used()
	ask()
	if used() == before {
		t.Error("not noted after an hour")
	}
	set(`NULL`)
	if _, err := db.ExecContext(t.Context(), `UPDATE tokens SET revoked_at = now()`); err != nil {
		t.Fatal(err)
	}
	if _, _, err := members.Accesses(t.Context(), s, tenant.Token); !errors.Is(err, members.ErrNoToken) ||
		used() != "<nil>" {
		t.Errorf("a revoked token: %v, used %s", err, used())
	}
}

func TestStoringTheLastUseDoesNotWait(t *testing.T) {
	t.Parallel()
	s := storagetest.New(t)
	tenant := storagetest.NewTenant(t, s)
	err := s.InTx(t.Context(), func(tx *storage.Tx) error { // locks the token's row
		if err := members.RevokeToken(t.Context(), tx, tenant.Token); err != nil {
			return err
		}
		_, accesses, err := members.Accesses(t.Context(), s, tenant.Token)
		if len(accesses) != 1 {
			t.Error("revoked before its end was committed")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if _, _, err := members.Accesses(t.Context(), s, tenant.Token); !errors.Is(err, members.ErrNoToken) {
		t.Errorf("a revoked token: %v", err)
	}
}

// The entities of a member exist until they are stored: one that is removed meanwhile is refused by its id.
func TestAnEntityThatIsRemovedBesideAMemberIsRefused(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, owner := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	tenant := storagetest.NewTenant(t, s)
	user, _ := storagetest.NewUser(t, s, finance.Access{AccountID: tenant.AccountID, AllEntities: true})
	var put error
	var both sync.WaitGroup
	err := s.InTx(t.Context(), func(tx *storage.Tx) error {
		_, err := tx.DB.ExecContext(t.Context(), `DELETE FROM entities WHERE account_id = $1 AND id = $2`,
			tenant.AccountID, tenant.EntityID)
		if err != nil {
			return err
		}
		both.Go(func() {
			put = s.InTx(t.Context(), func(tx *storage.Tx) error {
				return members.PutMembership(t.Context(), tx, finance.Access{UserID: user, AccountID: tenant.AccountID,
					EntityIDs: []int64{tenant.EntityID}})
			})
		})
		storagetest.AwaitLock(t, owner, 1)
		return nil
	})
	both.Wait()
	var invalid *finance.Invalid
	if err != nil || !errors.As(put, &invalid) {
		t.Errorf("%v, %v", err, put)
	}
}
