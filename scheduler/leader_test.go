package scheduler

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bordero/storage"
	_ "bordero/storage/matching"
)

// Periodic tasks run in the places that there are; one that hangs leaves its place to the others.
func TestPeriodicTasksTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		at, log := make(places, 2), slog.New(slog.DiscardHandler)
		var mu sync.Mutex
		var running, ran, most int
		check := func(when string, want int) {
			t.Helper()
			mu.Lock()
			defer mu.Unlock()
			if ran != want || most != 2 {
				t.Errorf("%s %d tasks of a minute have begun, not %d; %d at once", when, ran, want, most)
			}
		}
		var all sync.WaitGroup
		for range 10 {
			task := PeriodicTask{Every: time.Hour, Run: func(context.Context) error {
				mu.Lock()
				running++
				ran, most = ran+1, max(most, running)
				mu.Unlock()
				time.Sleep(time.Minute)
				mu.Lock()
				running--
				mu.Unlock()
				return nil
			}}
			all.Go(func() { task.run(ctx, log, at, func() {}) })
		}
		time.Sleep(6 * time.Minute)
		check("after 6 minutes", 10)
		hangs := PeriodicTask{Every: time.Hour, Run: func(ctx context.Context) error { <-ctx.Done(); return nil }}
		for range 2 {
			all.Go(func() { hangs.run(ctx, log, at, func() {}) })
		}
		time.Sleep(55*time.Minute + 30*time.Second)
		check("90 s after the next hour, beside two that hang,", 14)
		cancel()
		all.Wait()
		if len(at) > 0 {
			t.Errorf("%d places are taken after the end", len(at))
		}
	})
}

// While PostgreSQL is down, the log has its cause at once and each minute.
func TestWhyASchedulerCannotLeadIsLoggedOnceAMinute(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store, err := storage.Open("postgres://u:secret@127.0.0.1:1/x?sslmode=disable", storage.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		var log bytes.Buffer
		lead(ctx, Config{Store: store, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if n := strings.Count(log.String(), "cannot become leader"); n != 2 ||
			!strings.Contains(log.String(), "connection refused") || strings.Contains(log.String(), "secret") {
			t.Errorf("%d lines in 90 s:\n%s", n, &log)
		}
	})
}
