// Package scheduler offers due jobs to the workers (the relay), numbers changes (the sealer) and
// runs the periodic work. The scheduler is a process of its own, so that busy or dead workers do not
// stop it. Several schedulers may run.
package scheduler

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"bordero/jobs/broker"
	"bordero/storage"
)

// Config configures a scheduler.
type Config struct {
	Store    *storage.Store
	Client   *broker.Client
	Logger   *slog.Logger
	Queues   []string
	Periodic []PeriodicTask
	Sealed   func(changes int) // receives the number of changes of each sealed batch; may be nil

	// Succeeded receives the name of each periodic task when this process becomes the leader, and after each success.
	// It may be nil.
	Succeeded func(task string)

	// TasksAtOnce is how many periodic tasks run at once, so that they leave the relay its connections; 0 means all. A
	// task that runs for longer than ten minutes no longer counts.
	TasksAtOnce int

	// Lap is how often the relay begins again with the oldest job; 0 means 5 s. It is the longest
	// delay of a job after its lease has run out, or after its worker died between taking the task
	// and claiming the job. With a full window, a lap costs 0.1 s.
	Lap time.Duration

	// Patience is how long a process that has lost the leadership waits for its periodic tasks to end; 0 means 5 s.
	// After it, a task that hangs, such as in an NFS directory, no longer keeps this process from leading again.
	Patience time.Duration
}

// Run relays the jobs of all queues, and seals changes and does the periodic work while this
// process is the leader, until ctx is done. It returns broker.ErrRefused for a Redis that evicts or is
// another installation's.
func Run(ctx context.Context, cfg Config) error {
	if err := cfg.Client.Refused(ctx); err != nil {
		return err
	}
	var parts sync.WaitGroup
	relay := newRelay(cfg.Store, cfg.Client, cmp.Or(cfg.Lap, 5*time.Second), cfg.Queues...)
	parts.Go(func() { relay.run(ctx, cfg.Logger) })
	parts.Go(func() { lead(ctx, cfg) })
	cfg.Logger.Info("scheduling", "queues", cfg.Queues)
	parts.Wait()
	return nil
}
