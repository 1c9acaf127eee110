package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strconv"
	"sync"
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

// concurrency is how many jobs, or requests, run at once.
const concurrency = 16

const queueName = "bench"

// numberedKind is the kind of the bench. Each job inserts one row.
var numberedKind = jobs.Kind{Name: "bench", Queue: queueName, Attempts: 5,
	Delay: jobs.Backoff(time.Second, time.Minute)}

// numbered are the arguments of a job of the bench.
type numbered struct {
	N int `json:"n"`
}

func (numbered) Kind() jobs.Kind { return numberedKind }

const insertEffect = `INSERT INTO effects (job_id) VALUES ($1)`

// worker is a queue and its worker in this process: the processes of bordero do not run the
// bench's kind.
type worker struct {
	harness *harness
	lease
	store     *storage.Store
	client    *broker.Client
	committed atomic.Int64       // when the last job was committed, in Unix nanoseconds
	begun     func(at time.Time) // called first by a job
	done      atomic.Int64       // jobs
}

func newWorker(ctx context.Context, h *harness) (w *worker, err error) {
	w = &worker{harness: h, begun: func(time.Time) {}}
	if w.lease, err = h.lease(ctx); err != nil {
		return nil, err
	}
	installation := func(ctx context.Context) (string, error) { return w.store.Installation(ctx) }
	if w.client, err = broker.Open(w.redisURL, installation, logger); err != nil {
		return nil, err
	}
	client := w.client // w may be returned as nil
	h.atEnd(func() { _ = client.Close() })
	w.store, err = storage.Open(w.databaseURL, storage.Options{
		Connections: connections, Timezone: zone, Offer: func(tickets ...jobs.Ticket) {
			w.committed.Store(time.Now().UnixNano())
			w.client.Offer(tickets...)
		},
	})
	if err != nil {
		return nil, err
	}
	h.atEnd(func() { _ = w.store.Close() })
	_, err = w.db.ExecContext(ctx,
		`CREATE TABLE effects (job_id bigint NOT NULL, at timestamptz NOT NULL DEFAULT now())`)
	return w, err
}

var logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))

func (w *worker) table() runtime.Table {
	run := func(ctx context.Context, job *runtime.Job[numbered]) error {
		w.begun(time.Now())
		defer w.done.Add(1)
		return w.store.Complete(ctx, job.Job, func(tx *storage.Tx) error {
			_, err := db.Exec(ctx, tx.DB, insertEffect, job.ID)
			return err
		})
	}
	return runtime.Table{runtime.Entry[numbered]{Run: run}.Handler()}
}

// work runs the worker until stop is called.
func (w *worker) work(ctx context.Context) (stop func() error, err error) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		ended <- runtime.Run(ctx, runtime.Config{
			Store: w.store, Client: w.client, Logger: logger, Queue: queueName, Table: w.table(),
			Concurrency: concurrency, DelayedTaskCheckInterval: 5 * time.Second, Lease: 15 * time.Second,
		})
	}()
	return func() error { cancel(); return <-ended }, nil
}

// measurePickup measures the time from the commit that creates a job to the start of its
// handler, on an idle system.
func measurePickup(ctx context.Context, h *harness) (ours, floor figure, err error) {
	w, err := newWorker(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	begun := make(chan time.Time, 1)
	w.begun = func(at time.Time) { begun <- at }
	stop, err := w.work(ctx)
	if err != nil {
		return nil, nil, err
	}
	h.atEnd(func() { _ = stop() })
	floor, err = barePickup(ctx, h, w.lease, 50)
	return h.latency(50, func(ctx context.Context, i int) (time.Duration, error) {
		err := w.store.InTx(ctx, func(tx *storage.Tx) error { return tx.Enqueue(ctx, 1, numbered{i}) })
		if err != nil {
			return 0, err
		}
		at, err := await(begun, "the beginning of a job")
		return at.Sub(time.Unix(0, w.committed.Load())), err
	}), floor, err
}

// measureRun compares how fast a queue of waiting jobs is worked off with a plain Asynq server
// that runs the same INSERT in a transaction.
func measureRun(ctx context.Context, h *harness) (ours, floor figure, err error) {
	w, err := newWorker(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	plain, err := newPlain(h, w)
	if err != nil {
		return nil, nil, err
	}
	return w.drained(w.fill, w.work), w.drained(plain.fill, plain.work), nil
}

// drained fills the queue with about as many jobs as d takes, and measures the time to work them
// off.
func (w *worker) drained(fill func(context.Context, int) error, work func(context.Context) (func() error,
	error)) figure {
	rate := 1000.0 // of the last run
	return func(ctx context.Context, d time.Duration) (sample, error) {
		n := max(int(rate*d.Seconds()), 1000)
		if err := fill(ctx, n); err != nil {
			return sample{}, err
		}
		w.done.Store(0)
		began, before := time.Now(), w.harness.cpu(true)
		stop, err := work(ctx)
		if err != nil {
			return sample{}, err
		}
		err = until(ctx, time.Millisecond, func() (bool, error) { return w.done.Load() >= int64(n), nil })
		took, cpu := time.Since(began), w.harness.cpu(true)-before
		if err := errors.Join(err, stop(), w.check(ctx, n)); err != nil {
			return sample{}, err
		}
		rate = float64(n) / took.Seconds()
		return withCPU(rate, cpu, n), nil
	}
}

// check verifies that each job had its effect once and that no job is left.
func (w *worker) check(ctx context.Context, n int) error {
	var effects, twice, left int
	err := w.db.QueryRowContext(ctx, `
		SELECT count(*), count(*) - count(DISTINCT job_id), (SELECT count(*) FROM jobs) FROM effects`).Scan(&effects,
		&twice, &left)
	if err != nil {
		return err
	}
	if effects != n || twice != 0 || left != 0 {
		return errors.New("of " + strconv.Itoa(n) + " jobs some had no effect, or two")
	}
	_, err = w.db.ExecContext(ctx, `TRUNCATE effects`)
	return err
}

// fill stores n jobs and offers all of them, as the relay does.
func (w *worker) fill(ctx context.Context, n int) error {
	_, err := w.db.ExecContext(ctx, `
		INSERT INTO jobs (kind, queue, args, account_id) SELECT $1, $2, '{"n":1}', 1 FROM generate_series(1, $3)`,
		numberedKind.Name, queueName, n)
	if err != nil {
		return err
	}
	for after := (queue.Cursor{}); ; {
		waiting, err := w.store.Free(ctx, queueName, after, 1000)
		if err != nil || len(waiting) == 0 {
			return err
		}
		after = waiting[len(waiting)-1].Cursor()
		tickets := make([]jobs.Ticket, len(waiting))
		for i := range waiting {
			tickets[i] = waiting[i].Ticket
		}
		if _, _, err := w.client.Relay(ctx, tickets, len(tickets), false); err != nil {
			return err
		}
	}
}

// plain is an ordinary worker that uses Asynq alone.
type plain struct {
	*worker
	client *asynq.Client
	redis  asynq.RedisConnOpt
}

func newPlain(h *harness, w *worker) (p plain, err error) {
	p.worker = w
	if p.redis, err = asynq.ParseRedisURI(w.redisURL); err != nil {
		return p, err
	}
	p.client = asynq.NewClient(p.redis)
	h.atEnd(func() { _ = p.client.Close() })
	return p, nil
}

func (p plain) fill(ctx context.Context, n int) error {
	var all sync.WaitGroup
	var failed atomic.Value
	for first := range concurrency {
		all.Go(func() {
			for i := first; i < n; i += concurrency {
				task := asynq.NewTask("plain", strconv.AppendInt(nil, int64(i), 10), asynq.Queue("plain"))
				if _, err := p.client.EnqueueContext(ctx, task); err != nil {
					failed.Store(err)
				}
			}
		})
	}
	all.Wait()
	err, _ := failed.Load().(error)
	return err
}

func (p plain) work(context.Context) (stop func() error, err error) {
	server := asynq.NewServer(p.redis, asynq.Config{
		Concurrency: concurrency, Queues: map[string]int{"plain": 1}, LogLevel: asynq.WarnLevel,
		TaskCheckInterval: 5 * time.Millisecond, // it polls: the last job may wait as long
	})
	err = server.Start(asynq.HandlerFunc(func(ctx context.Context, t *asynq.Task) error {
		id, err := strconv.Atoi(string(t.Payload()))
		if err != nil {
			return err
		}
		defer p.done.Add(1)
		return p.effect(ctx, id)
	}))
	return func() error { server.Shutdown(); return nil }, err
}

func (p plain) effect(ctx context.Context, id int) error {
	if p.harness.preparedFloor {
		return p.store.InTx(ctx, func(tx *storage.Tx) error {
			_, err := db.Exec(ctx, tx.DB, insertEffect, id)
			return err
		})
	}
	tx, err := p.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // no-op after a commit
	if _, err := tx.ExecContext(ctx, insertEffect, id); err != nil {
		return err
	}
	return tx.Commit()
}
