package storage_test

import (
	"context"
	"database/sql"
	"sync"
	"testing"

	"bordero/deploy/private"
	"bordero/finance"
	"bordero/migrations"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// sealing is a sealer on a server of its own: transactions of other databases would show it that there
// are newer ones.
type sealing struct {
	*storage.Store
	sealer *storage.Sealer
	tenant storagetest.Tenant
	owner  *sql.DB
}

func newSealing(t *testing.T) sealing {
	t.Helper()
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
	owner, err := sql.Open("postgres", pg.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = owner.Close() })
	s := sealing{Store: store, tenant: storagetest.NewTenant(t, store), owner: owner}
	if s.sealer, err = store.OpenSealer(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.sealer.Close)
	return s
}

// seal seals up to most changes and returns how many it selected.
func (s sealing) seal(t *testing.T, most int) int {
	t.Helper()
	_, n, err := s.sealer.Seal(t.Context(), most)
	if err != nil {
		t.Error(err)
	}
	return n
}

// emit emits changes of n sales in a transaction, which then runs before.
func (s sealing) emit(t *testing.T, n int, before func()) {
	t.Helper()
	err := s.InTx(t.Context(), func(tx *storage.Tx) error {
		defer before()
		for i := range n {
			err := tx.Emit(t.Context(), finance.Event{
				Family: finance.SalesFamily, Action: finance.Updated, AccountID: s.tenant.AccountID,
				EntityID: s.tenant.EntityID, IDs: []int64{int64(i + 1)},
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAChangeOfTheNewestTransactionIsNotPassedOver(t *testing.T) {
	t.Parallel()
	s := newSealing(t)
	seal := func() (sealed int) {
		t.Helper()
		for range 4 { // as many as the floor needs to pass what has ended
			sealed += s.seal(t, 100)
		}
		return sealed
	}
	seal()
	s.emit(t, 1, func() { seal() })
	if n := seal(); n != 1 {
		t.Errorf("%d changes sealed after the commit, want 1", n)
	}
}

// A batch of the sealer waits for the deletion of one of its changes, with its account: that the batch
// is smaller then does not mean that nothing waits.
func TestChangesBesideADeletionAreNotPassedOver(t *testing.T) {
	t.Parallel()
	s := newSealing(t)
	begin := func(query string) *sql.Tx {
		t.Helper()
		tx, err := s.owner.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.ExecContext(t.Context(), query); err != nil {
			t.Fatal(err)
		}
		return tx
	}
	s.emit(t, 1, func() {})
	older := begin(`SELECT pg_current_xact_id()`)
	s.seal(t, 2)
	s.emit(t, 3, func() {
		s.seal(t, 2) // sees that ids are drawn, and the older transaction
		if err := older.Rollback(); err != nil {
			t.Error(err)
		}
		s.seal(t, 2) // all that is drawn ends before what begins now
	})
	deletion := begin(`DELETE FROM unsealed_changes WHERE id = (SELECT min(id) FROM unsealed_changes)`)
	var sealed sync.WaitGroup
	sealed.Go(func() { s.seal(t, 2) })
	storagetest.AwaitLock(t, s.owner, 1)
	if err := deletion.Commit(); err != nil {
		t.Fatal(err)
	}
	sealed.Wait()
	if n := s.seal(t, 2); n != 1 {
		t.Errorf("%d changes are sealed after that, want 1", n)
	}
}
