package workers

import (
	"testing"

	"bordero/internal/blobs"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/storagetest"
	"bordero/workers/runtime/runtimetest"
)

// A deletion that finds rows left behind its cursor begins again, and ends.
func TestADeletionBeginsAgainForWhatIsLeft(t *testing.T) {
	t.Parallel()
	h := runtimetest.New(t, jobs.DeleteCascadeKind.Queue)
	tenant := storagetest.NewTenant(t, h.Store)
	if err := storagetest.Contents(t.Context(), h.DB, tenant.AccountID, tenant.EntityID, 10); err != nil {
		t.Fatal(err)
	}
	files, err := blobs.Open(t.Context(), "file://"+t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	err = h.Store.InTx(t.Context(), func(tx *storage.Tx) error {
		e, err := tx.LockEntityForDelete(t.Context(), storage.Scope{
			AccountID: tenant.AccountID, EntityID: tenant.EntityID})
		if err != nil {
			return err
		}
		return tx.RemoveEntity(t.Context(), e)
	})
	if err != nil {
		t.Fatal(err)
	}
	h.Exec(`UPDATE jobs SET cursor = '{"step":"webhooks"}'`) // the webhooks have deliveries
	h.Start(nil, deleteCascade{store: h.Store, files: files}.handler())
	h.Eventually("the end of the entity", func() bool {
		return h.Count(`SELECT count(*) FROM entities`)+
			h.Count(`SELECT count(*) FROM jobs WHERE queue = 'deletions'`) == 0
	})
}
