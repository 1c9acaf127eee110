package workers

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"bordero/internal/testkit"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/storagetest"

	"github.com/hibiken/asynq"
)

const queue = "test"

func kind(name string) jobs.Kind {
	return jobs.Kind{
		Name: name, Queue: queue, Attempts: 3,
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

// harness is a database and a queue of one test. It has no relay, so that the tests see only
// the effects of the workers.
type harness struct {
	t        testing.TB
	queue    string
	store    *storage.Store
	client   *jobs.Client
	db       *sql.DB
	redisURL string
	log      *logged
}

func newHarness(t testing.TB) *harness {
	t.Helper()
	h := &harness{t: t, queue: queue, redisURL: storagetest.RedisURL(t), log: &logged{}}
	var err error
	installation := func(ctx context.Context) (string, error) { return h.store.Installation(ctx) }
	if h.client, err = jobs.Open(h.redisURL, installation, slog.New(slog.NewTextHandler(h.log, nil))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.client.Close() })
	url := storagetest.DatabaseURL(t)
	h.store = storagetest.Open(t, url, storage.Options{Offer: h.client.Offer})
	h.db = storagetest.DB(t, url)
	h.exec(`CREATE TABLE effects (id bigserial, job bigint)`)
	return h
}

// logged is a log that can be read while it is written.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func (h *harness) exec(query string, args ...any) {
	h.t.Helper()
	if _, err := h.db.ExecContext(h.t.Context(), query, args...); err != nil {
		h.t.Fatal(err)
	}
}

func (h *harness) count(query string, args ...any) (n int) {
	h.t.Helper()
	if err := h.db.QueryRowContext(h.t.Context(), query, args...).Scan(&n); err != nil {
		h.t.Fatal(err)
	}
	return n
}

func (h *harness) enqueue(all ...jobs.Args) {
	h.t.Helper()
	defer h.pushed(len(all), h.settled())
	ctx := jobs.WithTraceparent(jobs.WithRequestID(h.t.Context(), "r-1"), "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	err := h.store.InTx(ctx, func(tx *storage.Tx) error {
		for _, args := range all {
			if err := tx.Enqueue(ctx, 1, args); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// settled returns how many tickets have been pushed or dropped, and how many dropped.
func (h *harness) settled() [2]uint64 {
	pushed, dropped := h.client.Stats()
	return [2]uint64{pushed + dropped, dropped}
}

// pushed waits until n more tickets have reached Redis. A starved Redis may drop some,
// which the relay would offer.
func (h *harness) pushed(n int, before [2]uint64) {
	h.t.Helper()
	h.eventually("the pushes", func() bool { return h.settled()[0] >= before[0]+uint64(n) })
	if h.settled()[1] > before[1] {
		h.offer()
	}
}

// offer offers all free jobs again, as a relay does.
func (h *harness) offer() {
	h.t.Helper()
	free, err := h.store.Free(h.t.Context(), h.queue, storage.Cursor{}, 10_000)
	if h.queue == jobs.ImportStatementKind.Queue {
		free, err = h.store.FreeInTurn(h.t.Context(), storage.Cursor{}, 0, 10_000)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	for _, w := range free {
		h.client.Offer(w.Ticket)
	}
}

// effect returns the effect of a job.
func effect(ctx context.Context, job storage.Job) func(*storage.Tx) error {
	return func(tx *storage.Tx) error {
		_, err := tx.Raw(ctx, `INSERT INTO effects (job) VALUES ($1)`, job.ID)
		return err
	}
}

// effects waits until there are n effects of n different jobs, and no job is left.
func (h *harness) effects(n int) {
	h.t.Helper()
	h.eventually("the effects", func() bool {
		return h.count(`SELECT count(*) FROM jobs`) == 0 && h.count(`SELECT count(*) FROM effects`) >= n
	})
	if all, once := h.count(`SELECT count(*) FROM effects`), h.count(`SELECT count(DISTINCT job) FROM effects`); all != n || once != n {
		h.t.Errorf("%d effects of %d jobs, not %d", all, once, n)
	}
}

// eventually waits until done returns true. A failure contains the workers' log.
func (h *harness) eventually(what string, done func() bool) {
	h.t.Helper()
	testkit.Eventually(h.t, what, done, func() string { return "the log:\n" + h.log.String() })
}

// receive waits for a value that a run sends.
func receive[T any](h *harness, what string, from <-chan T) T {
	h.t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(30 * time.Second):
		h.t.Fatalf("%s did not come in time; the log:\n%s", what, h.log)
		panic("not reached")
	}
}

// start runs a worker until stop is called or the test has ended.
func (h *harness) start(adjust func(*Config), table ...Entry) (stop func()) {
	h.t.Helper()
	for i := range table {
		if table[i].OnDead == nil {
			table[i].OnDead = func(context.Context, *storage.Tx, storage.Job, error) error { return nil }
		}
	}
	cfg := Config{
		Store: h.store, Client: h.client, Queue: h.queue, Table: table, Concurrency: 8,
		Logger: slog.New(slog.NewTextHandler(h.log, nil)), DelayedTaskCheckInterval: 50 * time.Millisecond,
	}
	if adjust != nil {
		adjust(&cfg)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, cfg) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-ended; err != nil {
				h.t.Error(err)
			}
		})
	}
	h.t.Cleanup(stop)
	return stop
}

// tasks returns the tasks of the queue in the given states.
func (h *harness) tasks(states ...asynq.TaskState) (all []*asynq.TaskInfo) {
	h.t.Helper()
	opt, err := asynq.ParseRedisURI(h.redisURL)
	if err != nil {
		h.t.Fatal(err)
	}
	inspector := asynq.NewInspector(opt)
	defer inspector.Close()
	for state, list := range map[asynq.TaskState]func(string, ...asynq.ListOption) ([]*asynq.TaskInfo, error){
		asynq.TaskStateActive: inspector.ListActiveTasks, asynq.TaskStatePending: inspector.ListPendingTasks,
		asynq.TaskStateRetry: inspector.ListRetryTasks, asynq.TaskStateArchived: inspector.ListArchivedTasks,
	} {
		if !slices.Contains(states, state) {
			continue
		}
		tasks, err := list(h.queue)
		if err != nil && !errors.Is(err, asynq.ErrQueueNotFound) {
			h.t.Fatal(err)
		}
		all = append(all, tasks...)
	}
	return all
}

func (j *Job) String() string { return fmt.Sprintf("%s %d, attempt %d", j.Kind, j.ID, j.Attempt) }
