package scheduler

import (
	"context"
	"time"

	"bordero/jobs"
)

const (
	batch = 5000 // changes sealed at a time
	// pause is the time after a batch in which new changes gather: the cost of a batch hardly depends
	// on its number of changes.
	pause = 10 * time.Millisecond
	// look is how often the sealer looks for changes without a ticket: Redis may lose tickets.
	look = time.Second
)

// seal numbers changes until ctx is done. It continues where another sealer ended.
func seal(ctx context.Context, cfg Config) {
	woken := make(chan struct{}, 1)
	go cfg.Client.WakesOfSealer(ctx, func() {
		select {
		case woken <- struct{}{}:
		default:
		}
	})
	down := false
	for ctx.Err() == nil {
		err := sealUntil(ctx, cfg, woken, func(sealed int) {
			if down {
				cfg.Logger.Info("sealer recovered")
			}
			down = false
			if cfg.Sealed != nil {
				cfg.Sealed(sealed)
			}
		})
		if err != nil && !down && ctx.Err() == nil {
			cfg.Logger.Error("sealer failed, will retry", "error", err)
			down = true
		}
		wait(ctx, time.Second)
	}
}

// sealUntil seals until an error or the end of ctx. It calls works after each batch with its size.
func sealUntil(ctx context.Context, cfg Config, woken <-chan struct{}, works func(sealed int)) error {
	s, err := cfg.Store.OpenSealer(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	ticks := time.NewTicker(look)
	defer ticks.Stop()
	for {
		accounts, sealed, err := s.Seal(ctx, batch)
		if err != nil {
			return err
		}
		works(sealed)
		for _, a := range accounts {
			cfg.Client.Offer(jobs.Sealed(a.AccountID))
		}
		if sealed == batch {
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
