package scheduler

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"bordero/jobs"
	"bordero/jobs/broker"
)

// imports makes n jobs of one deposit account.
func (h *harness) imports(n int, account, depositAccount int64) {
	h.t.Helper()
	h.exec(`INSERT INTO jobs (kind, queue, account_id, key) SELECT 'import_statement', 'statements', $1,
		'deposit_account:' || $2::bigint
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
	const many = broker.Window + 100
	h.imports(many, 1, 1)
	h.imports(1, 1, 2)
	h.imports(2, 2, 3)
	r := newRelay(h.store, h.client, time.Hour, jobs.ImportStatementKind.Queue)
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
	r.queues[0].begin()
	h.ticks(r, waiting...)
	h.exec(`UPDATE jobs SET leased_until = now() - interval '1 second' WHERE id = 1`) // its worker dies
	h.ticks(r, waiting...)
	r.queues[0].begin()
	h.ticks(r, append(waiting, job.Name())...)
}

// The queue of imports has jobs of another kind, which take no turns: they are offered beside the imports,
// also after a flush, and when their worker has died.
func TestTheRelayOffersProofsBesideImports(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.imports(2, 1, 1)
	h.exec(`INSERT INTO jobs (kind, queue, account_id, key) SELECT $1, $2, 1, '1:' || n FROM generate_series(1, 20) n`,
		jobs.ProveBalanceKind.Name, jobs.ProveBalanceKind.Queue)
	r := newRelay(h.store, h.client, time.Hour, jobs.ImportStatementKind.Queue)
	others := []string{"1.0"}
	for id := 4; id <= 22; id++ {
		others = append(others, fmt.Sprint(id, ".0"))
	}
	h.ticks(r, slices.Concat(others, []string{"3.0"})...)
	if r.queues[0].turn != 1 {
		t.Errorf("the turn is that of account %d", r.queues[0].turn)
	}
	if err := h.redis.FlushDB(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	h.exec(`UPDATE jobs SET claims = 1, leased_until = now() + interval '1 hour' WHERE id = 3`)
	h.ticks(r, others...)
	h.exec(`UPDATE jobs SET leased_until = now() - interval '1 second' WHERE id = 3`) // its worker dies
	r.queues[0].begin()
	h.ticks(r, slices.Concat(others, []string{"3.1"})...)
}
