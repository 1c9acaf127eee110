package main

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// held measures a side at the end of a load of effort's hold, during which another session has a snapshot, as a dump
// or a report has: the rows that the load deletes and updates meanwhile stay, dead.
func (s *service) held(side figure) figure {
	return func(ctx context.Context, d time.Duration) (last sample) {
		tx := must(s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}))
		defer func() { _ = tx.Rollback() }()
		must(tx.ExecContext(ctx, `SELECT FROM jobs`))
		for began := time.Now(); last.value == 0 || time.Since(began) < s.hold; {
			last = side(ctx, d)
		}
		dead := one[string](ctx, s.db, `SELECT coalesce(string_agg(relname || ' ' || n_dead_tup, ', '), 'none') FROM (
			SELECT relname, n_dead_tup FROM pg_stat_user_tables WHERE n_dead_tup > 0
			ORDER BY n_dead_tup DESC, relname LIMIT 5) t`)
		progress("%s: dead rows after %v: %s", s.measured, s.hold, dead)
		return last
	}
}

// measureHeldRun compares how fast jobs are worked off under a held snapshot with the same before, and measures the
// pickup of single jobs under it.
func measureHeldRun(ctx context.Context, h *harness) (ours, floor figure) {
	h.few(1)
	w := newWorker(ctx, h)
	run := w.drained(w.fill, w.work)
	return w.held(func(ctx context.Context, d time.Duration) sample {
		rate := run(ctx, d)
		pickups := w.pickups()
		stop := w.work(ctx)
		picked := pickups(ctx, d)
		check(stop())
		w.begun = func() {}
		w.exec(ctx, `TRUNCATE effects`)
		rate.more = map[string]float64{"pickup": picked.more["p99"]}
		return rate
	}), run
}

// measureHeldDeliveries compares the deliveries of webhooks under a held snapshot with the same before.
func measureHeldDeliveries(ctx context.Context, h *harness) (ours, floor figure) {
	h.few(1)
	s := &stream{service: h.service(ctx, "work webhooks", "scheduler", "api"), receiver: h.newReceiver(),
		events: int64(h.events), fan: 1, keep: true}
	var posts [][]byte
	for i := range webhooks {
		t := s.newTenant(ctx, fmt.Sprintf("%d@example.com", i))
		posts = append(posts, t.raw(s.addr, "POST", "/people", newPerson))
		s.subscribe(ctx, t, s.receiver.URL, 1)
	}
	side := s.side(posts, s.delivered)
	return s.held(side), side
}
