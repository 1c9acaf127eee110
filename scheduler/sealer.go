package scheduler

import (
	"context"
	"time"

	"bordero/jobs"
)

const (
	batch = 5000 // changes sealed at a time
	// The cost of a batch hardly depends on its number of changes. While a request waits for changes, they
	// gather after a batch for pause; otherwise before it for gather, from the first change on.
	pause  = 10 * time.Millisecond
	gather = 50 * time.Millisecond
	// look is how often the sealer looks for changes without a ticket: Redis may lose tickets.
	look = time.Second
	// followed is how long a ticket of a request that waits counts. Each process with such requests offers
	// one every second.
	followed = 5 * time.Second
)

// seal numbers changes until ctx is done. It continues where another sealer ended.
func seal(ctx context.Context, cfg Config) {
	r := newRhythm()
	go cfg.Client.WakesOfSealer(ctx, r.unsealed.note, r.follows.note)
	down := false
	for ctx.Err() == nil {
		err := sealUntil(ctx, cfg, r, func(sealed int) {
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
func sealUntil(ctx context.Context, cfg Config, r *rhythm, works func(sealed int)) error {
	s, err := cfg.Store.OpenSealer(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
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
		if err := r.next(ctx, len(accounts) > 0); err != nil {
			return err
		}
	}
}

// rhythm decides when the sealer looks for changes.
type rhythm struct {
	unsealed, follows noted
	until             time.Time // no request waits after it, unless another ticket of one comes
}

// noted is noted once, however often note is called before it is received.
type noted chan struct{}

func (n noted) note() {
	select {
	case n <- struct{}{}:
	default:
	}
}

// newRhythm returns the rhythm of a sealer that knows of no request: some may wait already.
func newRhythm() *rhythm {
	return &rhythm{unsealed: make(noted, 1), follows: make(noted, 1), until: time.Now().Add(followed)}
}

// next returns when the sealer is to look again; sealed reports whether it has just numbered changes. It
// returns an error when ctx is done.
func (r *rhythm) next(ctx context.Context, sealed bool) error {
	if sealed && time.Now().Before(r.until) {
		wait(ctx, pause)
	}
	again := time.After(look)
	var gathered <-chan time.Time // since the first change
	for {
		select {
		case <-r.unsealed:
			if time.Now().Before(r.until) {
				return nil
			}
			if gathered == nil {
				gathered = time.After(gather)
			}
		case <-r.follows:
			r.until = time.Now().Add(followed)
			if gathered != nil {
				return nil
			}
		case <-gathered:
			return nil
		case <-again:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
