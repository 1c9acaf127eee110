package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"testing"
	"time"

	"bordero/jobs"
	"bordero/jobs/broker"
	"bordero/storage"
	"bordero/storage/queue"
	"bordero/storage/storagetest"
	"bordero/workers/runtime"
)

// chunks returns a long run: 1,000 chunks, unless the process stops.
func (h harness) chunks(began chan<- string, step func()) func(context.Context, *runtime.Job[single]) error {
	return func(ctx context.Context, job *runtime.Job[single]) error {
		began <- job.Cursor
		n, _ := strconv.Atoi(job.Cursor)
		for n++; n <= 1000; n++ {
			if job.Stopping() {
				return runtime.ErrStopping
			}
			if err := h.Store.Chunk(ctx, &job.Job, strconv.Itoa(n), effect(ctx, job.Job)); err != nil {
				return err
			}
			step()
		}
		return h.Store.Complete(ctx, job.Job, func(*storage.Tx) error { return nil })
	}
}

func TestAShutdownHandsOver(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	begunFirst, begunSecond := make(chan string, 10), make(chan string, 10)
	chunked := make(chan bool, 2000)
	stop := h.Start(func(c *runtime.Config) { c.Lease = time.Hour }, // the next worker does not wait for its end
		handler(h.chunks(begunFirst, func() { chunked <- true })))
	h.enqueue(single{1})
	receive(h, "the beginning", begunFirst)
	for range 5 {
		receive(h, "a chunk", chunked)
	}
	looked := make(chan bool) // whether the job has been read, which would soon be gone
	h.Start(nil, handler(h.chunks(begunSecond, func() { <-looked })))
	go stop()
	at := receive(h, "the next worker", begunSecond)
	if n, _ := strconv.Atoi(at); n < 5 {
		t.Errorf("begun again at %q", at)
	}
	if n := h.Count(`SELECT attempts FROM jobs`); n != 1 {
		t.Errorf("the shutdown was charged: attempt %d", n)
	}
	close(looked)
	h.Eventually("the end", func() bool { return h.Count(`SELECT count(*) FROM jobs`) == 0 })
	if n := h.Count(`SELECT count(*) FROM effects`); n != 1000 {
		t.Errorf("%d chunks were kept", n)
	}
}

// A job that does not check Stopping gets the grace period. It ends within it or is cut
// off.
func TestAShutdownGivesGrace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		external bool
		ignores  bool // ignores its context as well
		attempts int  // of the released job
	}{
		{name: "cut off", attempts: 0},
		{name: "cut off with external effects", external: true, attempts: 1},
		{name: "ignores the cut", ignores: true, attempts: 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			began, finish, late := make(chan bool, 2), make(chan bool), make(chan error, 1)
			stop := h.Start(func(c *runtime.Config) { c.Grace = 300 * time.Millisecond },
				runtime.Entry[single]{HasExternalEffects: c.external,
					Run: func(ctx context.Context, job *runtime.Job[single]) error {
						began <- true
						if job.Args.N == 1 { // ends within the grace
							h.Eventually("the shutdown", job.Stopping)
							return h.complete(ctx, job.Job)
						}
						if c.ignores {
							<-finish
							late <- h.complete(context.WithoutCancel(ctx), job.Job)
							return nil
						}
						<-ctx.Done()
						return fmt.Errorf("something else: %w", ctx.Err())
					}}.Handler())
			h.enqueue(single{1}, single{2})
			receive(h, "the first", began)
			receive(h, "the second", began)
			stop()
			if n := h.Count(`SELECT count(*) FROM jobs WHERE leased_until IS NULL AND attempts = $1 AND error IS NULL`,
				c.attempts); n != 1 {
				t.Error("it was not handed over")
			}
			h.Start(nil, completing[single](h))
			h.effects(2)
			close(finish)
			if c.ignores {
				if err := receive(h, "the late one", late); !errors.Is(err, queue.ErrFenced) {
					t.Errorf("the one that was cut off completes: %v", err)
				}
			}
			h.effects(2)
		})
	}
}

func TestAShutdownWithoutRedisEnds(t *testing.T) {
	t.Parallel()
	h, redis := newHarness(t), ownRedis(t, "noeviction")
	client, err := broker.Open(redis.URL(), h.Store.Installation, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	began := make(chan bool, 1)
	stop := h.Start(func(c *runtime.Config) { c.Client, c.Grace = client, 100*time.Millisecond },
		handler(func(ctx context.Context, _ *runtime.Job[single]) error {
			began <- true
			<-ctx.Done()
			return ctx.Err()
		}))
	h.enqueue(single{1})
	client.Offer(jobs.Ticket{ID: int64(h.Count(`SELECT id FROM jobs`)), Kind: "single", Queue: queueName})
	receive(h, "the job", began)
	redis.Kill()
	stop()
	if n := h.Count(`SELECT count(*) FROM jobs WHERE leased_until IS NULL AND attempts = 0`); n != 1 {
		t.Error("it was not handed over")
	}
}

// Beside a database that hangs, releases one after the other would outlast the time that systemd and Kubernetes wait.
func TestAShutdownReleasesAllJobsAtOnce(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	began, finish := make(chan bool, 3), make(chan bool)
	defer close(finish)
	stop := h.Start(func(c *runtime.Config) { c.Grace, c.Lease = 100*time.Millisecond, time.Hour },
		handler(func(context.Context, *runtime.Job[single]) error {
			began <- true
			<-finish
			return nil
		}))
	h.enqueue(single{1}, single{2}, single{3})
	for range 3 {
		receive(h, "a job", began)
	}
	lock, err := h.DB.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Rollback() // after the one below it is a no-op
	if _, err := lock.ExecContext(t.Context(), `SELECT FROM jobs FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	stopped := make(chan bool, 1)
	go func() { stop(); stopped <- true }()
	storagetest.AwaitLock(t, h.DB, 3)
	if err := lock.Rollback(); err != nil {
		t.Fatal(err)
	}
	receive(h, "the end", stopped)
	if n := h.Count(`SELECT count(*) FROM jobs WHERE leased_until IS NULL`); n != 3 {
		t.Errorf("%d of 3 jobs were handed over", n)
	}
}
