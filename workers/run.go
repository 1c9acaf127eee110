// Package workers holds what is done: the runtime of jobs, and one file per kind
// with load, decide (finance), keep. It is apart from api and scheduler because
// each queue is a process of its own, which may be slow, be killed and be many.
package workers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"bordero/jobs"
	"bordero/storage"

	"github.com/hibiken/asynq"
)

// Config says how a worker process works.
type Config struct {
	Store  *storage.Store
	Client *jobs.Client
	Logger *slog.Logger
	Queue  string
	Table  Table

	Concurrency int // jobs at a time, all of a set being one; 16 when 0

	// How often tasks that wait for a retry in Redis are looked at. The relay offers
	// their jobs by itself when these fall due. 5 s when 0.
	DelayedTaskCheckInterval time.Duration

	// Observe is told of each run how it ended (done, failed, dead, released or
	// fenced) and how long it took; nil for nobody.
	Observe func(kind, result string, took time.Duration)

	// Lease is how long a worker that is not heard from keeps its jobs. 15 s when 0.
	Lease time.Duration
	// Grace is how long a shutdown waits for jobs to end. It is longer than the
	// longest HTTP timeout. 12 s when 0.
	Grace time.Duration
}

// Job is a job that is running.
type Job struct {
	storage.Job
	Logger   *slog.Logger // names the job in each line
	stopping <-chan struct{}
}

// Stopping tells whether the process is about to end. What takes long asks it
// between two steps, and returns errStopping: the job is given back as it is, and
// another worker goes on from the last chunk.
func (j *Job) Stopping() bool {
	select {
	case <-j.stopping:
		return true
	default:
		return false
	}
}

// errStopping is what a run returns that ends because its process does.
var errStopping = errors.New("the process is stopping")

// worker runs the jobs of one queue.
type worker struct {
	Config
	entries  map[string]*Entry
	asks     map[string]chan ask // of claimers
	holding  holding
	turns    turns
	slots    chan struct{} // of the jobs that run, each of them a place in it
	stopping chan struct{}
	ctx      context.Context // of the runs; it ends when the grace is over
}

// Run takes jobs from the queue until ctx is done. Then it takes no more, gives
// those that run the grace, and hands over what is left: it is released, offered,
// and begun elsewhere within a second. It refuses a Redis that evicts or is another installation's.
func Run(ctx context.Context, cfg Config) error {
	if err := cfg.Client.Ready(ctx); errors.Is(err, jobs.ErrRefused) {
		return err
	}
	w, err := newWorker(cfg)
	if err != nil {
		return err
	}
	runs, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	w.ctx = runs
	for name := range w.asks {
		go w.claimer(name)
	}
	for _, e := range w.entries {
		if e.Wake != nil && e.Kind.Queue == w.Queue {
			go w.Client.Wakes(runs, w.Queue, e.Wake)
		}
	}
	beat := w.heartbeat()
	defer beat()

	server := w.Client.Server(w.Queue, w.asynq())
	if err := server.Start(w); err != nil {
		return fmt.Errorf("start the worker of %s: %w", w.Queue, err)
	}
	w.Logger.Info("working", "queue", w.Queue, "concurrency", w.Concurrency)
	<-ctx.Done()
	close(w.stopping)
	grace := time.AfterFunc(w.Grace, cut)
	defer grace.Stop()
	server.Shutdown() // waits for the runs
	for _, job := range w.holding.all() {
		w.Logger.Warn("job did not end when it was cut off", "kind", job.Kind, "job_id", job.ID)
		w.release(job)
	}
	return nil
}

func newWorker(cfg Config) (*worker, error) {
	entries, err := cfg.Table.byName()
	if err != nil {
		return nil, err
	}
	cfg.Concurrency = cmp.Or(cfg.Concurrency, 16)
	cfg.DelayedTaskCheckInterval = cmp.Or(cfg.DelayedTaskCheckInterval, 5*time.Second)
	cfg.Lease = cmp.Or(cfg.Lease, 15*time.Second)
	cfg.Grace = cmp.Or(cfg.Grace, 12*time.Second)
	if cfg.Observe == nil {
		cfg.Observe = func(string, string, time.Duration) {}
	}
	w := &worker{Config: cfg, entries: entries, asks: map[string]chan ask{}, stopping: make(chan struct{})}
	w.holding.jobs = map[string]storage.Job{}
	w.turns.runs = map[int64]int{}
	w.slots = make(chan struct{}, cfg.Concurrency)
	w.asks[""] = make(chan ask)
	for name, e := range entries {
		if e.Bulk != nil && e.Kind.Queue == cfg.Queue {
			w.asks[name] = make(chan ask)
		}
	}
	return w, nil
}

// asynq configures the server, which brings names of jobs and shows how they
// ended. What counts is in PostgreSQL.
func (w *worker) asynq() asynq.Config {
	concurrency := w.Concurrency
	if len(w.asks) > 1 {
		concurrency += most // so that there is something to make sets of
	}
	return asynq.Config{
		Concurrency:              concurrency,
		DelayedTaskCheckInterval: w.DelayedTaskCheckInterval,
		ShutdownTimeout:          w.Grace + 2*time.Second, // runs that are cut off get these two to release
		// Only a failure of the job counts as one. A claim that failed, or a task that
		// Asynq believes orphaned, is tried again without end.
		IsFailure: func(err error) bool { return errors.As(err, new(*failure)) },
		RetryDelayFunc: func(_ int, err error, _ *asynq.Task) time.Duration {
			if f := (*failure)(nil); errors.As(err, &f) {
				return f.delay + time.Second // an early claim is refused
			}
			if errors.Is(err, errUnknown) {
				return 5 * time.Second
			}
			return 500 * time.Millisecond
		},
		Logger:   asynqLog{w.Logger.With("component", "asynq")},
		LogLevel: asynq.WarnLevel,
	}
}

// failure is the error of a job that is tried again after the delay.
type failure struct {
	error
	delay time.Duration
}

func (f *failure) Unwrap() error { return f.error }

// errUnknown is the error of a kind that this release does not know. The job is
// left alone for one that does.
var errUnknown = errors.New("this release does not know the kind")

// ProcessTask does the job that a task names, or of a fair kind those whose turn it is.
// The context is Asynq's, which says
// nothing about the job: its lease does.
func (w *worker) ProcessTask(_ context.Context, t *asynq.Task) error {
	id, err := jobs.TaskJob(t)
	if err != nil {
		return fmt.Errorf("%w: %w", err, asynq.SkipRetry)
	}
	if foreign, err := w.Client.Foreign(w.ctx, t); err != nil {
		return err
	} else if foreign {
		w.Logger.Warn("task of another installation", "kind", t.Type(), "job_id", id)
		return nil
	}
	e := w.entries[t.Type()]
	if e == nil {
		return w.shown(errUnknown)
	}
	ticket := jobs.Ticket{ID: id, Kind: t.Type()}
	if e.Bulk != nil {
		_, err := w.ask(t.Type(), ticket)
		return err
	}
	select {
	case w.slots <- struct{}{}:
		defer func() { <-w.slots }()
	case <-w.ctx.Done():
		return w.ctx.Err()
	}
	if e.Kind.Fair {
		return w.takeTurns(e, ticket)
	}
	job, err := w.claim(e, ticket)
	if err != nil || job == nil {
		return err
	}
	return w.run(e, *job)
}

// errNeverEnded is why a claim beyond the attempts does not run.
func errNeverEnded(e *Entry) error {
	return fmt.Errorf("begun %d times and never ended", e.Kind.Attempts)
}

// run runs a claimed job and settles it.
func (w *worker) run(e *Entry, job storage.Job) error {
	began := time.Now()
	if job.Attempt > e.Kind.Attempts {
		return w.settle(e, job, began, errNeverEnded(e))
	}
	ctx := jobs.WithTraceparent(jobs.WithRequestID(w.ctx, job.RequestID), job.Traceparent)
	log := w.log(job)
	run := &Job{Job: job, Logger: log, stopping: w.stopping}
	err := recovered(log, func() error { return e.Run(ctx, run) })
	job = run.Job // which may have merged its rows
	err = w.settle(e, job, began, err)
	if e.Kind.Keyed {
		w.outlive(log, func(ctx context.Context) error { return w.Store.OfferNext(ctx, job) })
	}
	return err
}

// recovered runs fn; a panic is an error.
func recovered(log *slog.Logger, fn func() error) (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("panic: %v", x)
			log.Error("job panicked", "panic", x, "stack", string(debug.Stack()))
		}
	}()
	return fn()
}

// settle keeps how a run ended, and returns what Asynq is to show.
func (w *worker) settle(e *Entry, job storage.Job, began time.Time, err error) error {
	defer w.holding.drop(job)
	log := w.log(job)
	result := "failed"
	defer func() { w.Observe(e.Kind.Name, result, time.Since(began)) }()
	switch {
	case err == nil:
		result = "done"
		log.Debug("job done", "took", time.Since(began))
		return nil
	case errors.Is(err, storage.ErrFenced):
		result = "fenced"
		return nil
	case errors.Is(err, errStopping), w.ctx.Err() != nil:
		result = "released"
		w.release(job)
		return nil
	case job.Attempt >= e.Kind.Attempts:
		result = "dead"
		log.Error("job is dead", "error", err)
		w.outlive(log, func(ctx context.Context) error {
			return w.Store.Dead(ctx, job, err, func(tx *storage.Tx) error { return e.Dead(ctx, tx, job, err) })
		})
		return w.shown(fmt.Errorf("%w: %w", err, asynq.SkipRetry))
	default:
		delay := e.Kind.Delay(job.Attempt)
		log.Warn("job failed", "error", err, "delay", delay)
		w.outlive(log, func(ctx context.Context) error { return w.Store.Fail(ctx, job, err, delay) })
		return w.shown(&failure{err, delay})
	}
}

// release gives a job to the other workers.
func (w *worker) release(job storage.Job) {
	charge := w.entries[job.Kind].External
	w.outlive(w.log(job), func(ctx context.Context) error { return w.Store.Release(ctx, job, charge) })
}

// outlive runs a statement that must happen although the runs are cut off. When
// it fails, the lease runs out and another worker takes over.
func (w *worker) outlive(log *slog.Logger, fn func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), 10*time.Second)
	defer cancel()
	err := recovered(log, func() error { return fn(ctx) })
	if err != nil && !errors.Is(err, storage.ErrFenced) {
		log.Error("how the job ended was not kept", "error", err)
	}
}

// shown is the error as Asynq gets it, or nil when a crowd is shown already.
func (w *worker) shown(err error) error {
	if w.Client.Crowded(w.ctx, w.Queue) {
		return nil
	}
	return err
}

// log names a job. Its arguments are never logged.
func (w *worker) log(job storage.Job) *slog.Logger {
	log := w.Logger.With("kind", job.Kind, "job_id", job.ID, "attempt", job.Attempt, "request_id", job.RequestID)
	if id := jobs.TraceID(jobs.WithTraceparent(context.Background(), job.Traceparent)); id != "" {
		log = log.With("trace_id", id)
	}
	return log
}
