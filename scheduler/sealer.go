package scheduler

import (
	"context"
	"log/slog"
	"time"

	"bordero/jobs"
	"bordero/storage"
)

const (
	batch = 5000 // changes sealed at a time
	// pause is the time after a batch in which others gather: a batch costs much the same, however
	// many changes it has.
	pause = 10 * time.Millisecond
	// look is how often the sealer looks for changes by itself: Redis may lose what wakes it.
	look = time.Second
)

// seal numbers changes until ctx is done. Where another sealer ended, it continues.
func seal(ctx context.Context, store *storage.Store, client *jobs.Client, log *slog.Logger) {
	woken := make(chan struct{}, 1)
	go client.WakesOfSealer(ctx, func() {
		select {
		case woken <- struct{}{}:
		default:
		}
	})
	down := false
	for ctx.Err() == nil {
		err := sealUntil(ctx, store, client, woken, func() {
			if down {
				log.Info("sealer recovered")
			}
			down = false
		})
		if err != nil && !down && ctx.Err() == nil {
			log.Error("sealer failed, will retry", "error", err)
			down = true
		}
		wait(ctx, time.Second)
	}
}

// sealUntil seals until an error or the end of ctx. It calls works after each batch.
func sealUntil(ctx context.Context, store *storage.Store, client *jobs.Client, woken <-chan struct{}, works func()) error {
	s, err := store.OpenSealer(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	ticks := time.NewTicker(look)
	defer ticks.Stop()
	for {
		accounts, more, err := s.Seal(ctx, batch)
		if err != nil {
			return err
		}
		works()
		for _, a := range accounts {
			client.Offer(jobs.Sealed(a.AccountID))
		}
		if more {
			continue
		}
		if len(accounts) > 0 {
			wait(ctx, pause)
		}
		select {
		case <-woken:
		case <-ticks.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
