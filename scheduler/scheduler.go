// Package scheduler holds when: the relay that offers due jobs to the workers,
// and the work that the clock asks for. It is apart from the workers because it
// must go on whatever they do; more than one may run.
package scheduler

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"bordero/jobs"
	"bordero/storage"
)

// Config says what a scheduler looks after.
type Config struct {
	Store  *storage.Store
	Client *jobs.Client
	Logger *slog.Logger
	Queues []string
	Clock  []ClockWork

	// Lap is how often the relay begins again with the oldest job: as long waits,
	// at worst, a job whose lease has run out, or whose worker died between taking
	// its task and claiming it. 5 s when 0: with a full window a lap costs 0.1 s.
	Lap time.Duration
}

// Run relays the jobs of all queues and does the clock work while it leads, until
// ctx is done. It refuses a Redis that evicts or is another installation's.
func Run(ctx context.Context, cfg Config) error {
	if err := cfg.Client.Ready(ctx); errors.Is(err, jobs.ErrRefused) {
		return err
	}
	var parts sync.WaitGroup
	for _, queue := range cfg.Queues {
		r := newRelay(cfg.Store, cfg.Client, queue, cmp.Or(cfg.Lap, 5*time.Second))
		parts.Go(func() { r.run(ctx, cfg.Logger) })
	}
	parts.Go(func() { lead(ctx, cfg.Store, cfg.Clock, cfg.Logger) })
	cfg.Logger.Info("scheduling", "queues", cfg.Queues)
	parts.Wait()
	return nil
}
