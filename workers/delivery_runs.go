package workers

import (
	"sync"
	"time"
)

// deliveryRuns are the runs of a process that deliver to webhooks, by the keys of their
// jobs, so that an event wakes the run that stays with its webhook.
type deliveryRuns struct {
	most int // with more runs than this none stays: others want their places

	mu    sync.Mutex
	byKey map[string]wakeUp
}

func newDeliveryRuns(most int) *deliveryRuns {
	return &deliveryRuns{most: most, byKey: map[string]wakeUp{}}
}

// enter begins a run, which leave ends.
func (r *deliveryRuns) enter(key string) wakeUp {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := make(wakeUp, 1)
	r.byKey[key] = w
	return w
}

func (r *deliveryRuns) leave(key string, w wakeUp) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byKey[key] == w { // and not a run that has claimed the job since
		delete(r.byKey, key)
	}
}

// room reports whether a run may stay without anything to do.
func (r *deliveryRuns) room() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.byKey) <= r.most
}

// wake wakes the run of a key, if it is one of this process.
func (r *deliveryRuns) wake(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case r.byKey[key] <- struct{}{}: // of no run the channel is nil
	default:
	}
}

// wakeUp remembers one wake-up.
type wakeUp chan struct{}

// clear forgets what has come so far.
func (w wakeUp) clear() {
	select {
	case <-w:
	default:
	}
}

// wait waits for a wake-up, and reports whether one came before the time was over or
// the process began to stop.
func (w wakeUp) wait(d time.Duration, stopping <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-w:
		return true
	case <-timer.C:
	case <-stopping:
	}
	return false
}
