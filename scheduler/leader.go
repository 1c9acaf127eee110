package scheduler

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"bordero/internal/logging"
	"bordero/internal/panics"
)

// PeriodicTask is periodic work of the whole installation. It runs on one process at a time, the
// leader: at the start of the leadership and then at each interval. It must be harmless when run
// twice, or twice at once, and use one connection to PostgreSQL at a time.
type PeriodicTask struct {
	Name  string
	Every time.Duration // an hour at most: BorderoPeriodicTaskLate fires after three without a success
	Run   func(context.Context) error
}

// lead runs the sealer and the periodic work while this process is the leader, and otherwise waits
// to become the leader, until ctx is done.
func lead(ctx context.Context, cfg Config) {
	log := cfg.Logger
	var causes logging.Causes
	// A task of an earlier leadership may still run: its next run waits for it.
	turns := make([]chan struct{}, len(cfg.Periodic))
	for i := range turns {
		turns[i] = make(chan struct{}, 1)
	}
	at := make(places, cmp.Or(cfg.TasksAtOnce, len(cfg.Periodic)))
	for ctx.Err() == nil {
		led := false
		err := cfg.Store.Lead(ctx, func(ctx context.Context) error {
			led = true
			log.Info("became leader")
			var sealer, tasks sync.WaitGroup
			sealer.Go(func() { seal(ctx, cfg) })
			for i, task := range cfg.Periodic {
				succeeded := func() {
					if cfg.Succeeded != nil {
						cfg.Succeeded(task.Name)
					}
				}
				succeeded() // a task that never succeeds is late from here on
				tasks.Go(func() {
					select {
					case turns[i] <- struct{}{}:
						defer func() { <-turns[i] }()
						task.run(ctx, log.With("task", task.Name), at, succeeded)
					case <-ctx.Done():
					}
				})
			}
			<-ctx.Done()
			sealer.Wait()
			if !endsWithin(cmp.Or(cfg.Patience, 5*time.Second), &tasks) {
				log.Error("a periodic task does not end; the next leader does not wait for it")
			}
			return ctx.Err()
		})
		switch {
		case ctx.Err() != nil:
		case led:
			log.Warn("no longer leader", "error", err)
		default:
			if causes.Due(fmt.Sprint(err)) {
				log.Warn("cannot become leader", "error", err)
			}
		}
		wait(ctx, time.Second)
	}
}

// endsWithin reports whether all tasks end in time.
func endsWithin(d time.Duration, tasks *sync.WaitGroup) bool {
	ended := make(chan struct{})
	go func() {
		tasks.Wait()
		close(ended)
	}()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ended:
		return true
	case <-timer.C:
		return false
	}
}

// run runs the task at its intervals until ctx is done, each time in one of the places, and calls succeeded after each
// success.
func (t PeriodicTask) run(ctx context.Context, log *slog.Logger, at places, succeeded func()) {
	ticks := time.NewTicker(t.Every)
	defer ticks.Stop()
	for {
		err := at.do(ctx, func() error {
			return panics.Caught(log, "periodic task panicked", func() error { return t.Run(ctx) })
		})
		if err == nil {
			succeeded()
		} else if ctx.Err() == nil {
			log.Error("periodic task failed", "error", err)
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// places bound how many periodic tasks run at once.
type places chan struct{}

// placePatience is how long a task has its place. A task that still runs then, such as one that hangs in an NFS
// directory, keeps no other from running.
const placePatience = 10 * time.Minute

// do waits for a place, and calls f. It returns ctx's error if ctx ends before.
func (p places) do(ctx context.Context, f func() error) error {
	select {
	case p <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	leave := sync.OnceFunc(func() { <-p })
	defer leave()
	defer time.AfterFunc(placePatience, leave).Stop()
	return f()
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
