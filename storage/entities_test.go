package storage_test

import (
	"testing"

	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// A transaction below an entity holds its lock from the beginning, unless there is no such entity.
func TestATransactionBelowAnEntitySharesIt(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, owner := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	tenant, other := storagetest.NewTenant(t, s), storagetest.NewTenant(t, s)
	mine := storage.Scope{AccountID: tenant.AccountID, EntityID: tenant.EntityID}
	begins := func(scope storage.Scope) (shared bool) {
		t.Helper()
		err := s.InTxBelow(t.Context(), scope, func(tx *storage.Tx, below bool) error {
			shared = below
			_, err := owner.ExecContext(t.Context(), `SELECT FROM entities WHERE id = $1 FOR UPDATE NOWAIT`,
				mine.EntityID)
			if db.Locked(err) != below {
				t.Errorf("%+v: an entity is shared: %t, but its deletion has %v", scope, below, err)
			}
			if _, err := tx.ShareEntity(t.Context(), scope); below != (err == nil) {
				t.Errorf("%+v: the transaction reads the entity: %v", scope, err)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%+v: %v", scope, err)
		}
		return shared
	}
	for range 2 { // the second uses a statement that the connection knows
		if !begins(mine) {
			t.Error("the entity is not shared")
		}
	}
	for _, scope := range []storage.Scope{
		{AccountID: tenant.AccountID}, {AccountID: other.AccountID, EntityID: tenant.EntityID},
		{AccountID: tenant.AccountID, EntityID: other.EntityID}, {AccountID: tenant.AccountID, EntityID: 1 << 40},
	} {
		if begins(scope) {
			t.Errorf("%+v is shared", scope)
		}
	}
	if _, err := owner.ExecContext(t.Context(), `UPDATE entities SET deleted_at = now()`); err != nil {
		t.Fatal(err)
	}
	err := s.InTxBelow(t.Context(), mine, func(tx *storage.Tx, shared bool) error {
		e, err := tx.ShareEntity(t.Context(), mine)
		if err == nil && (shared || e.Writable() == nil) {
			t.Error("an entity that is being deleted is shared")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
