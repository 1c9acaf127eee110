package scheduler

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"testing"
	"time"

	"bordero/internal/testkit"
	"bordero/jobs/broker"
	"bordero/storage"
	"bordero/storage/storagetest"
)

func TestOneDoesThePeriodicWorkAndIsReplaced(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	ran := make(chan string, 1000)
	var mu sync.Mutex
	succeeded := map[string]int{} // by process and task
	start := func(name string) (stop func()) {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		store := storagetest.Open(t, h.url, storage.Options{Application: name})
		go func() {
			ended <- Run(ctx, Config{
				Store: store, Client: h.client, Logger: slog.New(slog.DiscardHandler), Queues: []string{queueName},
				Succeeded: func(task string) {
					mu.Lock()
					defer mu.Unlock()
					succeeded[name+" "+task]++
				},
				Periodic: []PeriodicTask{
					{Name: "work", Every: 20 * time.Millisecond, Run: func(context.Context) error {
						ran <- name
						return nil
					}},
					{Name: "panics", Every: 20 * time.Millisecond, Run: func(context.Context) error { panic("oops") }},
					{Name: "fails", Every: 20 * time.Millisecond, Run: func(context.Context) error {
						return errors.New("oops")
					}},
				},
			})
		}()
		stop = func() {
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			ended <- nil
		}
		t.Cleanup(stop)
		return stop
	}
	next := func() string {
		select {
		case name := <-ran:
			return name
		case <-time.After(testkit.Patience):
			t.Fatal("the periodic work is not done")
			return ""
		}
	}
	stopFirst := start("first")
	next()
	start("second")
	for range 50 {
		if name := next(); name != "first" {
			t.Errorf("%s leads too", name)
		}
	}
	mu.Lock()
	if n := succeeded["first work"]; n < 50 {
		t.Errorf("%d successes of a task that ran 50 times", n)
	}
	delete(succeeded, "first work")
	// The others count once, at the start of the leadership; a process that does not lead counts nothing.
	if want := map[string]int{"first panics": 1, "first fails": 1}; !maps.Equal(succeeded, want) {
		t.Errorf("successes: %v, not %v", succeeded, want)
	}
	mu.Unlock()
	stopFirst()
	for next() != "second" {
	}
	cut := `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'second'`
	if _, err := h.db.ExecContext(t.Context(), cut); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	start("third")
	for name := ""; name != "third" && time.Since(began) < 3*time.Second; {
		name = next() // either of them leads again
	}
}

// A periodic task that ignores its context, such as one that hangs in an NFS directory, does not keep the process from
// leading again. The task never runs twice at once.
func TestATaskThatHangsHoldsUpNoLeader(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	begun, leads, release := make(chan struct{}, 10), make(chan struct{}, 10), make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	store := storagetest.Open(t, h.url, storage.Options{Application: "hanging"})
	go func() {
		ended <- Run(ctx, Config{
			Store: store, Client: h.client, Logger: slog.New(slog.DiscardHandler), Queues: []string{queueName},
			Patience: 10 * time.Millisecond,
			Periodic: []PeriodicTask{
				{Name: "hangs", Every: time.Hour, Run: func(context.Context) error {
					begun <- struct{}{}
					<-release
					return nil
				}},
				{Name: "work", Every: time.Hour, Run: func(context.Context) error {
					leads <- struct{}{}
					return nil
				}},
			},
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	await := func(what string, c chan struct{}) {
		t.Helper()
		select {
		case <-c:
		case <-time.After(testkit.Patience):
			close(release)
			t.Fatal(what)
		}
	}
	await("the task does not begin", begun)
	await("nobody leads", leads)
	if _, err := h.db.ExecContext(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE application_name = 'hanging'`); err != nil {
		t.Fatal(err)
	}
	await("nobody leads again", leads)
	select {
	case <-begun:
		t.Error("the task runs twice at once")
	case <-time.After(100 * time.Millisecond):
	}
	close(release)
	await("the task does not begin again", begun)
}

func TestTheSchedulerRefusesAnEvictingRedis(t *testing.T) {
	t.Parallel()
	if err := Run(t.Context(), Config{Client: evicting(t)}); !errors.Is(err, broker.ErrRefused) {
		t.Error(err)
	}
}
