package runtime_test

import (
	"context"
	"testing"
	"time"

	"bordero/deploy/private"
	"bordero/internal/db"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/queue"
	"bordero/storage/storagetest"
	"bordero/workers/runtime"
	"bordero/workers/runtime/runtimetest"
)

func TestMain(m *testing.M) { storagetest.Main(m) }

const queueName = "test"

func kind(name string) jobs.Kind {
	return jobs.Kind{
		Name: name, Queue: queueName, Attempts: 3,
		Delay: func(int) time.Duration { return 50 * time.Millisecond },
	}
}

// singleKind and keyedKind are the kinds of these tests.
var (
	singleKind = kind("single")
	keyedKind  = func() jobs.Kind { k := kind("keyed"); k.Keyed = true; return k }()
)

type (
	single struct{ N int }
	keyed  struct{ Of string }
)

func (single) Kind() jobs.Kind { return singleKind }
func (keyed) Kind() jobs.Kind  { return keyedKind }
func (k keyed) Key() string    { return k.Of }

// harness counts the effects of jobs in a table.
type harness struct{ *runtimetest.Harness }

func newHarness(t testing.TB) harness { return newHarnessOf(t, queueName) }

func newHarnessOf(t testing.TB, queueName string) harness {
	t.Helper()
	h := harness{runtimetest.New(t, queueName)}
	h.Exec(`CREATE TABLE effects (id bigserial, job bigint)`)
	return h
}

func (h harness) enqueue(all ...jobs.Args) {
	h.T.Helper()
	defer h.pushed(len(all), h.settled())
	ctx := jobs.WithTraceparent(jobs.WithRequestID(h.T.Context(), "r-1"),
		"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	err := h.Store.InTx(ctx, func(tx *storage.Tx) error {
		for _, args := range all {
			if err := tx.Enqueue(ctx, 1, args); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		h.T.Fatal(err)
	}
}

// settled returns how many tickets have been pushed or dropped, and how many dropped.
func (h harness) settled() [2]uint64 {
	pushed, dropped := h.Client.Stats()
	return [2]uint64{pushed + dropped, dropped}
}

// pushed waits until n more tickets have reached Redis. A starved Redis may drop some,
// which the relay would offer.
func (h harness) pushed(n int, before [2]uint64) {
	h.T.Helper()
	h.Eventually("the pushes", func() bool { return h.settled()[0] >= before[0]+uint64(n) })
	if h.settled()[1] > before[1] {
		h.Offer()
	}
}

// effect returns the effect of a job.
func effect(ctx context.Context, job queue.Job) func(*storage.Tx) error {
	return func(tx *storage.Tx) error {
		_, err := db.Exec(ctx, tx.DB, `INSERT INTO effects (job) VALUES ($1)`, job.ID)
		return err
	}
}

// complete ends a job with its effect.
func (h harness) complete(ctx context.Context, job queue.Job) error {
	return h.Store.Complete(ctx, job, effect(ctx, job))
}

// handler returns a handler that only runs.
func handler[T jobs.Args](run func(context.Context, *runtime.Job[T]) error) runtime.Handler {
	return runtime.Entry[T]{Run: run}.Handler()
}

// completing returns a handler whose runs only have their effect.
func completing[T jobs.Args](h harness) runtime.Handler {
	return handler(func(ctx context.Context, job *runtime.Job[T]) error { return h.complete(ctx, job.Job) })
}

// effects waits until there are n effects of n different jobs, and no job is left.
func (h harness) effects(n int) {
	h.T.Helper()
	h.Eventually("the effects", func() bool {
		return h.Count(`SELECT count(*) FROM jobs`) == 0 && h.Count(`SELECT count(*) FROM effects`) >= n
	})
	if all, once := h.Count(`SELECT count(*) FROM effects`),
		h.Count(`SELECT count(DISTINCT job) FROM effects`); all != n || once != n {
		h.T.Errorf("%d effects of %d jobs, not %d", all, once, n)
	}
}

// receive waits for a value that a run sends.
func receive[T any](h harness, what string, from <-chan T) (v T) {
	h.T.Helper()
	h.Eventually(what, func() bool {
		select {
		case v = <-from:
			return true
		default:
			return false
		}
	})
	return v
}

// ownRedis starts a Redis for one test.
func ownRedis(t *testing.T, policy string) *private.Redis {
	t.Helper()
	dir, remove, err := private.TempDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	r, err := private.StartRedis(t.Context(), dir, private.Options{
		Settings: map[string]string{"maxmemory-policy": policy}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Kill)
	return r
}
