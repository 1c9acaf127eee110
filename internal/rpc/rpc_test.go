package rpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"bordero/internal/rpc"
	"bordero/internal/testkit"
	"bordero/jobs"
	"bordero/jobs/broker"
	"bordero/storage/storagetest"

	"github.com/redis/go-redis/v9"
)

func TestMain(m *testing.M) { storagetest.Main(m) }

const queue = "echo"

// open returns the client of an installation, and its client of jobs.
func open(t *testing.T, url, installation string) (*rpc.Client, *broker.Client) {
	t.Helper()
	j, err := broker.Open(url, func(context.Context) (string, error) { return installation, nil },
		slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	c, err := rpc.Open(url, j)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c, j
}

func direct(t *testing.T, url string) redis.UniversalClient {
	t.Helper()
	r, err := broker.OpenRedis(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// ended counts how questions ended. It is also the log of the worker.
type ended struct {
	mu  sync.Mutex
	all map[string]int
	log bytes.Buffer
}

func (e *ended) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.log.Write(b)
}

// serve answers each question, a text, until the test ends.
func serve(t *testing.T, c *rpc.Client, answer func(string) (string, error)) *ended {
	t.Helper()
	e := &ended{all: map[string]int{}}
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() {
		stopped <- c.Serve(ctx, rpc.Config{
			Logger: slog.New(slog.NewTextHandler(e, nil)), Queue: queue, Concurrency: 8,
			Answer: func(ctx context.Context, ask []byte) (string, error) {
				if until, ok := ctx.Deadline(); !ok || time.Until(until) > 3*time.Second {
					return "", errors.New("it may take longer than its caller waits")
				}
				var q string
				if err := json.Unmarshal(ask, &q); err != nil {
					return "", err
				}
				return answer(q)
			},
			Observe: func(_, result string, _ time.Duration) {
				e.mu.Lock()
				defer e.mu.Unlock()
				e.all[result]++
			},
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
	return e
}

// Each caller gets the answer to its own question, and nothing stays in Redis.
func TestAQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	url := storagetest.RedisURL(t)
	client, _ := open(t, url, "0123456789ab")
	worker, _ := open(t, url, "0123456789ab")
	e := serve(t, worker, func(q string) (string, error) {
		switch q {
		case "none":
			return "", errors.New("no such file")
		case "panic":
			panic("at the disco")
		}
		return q + "!", nil
	})
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			q := strconv.Itoa(i)
			if got, err := client.Call(t.Context(), queue, q); err != nil || got != q+"!" {
				t.Errorf("%s: %q, %v", q, got, err)
			}
		})
	}
	all.Wait()
	if _, err := client.Call(t.Context(), queue, "none"); err == nil || errors.Is(err, rpc.ErrNoAnswer) ||
		err.Error() != "no such file" {
		t.Errorf("a question that cannot be answered: %v", err)
	}
	if _, err := client.Call(jobs.WithRequestID(t.Context(), "r-1"), queue, "panic"); !errors.Is(err, rpc.ErrNoAnswer) {
		t.Errorf("a question that panics: %v", err)
	}
	if left, err := direct(t, url).Keys(t.Context(), "bordero:*:reply:*").Result(); err != nil || len(left) > 0 {
		t.Errorf("%v are left: %v", left, err)
	}
	testkit.Eventually(t, "all questions have been counted", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return e.all["done"] == 50 && e.all["failed"] == 2
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	if log := e.log.String(); !strings.Contains(log, "at the disco") || !strings.Contains(log, "request_id=r-1") {
		t.Errorf("the log is\n%s", log)
	}
}

func TestAQuestionIsNotWaitedForWithoutEnd(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"without a worker": storagetest.RedisURL(t),
		"without Redis": "redis://127.0.0.1:1/0"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, _ := open(t, url, "0123456789ab")
			if _, err := client.Call(t.Context(), queue, "a"); !errors.Is(err, rpc.ErrNoAnswer) {
				t.Error(err)
			}
		})
	}
}

// Questions that no worker takes must not fill Redis.
func TestAFullQueueTakesNoQuestion(t *testing.T) {
	t.Parallel()
	url := storagetest.RedisURL(t)
	client, _ := open(t, url, "0123456789ab")
	r, pending := direct(t, url), "asynq:{"+queue+"}:pending"
	fill := make([]any, broker.Window)
	for i := range fill {
		fill[i] = i
	}
	if err := r.RPush(t.Context(), pending, fill...).Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Call(t.Context(), queue, "a"); !errors.Is(err, rpc.ErrNoAnswer) {
		t.Error(err)
	}
	if n, err := r.LLen(t.Context(), pending).Result(); err != nil || n != broker.Window {
		t.Errorf("%d tasks wait: %v", n, err)
	}
}

// In a Redis of another installation nothing is asked. In its own, the task and the key of
// the answer carry the installation's id.
func TestQuestionsAreOfOneInstallation(t *testing.T) {
	t.Parallel()
	url := storagetest.RedisURL(t)
	client, j := open(t, url, "0123456789ab")
	other, _ := open(t, url, "ba9876543210")
	if err := j.Ready(t.Context()); err != nil { // marks the Redis
		t.Fatal(err)
	}
	if _, err := other.Call(t.Context(), queue, "a"); !errors.Is(err, broker.ErrRefused) ||
		!errors.Is(err, rpc.ErrNoAnswer) {
		t.Errorf("another installation: %v", err)
	}
	if _, err := client.Call(t.Context(), queue, "a"); !errors.Is(err, rpc.ErrNoAnswer) {
		t.Errorf("this one: %v", err)
	}
	r := direct(t, url)
	names, err := r.LRange(t.Context(), "asynq:{"+queue+"}:pending", 0, -1).Result()
	if err != nil || len(names) != 1 || !strings.HasPrefix(names[0], "0123456789ab.") {
		t.Fatalf("tasks %q, %v", names, err)
	}
	task, err := r.HGet(t.Context(), "asynq:{"+queue+"}:t:"+names[0], "msg").Result()
	if err != nil || !strings.Contains(task, `"reply":"bordero:0123456789ab:reply:`) {
		t.Errorf("the task is %q, %v", task, err)
	}
}
