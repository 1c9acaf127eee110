package workers

import (
	"testing"

	"bordero/internal/blobs"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// A deletion that finds rows left behind its cursor begins again, and ends.
func TestADeletionBeginsAgainForWhatIsLeft(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	tenant := storagetest.NewTenant(t, h.store)
	if err := storagetest.Contents(t.Context(), h.db, tenant.AccountID, tenant.EntityID, 10); err != nil {
		t.Fatal(err)
	}
	files, err := blobs.Open(t.Context(), "file://"+t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	err = h.store.InTx(t.Context(), func(tx *storage.Tx) error {
		e, err := tx.LockEntityForDelete(t.Context(), storage.Scope{AccountID: tenant.AccountID, EntityID: tenant.EntityID})
		if err != nil {
			return err
		}
		return tx.RemoveEntity(t.Context(), e)
	})
	if err != nil {
		t.Fatal(err)
	}
	h.exec(`UPDATE jobs SET cursor = '{"step":"webhooks"}'`) // the webhooks have deliveries
	h.start(func(c *Config) { c.Queue = "deletions" }, deleteCascade{store: h.store, files: files}.entry())
	h.eventually("the end of the entity", func() bool {
		return h.count(`SELECT count(*) FROM entities`)+h.count(`SELECT count(*) FROM jobs WHERE queue = 'deletions'`) == 0
	})
}
