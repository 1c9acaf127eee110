package scheduler

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bordero/deploy/private"
	"bordero/internal/testkit"
	"bordero/jobs/broker"
	"bordero/storage"
	"bordero/storage/storagetest"

	"github.com/lib/pq"
	"github.com/redis/go-redis/v9"
)

const queueName = "test"

// harness is a database and a queue without pushers and workers.
type harness struct {
	t      *testing.T
	url    string
	store  *storage.Store
	db     *sql.DB
	client *broker.Client
	redis  redis.UniversalClient
	prefix string // of the tasks' names: the installation
	logs   atomic.Int32
}

func newHarness(t *testing.T) *harness {
	t.Helper()
	database := storagetest.Borrow(t)
	h := &harness{t: t, url: database.URL, store: database.Store, db: database.Owner}
	redisURL := storagetest.RedisURL(t)
	var err error
	if h.client, err = broker.Open(redisURL, h.store.Installation, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	if h.redis, err = broker.OpenRedis(redisURL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.client.Close(); _ = h.redis.Close() })
	id, err := h.store.Installation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h.prefix = id + "."
	return h
}

// relay runs a relay until stop is called or the test has ended.
func (h *harness) relay(lap time.Duration) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan bool)
	r := newRelay(h.store, h.client, lap, "empty", queueName)
	go func() { defer close(ended); r.run(ctx, slog.New(h)) }()
	stop = func() { cancel(); <-ended }
	h.t.Cleanup(stop)
	return stop
}

// The harness is the handler of a log and counts its lines.
func (h *harness) Enabled(context.Context, slog.Level) bool { return true }
func (h *harness) Handle(_ context.Context, r slog.Record) error {
	h.logs.Add(1)
	h.t.Log(r.Message)
	return nil
}
func (h *harness) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h *harness) WithGroup(string) slog.Handler      { return h }

func (h *harness) exec(query string, args ...any) {
	h.t.Helper()
	if _, err := h.db.ExecContext(h.t.Context(), query, args...); err != nil {
		h.t.Fatal(err)
	}
}

// rows inserts n jobs.
func (h *harness) rows(n int) {
	h.t.Helper()
	h.exec(`INSERT INTO jobs (kind, queue) SELECT 'note', $1 FROM generate_series(1, $2)`, queueName, n)
}

// pending returns the names of the waiting tasks, without the installation.
func (h *harness) pending() []string {
	h.t.Helper()
	names, err := h.redis.LRange(h.t.Context(), "asynq:{test}:pending", 0, -1).Result()
	if err != nil {
		h.t.Fatal(err)
	}
	slices.Sort(names)
	return h.trimmed(names)
}

func (h *harness) trimmed(names []string) []string {
	h.t.Helper()
	for i, name := range names {
		var ours bool
		if names[i], ours = strings.CutPrefix(name, h.prefix); !ours {
			h.t.Errorf("%s is not of this installation", name)
		}
	}
	return names
}

func (h *harness) waiting() int {
	h.t.Helper()
	n, err := h.redis.LLen(h.t.Context(), "asynq:{test}:pending").Result()
	if err != nil {
		h.t.Fatal(err)
	}
	return int(n)
}

// take empties the queue as workers do, and returns the tasks that waited.
func (h *harness) take() []string {
	h.t.Helper()
	pipe := h.redis.TxPipeline()
	waiting := pipe.LRange(h.t.Context(), "asynq:{test}:pending", 0, -1)
	pipe.Del(h.t.Context(), "asynq:{test}:pending")
	if _, err := pipe.Exec(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	pipe = h.redis.Pipeline()
	for _, name := range waiting.Val() {
		pipe.Del(h.t.Context(), "asynq:{test}:t:"+name)
	}
	if _, err := pipe.Exec(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	return h.trimmed(waiting.Val())
}

func (h *harness) state(name, state string) {
	h.t.Helper()
	err := errors.Join(
		h.redis.LRem(h.t.Context(), "asynq:{test}:pending", 1, h.prefix+name).Err(),
		h.redis.HSet(h.t.Context(), "asynq:{test}:t:"+h.prefix+name, "state", state).Err())
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *harness) offers(names ...string) {
	h.t.Helper()
	testkit.Eventually(h.t, "the offer", func() bool { return slices.Equal(h.pending(), names) })
}

func TestTheRelayOffersWhatWasNotPushed(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.relay(time.Hour)
	h.relay(time.Hour) // as with two schedulers
	h.rows(2)
	h.offers("1.0", "2.0")
	h.exec(`INSERT INTO jobs (kind, queue, due_at) VALUES ('note', $1, now() + interval '1 second')`, queueName)
	h.exec(`INSERT INTO jobs (kind, queue) VALUES ('note', 'other')`)
	h.offers("1.0", "2.0", "3.0")
	var due bool
	if err := h.db.QueryRowContext(t.Context(), `SELECT now() >= due_at FROM jobs WHERE id = 3`).Scan(
		&due); err != nil {
		t.Fatal(err)
	}
	if !due {
		t.Error("offered before it fell due")
	}
}

func TestTheRelayOffersLapsedLeases(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.rows(3)
	h.exec(`UPDATE jobs SET claims = id, leased_until = now() + interval '1 second'`)
	h.exec(`UPDATE jobs SET failed_at = now(), leased_until = NULL WHERE id = 3`)
	h.relay(time.Second)
	h.offers("1.1", "2.2")
	// An offer in vain: a stopped process has the row locked.
	h.take()
	h.offers("1.1", "2.2")
}

func TestAFlushIsMadeGood(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.rows(2500) // more than a page
	h.relay(time.Hour)
	testkit.Eventually(h.t, "the offer", func() bool { return h.waiting() == 2500 })
	for range 2 {
		if err := h.redis.FlushDB(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(h.t, "the second offer", func() bool { return h.waiting() == 2500 })
	}
	if queues, err := h.redis.SMembers(t.Context(), "asynq:queues").Result(); err != nil ||
		!slices.Contains(queues, queueName) {
		t.Errorf("Asynq's queues are %v, %v", queues, err)
	}
}

// A worker that dies between taking the task and claiming the job leaves the task active
// and its name taken.
func TestATakenNameIsReplaced(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.rows(5)
	h.relay(time.Second)
	h.offers("1.0", "2.0", "3.0", "4.0", "5.0")
	for name, state := range map[string]string{"1.0": "active", "2.0": "archived", "3.0": "retry", "4.0": "completed"} {
		h.state(name, state)
	}
	second := map[string]bool{}
	testkit.Eventually(h.t, "the second names", func() bool {
		for _, name := range h.pending() {
			if strings.Count(name, ".") == 2 {
				second[name[:3]] = true
			}
		}
		return len(second) == 4
	})
	if second["5.0"] {
		t.Error("a task that waits got a second name")
	}
}

func TestTheWindowIsRespected(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	const rows = 2*broker.Window + 3000
	h.rows(rows)
	h.relay(2 * time.Second)
	h.relay(2 * time.Second)
	seen := map[string]bool{}
	testkit.Eventually(h.t, "all of them", func() bool {
		// Two relays may have used the same room, for a page each.
		if n := h.waiting(); n > broker.Window+2*pageSize {
			t.Errorf("%d tasks wait", n)
		} else if n < broker.Window && len(seen)+n < rows {
			return false
		}
		taken := h.take()
		for i, name := range taken {
			taken[i], _, _ = strings.Cut(name, ".")
			seen[taken[i]] = true
		}
		h.exec(`DELETE FROM jobs WHERE id = ANY($1)`, pq.Array(taken))
		return len(seen) == rows
	})
}

func TestTheRelayOutlivesAnOutage(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	h.rows(1)
	h.relay(time.Hour)
	h.offers("1.0")
	h.exec(`ALTER TABLE jobs RENAME TO gone`)
	testkit.Eventually(h.t, "the complaint", func() bool { return h.logs.Load() == 1 })
	h.take() // is lost meanwhile
	h.exec(`ALTER TABLE gone RENAME TO jobs`)
	h.offers("1.0")
	testkit.Eventually(h.t, "the all-clear", func() bool { return h.logs.Load() == 2 })
}

func evicting(t *testing.T) *broker.Client {
	t.Helper()
	dir, remove, err := private.TempDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(remove)
	r, err := private.StartRedis(t.Context(), dir, private.Options{
		Settings: map[string]string{"maxmemory-policy": "allkeys-lru"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Kill)
	client, err := broker.Open(r.URL(), func(context.Context) (string, error) { return "0123456789ab", nil },
		slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func TestTheRelayRestsUntilTheNextJobFallsDue(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	r := newRelay(h.store, h.client, time.Hour, "empty", queueName)
	if rest, err := r.tick(t.Context()); err != nil || rest <= longestRest/2 {
		t.Errorf("of an empty queue: %v, %v", rest, err)
	}
	h.exec(`INSERT INTO jobs (kind, queue, due_at) VALUES ('note', $1, now() + $2 * interval '1 second')`, queueName,
		longestRest.Seconds()/2)
	if rest, err := r.tick(t.Context()); err != nil || rest > longestRest/2 {
		t.Errorf("until a job: %v, %v", rest, err)
	}
}
