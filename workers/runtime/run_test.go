package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bordero/internal/testkit"
	"bordero/jobs"
	"bordero/jobs/broker"
	"bordero/storage"
	"bordero/storage/queue"
	"bordero/workers/runtime"

	"github.com/hibiken/asynq"
)

func TestAJobIsDoneOnce(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Start(nil, handler(func(ctx context.Context, job *runtime.Job[single]) error {
		if want := fmt.Sprintf(`{"N":%d}`, job.Args.N); job.Job.Args != want || job.Stopping() {
			t.Errorf("%s, not %s; stopping %v", job.Job.Args, want, job.Stopping())
		}
		if jobs.RequestID(ctx) != "r-1" || jobs.TraceID(ctx) != "0af7651916cd43dd8448eb211c80319c" {
			t.Errorf("request id %q, trace %q", jobs.RequestID(ctx), jobs.TraceID(ctx))
		}
		return h.complete(ctx, job.Job)
	}))
	for n := range 200 {
		h.enqueue(single{n})
		h.Offer() // again and again, under second names too
	}
	h.effects(200)
	if strings.Contains(h.Log.String(), "level=ERROR") {
		t.Error(h.Log)
	}
}

// A run whose lease cannot be renewed, because the server has stalled, does not wait for that server.
// It spends no attempt: it was not the job that failed.
func TestARunEndsWithItsLease(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	var runs atomic.Int32
	stalls, goes := make(chan struct{}), make(chan struct{})
	h.Start(func(c *runtime.Config) { c.Lease = time.Second },
		handler(func(ctx context.Context, job *runtime.Job[single]) error {
			if runs.Add(1) > 1 {
				return h.complete(ctx, job.Job)
			}
			close(stalls)
			<-ctx.Done()
			close(goes)
			return ctx.Err()
		}))
	h.enqueue(single{1})
	<-stalls
	tx, err := h.DB.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), `LOCK TABLE jobs`); err != nil {
		t.Fatal(err)
	}
	select {
	case <-goes:
	case <-time.After(testkit.Patience):
		t.Error("the run goes on without a lease")
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	h.effects(1)
	if log := h.Log.String(); !strings.Contains(log, "the lease has lapsed") || strings.Contains(log, "result=failed") {
		t.Error(log)
	}
}

func TestAFailureIsTriedAgain(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Start(nil, handler(func(ctx context.Context, job *runtime.Job[single]) error {
		if job.Attempt < 3 {
			return errors.New("not yet")
		}
		return h.complete(ctx, job.Job)
	}))
	h.enqueue(single{1})
	h.effects(1)
}

// A run that has got on has all its attempts before it.
func TestAFailureAfterAChunkIsTheFirst(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.enqueue(single{1})
	h.Exec(`UPDATE jobs SET attempts = 2`) // the next is the last
	h.Start(nil, handler(func(ctx context.Context, job *runtime.Job[single]) error {
		if job.Cursor == "" {
			return errors.Join(h.Store.Chunk(ctx, &job.Job, "1", func(*storage.Tx) error { return nil }),
				errors.New("after the chunk"))
		}
		if job.Attempt != 2 {
			t.Errorf("attempt %d", job.Attempt)
		}
		return h.complete(ctx, job.Job)
	}))
	h.effects(1)
}

func TestThePlaceToSeeFailures(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Start(nil, runtime.Entry[single]{
		Run: func(context.Context, *runtime.Job[single]) error { return errors.New("cause of it") },
		OnDead: func(ctx context.Context, tx *storage.Tx, job runtime.Job[single], cause error) error {
			if cause.Error() != "cause of it" || job.Attempt != 3 || job.Args.N != 1 {
				t.Errorf("dead of %v after %d attempts, with %v", cause, job.Attempt, job.Args)
			}
			return effect(ctx, job.Job)(tx)
		},
	}.Handler())
	h.enqueue(single{1})
	h.Eventually("the archived task", func() bool { return len(h.Tasks(asynq.TaskStateArchived)) == 1 })
	if task := h.Tasks(asynq.TaskStateArchived)[0]; !strings.Contains(task.LastErr, "cause of it") {
		t.Errorf("the dashboard shows %q", task.LastErr)
	}
	rows, err := h.Store.Jobs(t.Context(), queue.FailedJobs, queue.Filter{}, 1000)
	if err != nil || len(rows) != 1 || *rows[0].Error != "cause of it" || rows[0].Attempts != 3 {
		t.Errorf("failed jobs: %+v, %v", rows, err)
	}
	if n := h.Count(`SELECT count(*) FROM effects`); n != 1 {
		t.Errorf("its death had %d effects", n)
	}
	if _, err := h.Store.RetryJob(t.Context(), rows[0].ID); err != nil { // its task is still archived
		t.Fatal(err)
	}
	h.Eventually("its second death", func() bool { return h.Count(`SELECT count(*) FROM effects`) == 2 })
}

func TestAJobThatNeverEndsDies(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.enqueue(single{1}, keyed{"a"})
	h.Exec(`UPDATE jobs SET attempts = 3, claims = 3, leased_until = now() - interval '1 second',
		error = CASE WHEN key IS NULL THEN 'access denied' END`) // the third one crashed
	died := make(chan error, 2)
	h.Start(nil, neverRunning[single](t, died), neverRunning[keyed](t, died))
	h.Offer()
	for range 2 {
		if cause := receive(h, "its death", died); !strings.Contains(cause.Error(), "never finished") {
			t.Error(cause)
		}
	}
	h.Eventually("the failed rows", func() bool {
		return h.Count(`SELECT count(*) FROM jobs WHERE failed_at IS NOT NULL`) == 2
	})
	if n := h.Count(`SELECT count(*) FROM jobs WHERE error = 'started 3 times and never finished'
		|| CASE WHEN key IS NULL THEN '; the error before: access denied' ELSE '' END`); n != 2 {
		t.Errorf("%d jobs have their cause", n)
	}
}

// neverRunning returns a handler that sends why its jobs are dead.
func neverRunning[T jobs.Args](t *testing.T, died chan<- error) runtime.Handler {
	return runtime.Entry[T]{
		Run: func(context.Context, *runtime.Job[T]) error { t.Error("it ran"); return nil },
		OnDead: func(_ context.Context, _ *storage.Tx, _ runtime.Job[T], cause error) error {
			died <- cause
			return nil
		},
	}.Handler()
}

// Such a row is of another release, or was written by hand. What it says stays in it.
func TestArgumentsThatCannotBeDecodedFailTheJob(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	died := make(chan error, 1)
	h.Start(nil, neverRunning[single](t, died))
	const secret = "123456789"
	h.Exec(`INSERT INTO jobs (kind, queue, args) VALUES ('single', $1, '{"N": `+secret+`.5}')`, queueName)
	h.Eventually("its death", func() bool {
		h.Offer()
		return h.Count(`SELECT count(*) FROM jobs WHERE failed_at IS NOT NULL`) == 1
	})
	rows, err := h.Store.Jobs(t.Context(), queue.FailedJobs, queue.Filter{}, 1000)
	if err != nil || len(rows) != 1 ||
		*rows[0].Error != "job kind single: the arguments cannot be decoded as runtime_test.single" {
		t.Errorf("failed jobs: %+v, %v", rows, err)
	}
	if log := h.Log.String(); !strings.Contains(log, "cannot be decoded") || strings.Contains(log, secret) {
		t.Errorf("the log is\n%s", log)
	}
	if len(died) > 0 {
		t.Error("its death was applied to the record of other arguments")
	}
}

// If Dead fails, the job is neither dead nor lost.
func TestADeathThatFailsIsTriedAgain(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	var deaths atomic.Int32
	h.Start(func(c *runtime.Config) { c.Lease = 300 * time.Millisecond }, runtime.Entry[single]{
		Run: func(context.Context, *runtime.Job[single]) error { return errors.New("oops") },
		OnDead: func(context.Context, *storage.Tx, runtime.Job[single], error) error {
			if deaths.Add(1) == 1 {
				return io.ErrUnexpectedEOF // as of a lost connection
			}
			return nil
		},
	}.Handler())
	h.enqueue(single{1})
	h.Eventually("its death", func() bool {
		h.Offer()
		return h.Count(`SELECT count(*) FROM jobs WHERE failed_at IS NOT NULL`) == 1
	})
	if n := deaths.Load(); n != 2 {
		t.Errorf("its death was applied %d times", n)
	}
}

// If the record of a dead job cannot follow, the job is dead all the same: operators see it, and it keeps its key from
// no other job.
func TestADeathWithoutItsEffectIsStored(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func() error{
		"an error": func() error { return errors.New("no such record") },
		"a panic":  func() error { panic("no such record") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			h.Start(nil, runtime.Entry[single]{
				Run:    func(context.Context, *runtime.Job[single]) error { return errors.New("oops") },
				OnDead: func(context.Context, *storage.Tx, runtime.Job[single], error) error { return fail() },
			}.Handler())
			h.enqueue(single{1})
			h.Eventually("its death", func() bool {
				h.Offer()
				return h.Count(`SELECT count(*) FROM jobs WHERE failed_at IS NOT NULL AND error LIKE '%oops%'
					AND error LIKE '%no such record%'`) == 1
			})
		})
	}
}

func TestAPanicIsAFailure(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Start(nil, handler(func(ctx context.Context, job *runtime.Job[single]) error {
		if job.Attempt == 1 {
			panic("at the disco")
		}
		return h.complete(ctx, job.Job)
	}))
	h.enqueue(single{123456789})
	h.effects(1)
	log := h.Log.String()
	if !strings.Contains(log, "at the disco") || !strings.Contains(log, "run_test.go") ||
		!strings.Contains(log, "request_id=r-1 trace_id=0af7651916cd43dd8448eb211c80319c") {
		t.Errorf("the log has no stack:\n%s", log)
	}
	if strings.Contains(log, "123456789") {
		t.Errorf("arguments are in the log:\n%s", log)
	}
}

func TestAnUnknownKindIsLeftAlone(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.enqueue(keyed{"a"})
	h.Start(nil, completing[single](h))
	h.Eventually("a line of the log", func() bool { return strings.Contains(h.Log.String(), "does not know the kind") })
	h.Eventually("the task's end", func() bool {
		return len(h.Tasks(asynq.TaskStateActive, asynq.TaskStatePending)) == 0
	})
	if n := len(h.Tasks(asynq.TaskStateRetry, asynq.TaskStateArchived)); n != 0 {
		t.Errorf("%d tasks are retried beside those of the relay", n)
	}
	if n := h.Count(
		`SELECT count(*) FROM jobs WHERE claims = 0 AND attempts = 0 AND error IS NULL AND failed_at IS NULL`); n != 1 {
		t.Error("the row was touched")
	}
}

func TestALostClaimEndsSilently(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	ended := make(chan error, 10)
	h.Start(nil, handler(func(ctx context.Context, job *runtime.Job[single]) error {
		// another worker's claim
		h.Exec(`UPDATE jobs SET claims = claims + 1, leased_until = now() + interval '1 hour'`)
		err := h.complete(ctx, job.Job)
		ended <- err
		return err
	}))
	h.enqueue(single{1})
	if err := receive(h, "its end", ended); !errors.Is(err, queue.ErrFenced) {
		t.Error(err)
	}
	h.Eventually("the task's end", func() bool {
		return len(h.Tasks(asynq.TaskStateActive, asynq.TaskStatePending, asynq.TaskStateRetry)) == 0
	})
	if n := h.Count(`SELECT count(*) FROM jobs WHERE error IS NULL AND attempts = 1 AND leased_until > now()`); n != 1 {
		t.Error("the row of the new holder was touched")
	}
}

func TestAClaimThatFailsIsNotLost(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.Start(nil,
		completing[single](h),
		completing[keyed](h))
	h.Exec(`ALTER TABLE jobs RENAME TO gone`)
	h.Eventually("the retries", func() bool {
		for id, k := range []jobs.Kind{singleKind, keyedKind} {
			// again: a busy machine drops some
			h.Client.Offer(jobs.Ticket{ID: int64(id + 1), Kind: k.Name, Queue: queueName})
		}
		return len(h.Tasks(asynq.TaskStateRetry)) == 2
	})
	for _, task := range h.Tasks(asynq.TaskStateRetry) {
		if task.Retried > 0 {
			t.Error("an outage of the database is charged to the task")
		}
	}
	// A retry that does not find its row has nothing to do, nor one whose transaction began
	// before the row is due.
	h.Exec(`INSERT INTO gone (id, kind, queue, key, due_at) VALUES (1, 'single', $1, NULL, now() - interval '1 hour'),
		(2, 'keyed', $1, 'a', now() - interval '1 hour')`, queueName)
	h.Exec(`ALTER TABLE gone RENAME TO jobs`)
	h.effects(2)
}

func TestTheHeartbeatRenewsALongJob(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	const lease = 3 * time.Second
	began, finish := make(chan int, 10), make(chan bool)
	h.Start(func(c *runtime.Config) { c.Lease = lease },
		handler(func(ctx context.Context, job *runtime.Job[single]) error {
			began <- job.Attempt
			<-finish
			return h.complete(ctx, job.Job)
		}))
	h.enqueue(single{1})
	receive(h, "the job", began)
	claim := h.Count(`SELECT claims FROM jobs`)
	for range 2 * lease / (100 * time.Millisecond) {
		time.Sleep(100 * time.Millisecond)
		h.Offer()
		if h.Count(`SELECT claims FROM jobs`) != claim {
			t.Fatal("it was claimed again")
		}
	}
	close(finish)
	h.effects(1)
}

func TestAnEvictingRedisIsRefused(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	client, err := broker.Open(ownRedis(t, "allkeys-lru").URL(), h.Store.Installation, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := runtime.Run(t.Context(), runtime.Config{Store: h.Store, Client: client}); !errors.Is(err,
		broker.ErrRefused) {
		t.Error(err)
	}
}

func TestATableThatCannotWorkIsRefused(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	good := completing[single](h)
	changed := func(change func(*jobs.Kind)) runtime.Handler {
		bad := good
		change(&bad.Kind)
		return bad
	}
	for name, table := range map[string]runtime.Table{
		"twice":          {good, good},
		"nothing to do":  {runtime.Entry[single]{}.Handler()},
		"no delay":       {changed(func(k *jobs.Kind) { k.Delay = nil })},
		"no attempts":    {changed(func(k *jobs.Kind) { k.Attempts = 0 })},
		"fair and keyed": {changed(func(k *jobs.Kind) { k.Fair, k.Keyed = true, true })},
		"two fair": {changed(func(k *jobs.Kind) { k.Fair = true }),
			changed(func(k *jobs.Kind) { k.Name, k.Fair = "b", true })},
	} {
		if err := runtime.Run(t.Context(), runtime.Config{Client: h.Client, Table: table}); err == nil ||
			!strings.HasPrefix(err.Error(), "job kind ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
