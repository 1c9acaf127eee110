package workers

import (
	"context"
	"strings"
	"testing"
	"time"

	"bordero/internal/blobs"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/storagetest"
	"bordero/workers/runtime"
	"bordero/workers/runtime/runtimetest"
)

// A deletion that finds rows left behind its cursor begins again, and ends.
func TestADeletionBeginsAgainForWhatIsLeft(t *testing.T) {
	t.Parallel()
	h := runtimetest.New(t, jobs.DeleteCascadeKind.Queue)
	removeEntity(h, 10)
	h.Exec(`UPDATE jobs SET cursor = '{"step":"webhooks"}'`) // the webhooks have deliveries
	h.Start(nil, deleteCascade{store: h.Store, files: openFiles(t), slice: time.Hour}.handler())
	h.Eventually("the end of the entity", func() bool {
		return h.Count(`SELECT count(*) FROM entities`)+
			h.Count(`SELECT count(*) FROM jobs WHERE queue = 'deletions'`) == 0
	})
}

// Nothing is left of the progress of a deletion whose record another deletion has removed.
func TestADeletionEndsWhenAnotherHasRemovedItsRecord(t *testing.T) {
	t.Parallel()
	h := runtimetest.New(t, jobs.DeleteCascadeKind.Queue)
	h.Exec(`INSERT INTO deletions (account_id, root, record_id, kind, place, estimated)
		VALUES (1, 'people', 7, 'sales', 1, 10), (1, 'people', 8, 'sales', 1, 10)`)
	h.InTx(func(ctx context.Context, tx *storage.Tx) error {
		return tx.Enqueue(ctx, 1, jobs.DeleteCascade{AccountID: 1, Root: "people", ID: 7})
	})
	h.Start(nil, deleteCascade{store: h.Store, files: openFiles(t), slice: time.Hour}.handler())
	h.Eventually("the end of the job", func() bool {
		return h.Count(`SELECT count(*) FROM jobs WHERE queue = 'deletions'`) == 0
	})
	if gone, others := h.Count(`SELECT count(*) FROM deletions WHERE record_id = 7`),
		h.Count(`SELECT count(*) FROM deletions WHERE record_id = 8`); gone != 0 || others != 1 {
		t.Errorf("the deletion has %d rows, another one %d", gone, others)
	}
}

// After a slice, a deletion gives way to one of another account, and not to one of its own, or while another runs.
func TestADeletionGivesWayToOtherAccounts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before string
		gives  bool
	}{
		"another account":  {`SELECT 1`, true},
		"the same account": {`UPDATE jobs SET account_id = (SELECT min(id) FROM accounts)`, false},
		"an account that has a run": {`INSERT INTO jobs (kind, queue, args, account_id, leased_until)
			SELECT 'delete_cascade', 'deletions', '{}', id, now() + interval '1 hour' FROM accounts`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := runtimetest.New(t, jobs.DeleteCascadeKind.Queue)
			removeEntity(h, 10)
			removeEntity(h, 10)
			h.Exec(c.before)
			h.Start(func(c *runtime.Config) { c.Concurrency = 1 },
				deleteCascade{store: h.Store, files: openFiles(t), slice: 20 * time.Millisecond}.handler())
			h.Eventually("the end of both", func() bool {
				h.Offer()
				return h.Count(`SELECT count(*) FROM finished_jobs`) == 2
			})
			if gaveWay := strings.Contains(h.Log.String(), "result=postponed"); gaveWay != c.gives {
				t.Errorf("gave way: %v", gaveWay)
			}
		})
	}
}

// removeEntity deletes an entity with n records of each kind as a request does.
func removeEntity(h *runtimetest.Harness, n int) {
	h.T.Helper()
	tenant := storagetest.NewTenant(h.T, h.Store)
	if err := storagetest.Contents(h.T.Context(), h.DB, tenant.AccountID, tenant.EntityID, n); err != nil {
		h.T.Fatal(err)
	}
	err := h.Store.InTx(h.T.Context(), func(tx *storage.Tx) error {
		e, err := tx.LockEntityForDelete(h.T.Context(), storage.Scope{
			AccountID: tenant.AccountID, EntityID: tenant.EntityID})
		if err != nil {
			return err
		}
		return tx.RemoveEntity(h.T.Context(), e)
	})
	if err != nil {
		h.T.Fatal(err)
	}
}

func openFiles(t *testing.T) *blobs.Store {
	t.Helper()
	files, err := blobs.Open(t.Context(), "file://"+t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	return files
}
