package main

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"bordero/internal/db"
	"bordero/jobs"
	"bordero/jobs/broker"
	"bordero/storage"
	"bordero/storage/queue"
	"bordero/workers/runtime"

	"github.com/hibiken/asynq"
)

// numberedKind is the kind of the bench. Each job inserts one row.
var numberedKind = jobs.Kind{Name: "bench", Queue: "bench", Attempts: 5, Delay: jobs.Backoff(time.Second, time.Minute)}

// numbered are the arguments of a job of the bench.
type numbered struct{ N int }

func (numbered) Kind() jobs.Kind { return numberedKind }

const insertEffect = `INSERT INTO effects (job_id) VALUES ($1)`

// worker is a queue and its worker in this process: the processes of bordero do not run the bench's kind.
type worker struct {
	*service
	store     *storage.Store
	client    *broker.Client
	committed atomic.Int64 // when the last job was committed, in Unix nanoseconds
	begun     func()       // called first by a job
	done      atomic.Int64 // jobs
}

func newWorker(ctx context.Context, h *harness) *worker {
	w := &worker{service: h.service(ctx), begun: func() {}}
	w.store = must(storage.Open(w.databaseURL, storage.Options{
		Connections: connections, Timezone: zone, Offer: func(tickets ...jobs.Ticket) {
			w.committed.Store(time.Now().UnixNano())
			w.client.Offer(tickets...)
		},
	}))
	h.atEnd(func() { _ = w.store.Close() })
	w.client = must(broker.Open(w.redisURL, w.store.Installation, logger))
	h.atEnd(func() { _ = w.client.Close() })
	w.exec(ctx, `CREATE TABLE effects (job_id bigint NOT NULL, at timestamptz NOT NULL DEFAULT now())`)
	return w
}

var logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))

// run is the handler of a job.
func (w *worker) run(ctx context.Context, job *runtime.Job[numbered]) error {
	w.begun()
	defer w.done.Add(1)
	return w.store.Complete(ctx, job.Job, func(tx *storage.Tx) error {
		_, err := db.Exec(ctx, tx.DB, insertEffect, job.ID)
		return err
	})
}

// work runs the worker until stop is called.
func (w *worker) work(ctx context.Context) (stop func() error) {
	return inBackground(ctx, func(ctx context.Context) {
		check(runtime.Run(ctx, runtime.Config{
			Store: w.store, Client: w.client, Logger: logger, Queue: numberedKind.Queue,
			Table:       runtime.Table{runtime.Entry[numbered]{Run: w.run}.Handler()},
			Concurrency: concurrency, Lease: 15 * time.Second,
		}))
	})
}

// measurePickup measures the time from the commit that creates a job to the start of its handler, while idle.
func measurePickup(ctx context.Context, h *harness) (ours, floor figure) {
	w := newWorker(ctx, h)
	pickups := w.pickups()
	stop := w.work(ctx)
	h.atEnd(func() { _ = stop() })
	return pickups, nil
}

// pickups measures the pickup of single jobs while the worker runs.
func (w *worker) pickups() figure {
	begun := make(chan moment, 1)
	w.begun = func() { begun <- moment{at: time.Now()} }
	return w.latency(func(ctx context.Context) time.Duration {
		check(w.store.InTx(ctx, func(tx *storage.Tx) error { return tx.Enqueue(ctx, 1, numbered{1}) }))
		return await(begun, "the beginning of a job").at.Sub(time.Unix(0, w.committed.Load()))
	})
}

// measureRun compares how fast a queue of waiting jobs is worked off with a plain Asynq server
// that runs the same INSERT in a transaction.
func measureRun(ctx context.Context, h *harness) (ours, floor figure) {
	w := newWorker(ctx, h)
	p := plain{w, must(asynq.ParseRedisURI(w.redisURL))}
	return w.drained(w.fill, w.work), w.drained(p.fill, p.work)
}

// drained fills the queue with about as many jobs as d takes, and measures the time to work them
// off. It checks that each job had its effect once and that no job is left.
func (w *worker) drained(fill func(context.Context, int), work func(context.Context) (stop func() error)) figure {
	rate := 1000.0 // of the last run
	return func(ctx context.Context, d time.Duration) sample {
		n := max(int(rate*d.Seconds()), 1000)
		fill(ctx, n)
		w.done.Store(0)
		began := time.Now()
		stop := work(ctx)
		until(ctx, time.Millisecond, func() bool { return w.done.Load() >= int64(n) })
		rate = float64(n) / time.Since(began).Seconds()
		check(stop())
		if !one[bool](ctx, w.db, `SELECT count(*) = $1 AND count(DISTINCT job_id) = $1
			AND NOT EXISTS (SELECT FROM jobs) FROM effects`, n) {
			check(fmt.Errorf("of %d jobs some had no effect, or two", n))
		}
		w.exec(ctx, `TRUNCATE effects`)
		return sample{value: rate}
	}
}

// fill stores n jobs and offers all of them, as the relay does.
func (w *worker) fill(ctx context.Context, n int) {
	w.exec(ctx, `INSERT INTO jobs (kind, queue, args, account_id)
		SELECT $1, $2, '{"N":1}', 1 FROM generate_series(1, $3)`, numberedKind.Name, numberedKind.Queue, n)
	for after := (queue.Cursor{}); ; {
		waiting := must(w.store.Free(ctx, numberedKind.Queue, after, 1000))
		if len(waiting) == 0 {
			return
		}
		after = waiting[len(waiting)-1].Cursor()
		tickets := make([]jobs.Ticket, len(waiting))
		for i := range waiting {
			tickets[i] = waiting[i].Ticket
		}
		_, _, err := w.client.Relay(ctx, tickets, len(tickets), false)
		check(err)
	}
}

// plain is an ordinary worker that uses Asynq alone.
type plain struct {
	*worker
	redis asynq.RedisConnOpt
}

func (p plain) fill(ctx context.Context, n int) {
	client := asynq.NewClient(p.redis)
	defer client.Close()
	for i := range n {
		task := asynq.NewTask("plain", strconv.AppendInt(nil, int64(i), 10), asynq.Queue("plain"))
		must(client.EnqueueContext(ctx, task))
	}
}

func (p plain) work(context.Context) (stop func() error) {
	server := asynq.NewServer(p.redis, asynq.Config{
		Concurrency: concurrency, Queues: map[string]int{"plain": 1}, LogLevel: asynq.WarnLevel,
		TaskCheckInterval: 5 * time.Millisecond, // it polls: the last job may wait as long
	})
	check(server.Start(asynq.HandlerFunc(func(ctx context.Context, t *asynq.Task) error {
		defer p.done.Add(1)
		return try(func() {
			inTx(ctx, p.db, func(tx *sql.Tx) { must(tx.ExecContext(ctx, insertEffect, string(t.Payload()))) })
		})
	})))
	return func() error { server.Shutdown(); return nil }
}
