package scheduler

import (
	"slices"
	"testing"
	"time"

	"bordero/jobs"
)

// imports makes n jobs of one deposit account.
func (h *harness) imports(n int, account, depositAccount int64) {
	h.t.Helper()
	h.exec(`INSERT INTO jobs (kind, queue, account_id, key) SELECT 'import_statement', 'statements', $1, 'deposit_account:' || $2::bigint
		FROM generate_series(1, $3)`, account, depositAccount, n)
}

// ticks lets the relay tick, and compares the names of the tasks that wait then.
func (h *harness) ticks(r *relay, want ...string) {
	h.t.Helper()
	if _, err := r.tick(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	names, err := h.redis.LRange(h.t.Context(), "asynq:{statements}:pending", 0, -1).Result()
	if err != nil {
		h.t.Fatal(err)
	}
	names = h.trimmed(names)
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		h.t.Errorf("%d tasks wait: %v, not %v", len(names), names[:min(len(names), 10)], want)
	}
}

// However many imports of an account wait, those of others are offered beside them, and of
// the account's own only those that are next.
func TestTheRelayOffersImportsByAccount(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	const many = jobs.Window + 100
	h.imports(many, 1, 1)
	h.imports(1, 1, 2)
	h.imports(2, 2, 3)
	r := newRelay(h.store, h.client, jobs.ImportStatementKind.Queue, time.Hour)
	all := []string{"1.0", "10101.0", "10102.0"}
	h.ticks(r, all...)
	h.ticks(r, all...) // nothing has changed
	h.imports(1, 3, 4)
	h.ticks(r, append(all, "10104.0")...)

	// Workers took the tasks, begin one import, and have no place for the others.
	if err := h.redis.FlushDB(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	job, err := h.store.ClaimTurn(t.Context(), time.Hour, 0, []int64{2, 3})
	if err != nil || job == nil || job.ID != 1 {
		t.Fatal(job, err)
	}
	waiting := []string{"10101.0", "10102.0", "10104.0"}
	h.ticks(r, waiting...) // after the flush
	r.begin()
	h.ticks(r, waiting...)
	h.exec(`UPDATE jobs SET leased_until = now() - interval '1 second' WHERE id = 1`) // its worker dies
	h.ticks(r, waiting...)
	r.begin()
	h.ticks(r, append(waiting, "1.1")...)
}
