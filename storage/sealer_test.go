package storage_test

import (
	"context"
	"testing"

	"bordero/deploy/private"
	"bordero/finance"
	"bordero/migrations"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// The server is one of its own: transactions of other databases would show the sealer that there are
// newer ones.
func TestAChangeOfTheNewestTransactionIsNotPassedOver(t *testing.T) {
	t.Parallel()
	dir, remove, err := private.TempDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	pg, err := private.StartPostgres(t.Context(), dir, private.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pg.Stop(context.Background()) })
	if _, err := migrations.Up(t.Context(), pg.URL()); err != nil {
		t.Fatal(err)
	}
	store := storagetest.Open(t, pg.URL(), storage.Options{})
	tenant := storagetest.NewTenant(t, store)
	sealer, err := store.OpenSealer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sealer.Close)
	seal := func() (sealed int) {
		t.Helper()
		for range 4 { // as many as the floor needs to pass what has ended
			_, n, err := sealer.Seal(t.Context(), 100)
			if err != nil {
				t.Fatal(err)
			}
			sealed += n
		}
		return sealed
	}
	seal()
	err = store.InTx(t.Context(), func(tx *storage.Tx) error {
		defer seal()
		return tx.Emit(t.Context(), finance.Event{
			Family: finance.SalesFamily, Action: finance.Updated, AccountID: tenant.AccountID, EntityID: tenant.EntityID, IDs: []int64{1},
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := seal(); n != 1 {
		t.Errorf("%d changes sealed after the commit, want 1", n)
	}
}
