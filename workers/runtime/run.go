// Package runtime runs the jobs of a queue: it takes tasks, claims their jobs, runs them, renews
// their leases, ends them, and releases them when the process stops. It is apart from the kinds
// (package workers) because it knows no kind: the guarantees that each kind relies on are here
// once, and are tested without them.
package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"bordero/internal/logging"
	"bordero/internal/panics"
	"bordero/internal/tracing"
	"bordero/jobs"
	"bordero/jobs/broker"
	"bordero/storage"
	"bordero/storage/queue"

	"github.com/hibiken/asynq"
	"golang.org/x/time/rate"
)

// Config configures a worker process.
type Config struct {
	Store  *storage.Store
	Client *broker.Client
	Logger *slog.Logger
	Queue  string
	Table  Table

	Concurrency int // jobs at a time

	// DelayedTaskCheckInterval is how often Asynq checks for tasks that wait for a retry in
	// Redis; 15 s when 0. The relay also offers their jobs when these fall due.
	DelayedTaskCheckInterval time.Duration

	// Observe receives how each run ended (done, failed, dead, released, postponed or fenced)
	// and how long it took; may be nil.
	Observe func(kind, result string, took time.Duration)

	Trace *tracing.Tracer // of the runs; nil for none

	// Lease is how long a claim lasts without a heartbeat.
	Lease time.Duration
	// Turn is how long jobs of a fair kind are run before the other kinds of the queue get their
	// place; 1 s when 0.
	Turn time.Duration
	// Grace is how long a shutdown waits for jobs to end; 12 s when 0. It must exceed the
	// longest HTTP timeout.
	Grace time.Duration
}

// worker runs the jobs of one queue.
type worker struct {
	Config
	handlers map[string]*Handler
	asks     chan ask
	holding  claimedJobs
	turns    turns
	slots    chan struct{}  // one for each running job; Asynq starts more when it believes tasks orphaned
	unknown  rate.Sometimes // a log line about jobs of unknown kinds
	stopping chan struct{}
	ctx      context.Context // of the runs; cancelled when the grace period is over
}

// Run takes jobs from the queue until ctx is done. Then it takes no more, gives running
// jobs the grace period, and releases the rest, which other workers begin within a second.
// It returns broker.ErrRefused for a Redis that evicts or is another installation's.
func Run(ctx context.Context, cfg Config) error {
	if err := cfg.Client.Refused(ctx); err != nil {
		return err
	}
	w, err := newWorker(cfg)
	if err != nil {
		return err
	}
	runs, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	w.ctx = runs
	go w.claimer()
	for _, h := range w.handlers {
		if h.wake != nil && h.Kind.Queue == w.Queue {
			go w.Client.Wakes(runs, w.Queue, h.wake)
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
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.Grace+toRelease)
	defer cancel()
	server.Shutdown() // waits for the runs, except for tasks that it believes orphaned
	w.awaitSlots(last)
	w.releaseAll()
	return nil
}

// toRelease is how long runs that are cut off have to release their jobs, and toReleaseAll how long the release of the
// other jobs may take.
const toRelease, toReleaseAll = 2 * time.Second, 5 * time.Second

// releaseAll releases the jobs whose runs have not ended, all at once: beside a database that hangs, one after the
// other would take longer than systemd and Kubernetes wait for the end of the process. A job that is left is free when
// its lease ends.
func (w *worker) releaseAll() {
	var releases sync.WaitGroup
	for _, job := range w.holding.all() {
		w.Logger.Warn("job did not end when it was cut off", "kind", job.Kind, "job_id", job.ID)
		releases.Go(func() { w.release(job) })
	}
	released := make(chan struct{})
	go func() { releases.Wait(); close(released) }()
	select {
	case <-released:
	case <-time.After(toReleaseAll):
	}
}

// awaitSlots waits until no job runs, or ctx is done.
func (w *worker) awaitSlots(ctx context.Context) {
	for range cap(w.slots) {
		select {
		case w.slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
	}
}

func newWorker(cfg Config) (*worker, error) {
	handlers, err := cfg.Table.byName()
	if err != nil {
		return nil, err
	}
	if cfg.Concurrency < 1 || cfg.Lease <= 0 {
		return nil, fmt.Errorf("a worker needs a concurrency (%d) and a lease (%v)", cfg.Concurrency, cfg.Lease)
	}
	cfg.DelayedTaskCheckInterval = cmp.Or(cfg.DelayedTaskCheckInterval, 15*time.Second)
	cfg.Grace = cmp.Or(cfg.Grace, 12*time.Second)
	cfg.Turn = cmp.Or(cfg.Turn, time.Second)
	if cfg.Observe == nil {
		cfg.Observe = func(string, string, time.Duration) {}
	}
	w := &worker{Config: cfg, handlers: handlers, asks: make(chan ask), stopping: make(chan struct{})}
	w.holding.jobs = map[string]*claimedJob{}
	w.turns.runs = map[int64]int{}
	w.unknown.Interval = time.Minute
	w.slots = make(chan struct{}, cfg.Concurrency)
	return w, nil
}

// asynq configures the server, which only brings tasks and shows how they ended. The truth
// is in PostgreSQL.
func (w *worker) asynq() asynq.Config {
	return asynq.Config{
		Concurrency:              w.Concurrency,
		DelayedTaskCheckInterval: w.DelayedTaskCheckInterval,
		ShutdownTimeout:          w.Grace + toRelease,
		// Only a failure of the job counts as one. A failed claim, or a task that Asynq
		// believes orphaned, is retried without end.
		IsFailure: func(err error) bool { return errors.As(err, new(*failure)) },
		RetryDelayFunc: func(_ int, err error, _ *asynq.Task) time.Duration {
			if f := (*failure)(nil); errors.As(err, &f) {
				return f.delay + time.Second // an early claim is refused
			}
			return 500 * time.Millisecond
		},
	}
}

// failure is the error of a job that is retried after the delay.
type failure struct {
	error
	delay time.Duration
}

func (f *failure) Unwrap() error { return f.error }

// ProcessTask runs the job that a task names or, of a fair kind, the jobs that are next. It
// ignores Asynq's context: the job's lease limits its time.
func (w *worker) ProcessTask(_ context.Context, t *asynq.Task) error {
	id, err := broker.TaskJob(t)
	if err != nil {
		return fmt.Errorf("%w: %w", err, asynq.SkipRetry)
	}
	if foreign, err := w.Client.Foreign(w.ctx, t); err != nil {
		return err
	} else if foreign {
		w.Logger.Warn("task of another installation", "kind", t.Type(), "job_id", id)
		return nil
	}
	h := w.handlers[t.Type()]
	if h == nil {
		// The job is left to a release that knows it. As an error, its task would be retried
		// without end, beside the tasks of the relay, which offers the job again.
		w.unknown.Do(func() {
			w.Logger.Warn("this release does not know the kind of a job", "kind", t.Type(), "job_id",
				id)
		})
		return nil
	}
	ticket := jobs.Ticket{ID: id, Kind: t.Type()}
	growStack()
	select {
	case w.slots <- struct{}{}:
		defer func() { <-w.slots }()
	case <-w.ctx.Done():
		return w.ctx.Err()
	}
	if h.Kind.Fair {
		return w.takeTurns(h, ticket)
	}
	job, err := w.claim(h, ticket)
	if err != nil || job == nil {
		return err
	}
	return w.run(h, *job)
}

// growStack makes the stack of its goroutine as large as a job needs. Asynq starts a goroutine for each task, and its
// stack would grow three times, under ever more frames to copy: of the CPU time of a job, that was 5 %.
//
//go:noinline
func growStack() {
	var frame [12 << 10]byte
	touch(&frame)
}

//go:noinline
func touch(*[12 << 10]byte) {}

// run runs a claimed job and ends it. A claim beyond the last attempt does not run.
func (w *worker) run(h *Handler, job queue.Job) error {
	began := time.Now()
	ctx, span := w.Trace.Job(w.ctx, h.Kind.Name, job.Traceparent)
	job.Traceparent = cmp.Or(span.Traceparent(), job.Traceparent) // of the run's changes, jobs and lines
	log := w.log(job)
	if job.Attempt > h.Kind.Attempts {
		return w.end(h, job, log, span, began,
			fmt.Errorf("started %d times and %w", h.Kind.Attempts, queue.ErrUnfinished))
	}
	ctx, release := w.holding.during(under(ctx, job), job)
	defer release()
	err := recovered(log, func() error { return h.run(ctx, &job, log, w.stopping) })
	if err != nil && context.Cause(ctx) == errLapsed {
		err = fmt.Errorf("%w: %w", errLapsed, err)
	}
	err = w.end(h, job, log, span, began, err)
	if h.Kind.Keyed {
		w.runDetached(log, func(ctx context.Context) error { return w.Store.OfferNext(ctx, job) })
	}
	return err
}

// under returns ctx with the author, request id and trace that a job's changes and jobs inherit.
func under(ctx context.Context, job queue.Job) context.Context {
	ctx = jobs.WithAuthor(ctx, jobs.By{Job: job.Kind})
	return jobs.WithTraceparent(jobs.WithRequestID(ctx, job.RequestID), job.Traceparent)
}

// recovered runs fn and returns a panic as an error.
func recovered(log *slog.Logger, fn func() error) error {
	return panics.Caught(log, "job panicked", fn)
}

// end stores how a run ended, and returns the error that Asynq shows.
func (w *worker) end(
	h *Handler, job queue.Job, log *slog.Logger, span *tracing.Span, began time.Time, err error,
) error {
	defer w.holding.drop(job)
	e := ending{result: "failed", level: slog.LevelWarn, err: err}
	defer func() {
		e.took = time.Since(began)
		w.Observe(h.Kind.Name, e.result, e.took)
		e.log(log, job)
		span.Ran(tracing.Run{Kind: job.Kind, Queue: job.Queue, Result: e.result, ID: job.ID, AccountID: job.AccountID,
			Attempt: job.Attempt, Jobs: job.Rows, Waited: job.Waited, Failed: e.level >= slog.LevelWarn})
	}()
	switch {
	case err == nil:
		e.result, e.level = "done", slog.LevelInfo
		return nil
	case errors.Is(err, ErrPostponed):
		e.result, e.level = "postponed", slog.LevelInfo
		return nil
	case errors.Is(err, errLapsed): // the relay offers the job again
		e.result = "fenced"
		return nil
	case errors.Is(err, queue.ErrFenced):
		e.result, e.level = "fenced", slog.LevelInfo
		return nil
	case errors.Is(err, ErrStopping), w.ctx.Err() != nil:
		e.result, e.level = "released", slog.LevelInfo
		w.release(job)
		return nil
	case job.Attempt >= h.Kind.Attempts:
		e.result, e.level = "dead", slog.LevelError
		w.runDetached(log, func(ctx context.Context) error {
			ctx = under(ctx, job)
			return w.die(ctx, h, job, log, err)
		})
		return w.shown(fmt.Errorf("%w: %w", err, asynq.SkipRetry))
	default:
		e.retry = h.Kind.Delay(job.Attempt)
		w.runDetached(log, func(ctx context.Context) error { return w.Store.Fail(ctx, job, err, e.retry) })
		return w.shown(&failure{err, e.retry})
	}
}

// die stores the death of a job with its effect. An effect that fails for good is left out: its record stays as it is,
// but operators see the job, and it keeps no other one waiting.
func (w *worker) die(ctx context.Context, h *Handler, job queue.Job, log *slog.Logger, cause error) error {
	err := recovered(log, func() error {
		return w.Store.Dead(ctx, job, cause, func(tx *storage.Tx) error { return h.onDead(ctx, tx, job, log, cause) })
	})
	if err == nil || errors.Is(err, queue.ErrFenced) || storage.Unavailable(err) {
		return err // the next run tries again
	}
	log.Error("the record of the dead job could not follow", "error", err)
	return w.Store.Dead(ctx, job, errors.Join(cause, err), func(*storage.Tx) error { return nil })
}

// ending is how a run ended.
type ending struct {
	result string // done, failed, dead, released, postponed or fenced, as in Config.Observe
	level  slog.Level
	err    error // logged from the level of warnings on
	took   time.Duration
	retry  time.Duration // from the failure until the next attempt
}

// log writes the one line that each run has.
func (e ending) log(log *slog.Logger, job queue.Job) {
	attrs := []slog.Attr{
		slog.String("result", e.result), slog.String("queue", job.Queue), slog.Int("jobs", job.Rows),
		logging.Milliseconds("waited_ms", job.Waited), logging.Milliseconds("took_ms", e.took),
	}
	if job.Key != "" {
		attrs = append(attrs, slog.String("key", job.Key))
	}
	if e.level >= slog.LevelWarn {
		attrs = append(attrs, slog.Any("error", e.err))
	}
	if e.result == "failed" {
		attrs = append(attrs, logging.Milliseconds("retry_in_ms", e.retry))
	}
	log.LogAttrs(context.Background(), e.level, "job ended", attrs...)
}

// release gives a job back for other workers.
func (w *worker) release(job queue.Job) {
	countAttempt := w.handlers[job.Kind].hasExternalEffects
	w.runDetached(w.log(job), func(ctx context.Context) error { return w.Store.Release(ctx, job, countAttempt) })
}

// runDetached runs a statement that must run although the runs are cut off. If it fails, the
// lease runs out and another worker takes over.
func (w *worker) runDetached(log *slog.Logger, fn func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), 10*time.Second)
	defer cancel()
	err := recovered(log, func() error { return fn(ctx) })
	if err != nil && !errors.Is(err, queue.ErrFenced) {
		log.Error("result of the job not recorded", "error", err)
	}
}

// shown returns the error for Asynq to show, or nil if Asynq shows a whole window of errors
// already.
func (w *worker) shown(err error) error {
	if w.Client.RetryWindowFull(w.ctx, w.Queue) {
		return nil
	}
	return err
}

// log returns a logger with the job's attributes. Arguments of jobs are never logged.
func (w *worker) log(job queue.Job) *slog.Logger {
	attrs := []any{"kind", job.Kind, "job_id", job.ID}
	if job.AccountID != 0 {
		attrs = append(attrs, "account_id", job.AccountID)
	}
	attrs = append(attrs, "attempts", job.Attempt, "request_id", job.RequestID)
	if id := jobs.TraceID(jobs.WithTraceparent(context.Background(), job.Traceparent)); id != "" {
		attrs = append(attrs, "trace_id", id)
	}
	return w.Logger.With(attrs...)
}
