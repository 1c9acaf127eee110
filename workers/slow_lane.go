package workers

import (
	"sync"
	"time"
)

// slowLane keeps the webhooks that are slow to answer to a quarter of the places
// of a worker, so that however many hang, the others find one. A webhook is in
// the lane from a batch that took longer than a turn until one that did not. Each
// process learns that for itself, by one long turn: it costs no write.
type slowLane struct {
	turn time.Duration

	mu      sync.Mutex
	slow    map[int64]time.Time // by webhook: when it may have its next turn
	free    int                 // places
	refused bool                // since a place became free the last time
}

func newSlowLane(places int, turn time.Duration) *slowLane {
	return &slowLane{turn: turn, slow: map[int64]time.Time{}, free: max(places/4, 1)}
}

// enter begins the turn of a webhook, which leave ends. A slow one is refused
// while no place is free, or while it lets those go first that were refused.
func (l *slowLane) enter(webhook int64) (slow, ok bool) {
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

// leave ends the turn of a webhook that was slow, or not, at its beginning.
func (l *slowLane) leave(webhook int64, was, is bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.slow, webhook)
	next := time.Time{}
	if was {
		l.free++
		if l.refused {
			next, l.refused = time.Now().Add(2*l.turn), false // they ask again after one
		}
	}
	if is {
		l.slow[webhook] = next
	}
}
