package workers

import (
	"sync"
	"time"
)

// slowEndpointLimiter limits slow webhooks to a quarter of a worker's places, so that however many
// hang, the others find a place. A webhook is slow when an attempt took longer than a slice and no faster one ended
// meanwhile, until one does. Each process learns this by itself, without a write.
type slowEndpointLimiter struct {
	turn time.Duration

	mu      sync.Mutex
	slow    map[int64]time.Time // by webhook: when it may enter again
	free    int                 // places
	refused bool                // a slow webhook was refused since a place last became free
}

func newSlowEndpointLimiter(places int, turn time.Duration) *slowEndpointLimiter {
	return &slowEndpointLimiter{turn: turn, slow: map[int64]time.Time{}, free: max(places/4, 1)}
}

// acquire begins a run for a webhook, which release ends. It refuses a slow webhook while no place
// is free, or while it is the turn of webhooks that were refused before.
func (l *slowEndpointLimiter) acquire(webhook int64) (slow, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next, slow := l.slow[webhook]
	switch {
	case !slow:
		return false, true
	case l.free == 0:
		l.refused = true
		return true, false
	case time.Now().Before(next):
		return true, false
	}
	l.free--
	return true, true
}

// release ends a run for a webhook; wasSlow and slow report whether it was slow before and is now.
func (l *slowEndpointLimiter) release(webhook int64, wasSlow, slow bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.slow, webhook)
	next := time.Time{}
	if wasSlow {
		l.free++
		if l.refused {
			next, l.refused = time.Now().Add(2*l.turn), false // the refused webhooks try again after one slice
		}
	}
	if slow {
		l.slow[webhook] = next
	}
}
