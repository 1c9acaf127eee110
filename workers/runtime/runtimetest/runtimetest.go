// Package runtimetest runs workers in the process of a test, beside a database and a queue
// of its own. It is apart from runtime because the kinds' tests use it too.
package runtimetest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"bordero/internal/testkit"
	"bordero/jobs"
	"bordero/jobs/broker"
	"bordero/storage"
	"bordero/storage/queue"
	"bordero/storage/storagetest"
	"bordero/workers/runtime"

	"github.com/hibiken/asynq"
)

// Harness is a database and a queue of one test. It has no relay, so that the tests see only
// the effects of the workers.
type Harness struct {
	T        testing.TB
	Queue    string
	Store    *storage.Store
	Client   *broker.Client
	DB       *sql.DB // as the database's owner
	RedisURL string
	Log      *Log // of the workers
}

// New returns a harness with workers that serve the queue.
func New(t testing.TB, queue string) *Harness {
	t.Helper()
	h := &Harness{T: t, Queue: queue, RedisURL: storagetest.RedisURL(t), Log: &Log{}}
	var err error
	installation := func(ctx context.Context) (string, error) { return h.Store.Installation(ctx) }
	if h.Client, err = broker.Open(h.RedisURL, installation, slog.New(slog.NewTextHandler(h.Log, nil))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Client.Close() })
	database := storagetest.Borrow(t)
	database.Offer(h.Client.Offer)
	h.Store, h.DB = database.Store, database.Owner
	return h
}

// Log is a log that can be read while it is written.
type Log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// Exec runs a statement.
func (h *Harness) Exec(query string, args ...any) {
	h.T.Helper()
	if _, err := h.DB.ExecContext(h.T.Context(), query, args...); err != nil {
		h.T.Fatal(err)
	}
}

// Count returns the number that a query selects.
func (h *Harness) Count(query string, args ...any) (n int) {
	h.T.Helper()
	if err := h.DB.QueryRowContext(h.T.Context(), query, args...).Scan(&n); err != nil {
		h.T.Fatal(err)
	}
	return n
}

// InTx runs do in a transaction of the store.
func (h *Harness) InTx(do func(context.Context, *storage.Tx) error) {
	h.T.Helper()
	if err := h.Store.InTx(h.T.Context(), func(tx *storage.Tx) error { return do(h.T.Context(), tx) }); err != nil {
		h.T.Fatal(err)
	}
}

// Offer offers all free jobs of the queue again, as a relay does.
func (h *Harness) Offer() {
	h.T.Helper()
	free, err := h.Store.Free(h.T.Context(), h.Queue, queue.Cursor{}, 10_000)
	if h.Queue == jobs.ImportStatementKind.Queue {
		free, err = h.Store.FreeInTurn(h.T.Context(), queue.Cursor{}, 0, 10_000)
	}
	if err != nil {
		h.T.Fatal(err)
	}
	for _, w := range free {
		h.Client.Offer(w.Ticket)
	}
}

// relayLap is how often a relay offers due jobs again.
const relayLap = 5 * time.Second

// Eventually waits until done returns true. Meanwhile due jobs are offered again as often as by a
// relay: on a busy machine Redis may be too slow for the offer of an enqueued one, which is then
// dropped. A failure contains the workers' log.
func (h *Harness) Eventually(what string, done func() bool) {
	h.T.Helper()
	offered := time.Now()
	check := func() bool {
		if time.Since(offered) > relayLap {
			h.Offer()
			offered = time.Now()
		}
		return done()
	}
	testkit.Eventually(h.T, what, check, func() string { return "the log:\n" + h.Log.String() })
}

// Start runs a worker until stop is called or the test has ended.
func (h *Harness) Start(adjust func(*runtime.Config), table ...runtime.Handler) (stop func()) {
	h.T.Helper()
	cfg := runtime.Config{
		Store: h.Store, Client: h.Client, Queue: h.Queue, Table: table, Concurrency: 8,
		Logger: slog.New(slog.NewTextHandler(h.Log, nil)), DelayedTaskCheckInterval: 50 * time.Millisecond,
		Lease: 15 * time.Second,
	}
	if adjust != nil {
		adjust(&cfg)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- runtime.Run(ctx, cfg) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-ended; err != nil {
				h.T.Error(err)
			}
		})
	}
	h.T.Cleanup(stop)
	return stop
}

// Tasks returns the tasks of the queue in the given states. It lists the states in the order in
// which a task has them, so that it does not miss a task that begins or fails meanwhile.
func (h *Harness) Tasks(states ...asynq.TaskState) (all []*asynq.TaskInfo) {
	h.T.Helper()
	opt, err := asynq.ParseRedisURI(h.RedisURL)
	if err != nil {
		h.T.Fatal(err)
	}
	inspector := asynq.NewInspector(opt)
	defer inspector.Close()
	for _, of := range []struct {
		state asynq.TaskState
		list  func(string, ...asynq.ListOption) ([]*asynq.TaskInfo, error)
	}{
		{asynq.TaskStatePending, inspector.ListPendingTasks}, {asynq.TaskStateActive, inspector.ListActiveTasks},
		{asynq.TaskStateRetry, inspector.ListRetryTasks}, {asynq.TaskStateArchived, inspector.ListArchivedTasks},
	} {
		if !slices.Contains(states, of.state) {
			continue
		}
		tasks, err := of.list(h.Queue)
		if err != nil && !errors.Is(err, asynq.ErrQueueNotFound) {
			h.T.Fatal(err)
		}
		all = append(all, tasks...)
	}
	return all
}
