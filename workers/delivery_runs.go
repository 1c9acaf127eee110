package workers

import (
	"sync"
	"time"
)

// deliveryRuns contains the delivery runs of a process by the keys of their jobs, so that
// an event can wake the run of its webhook.
type deliveryRuns struct {
	most int // with more runs than this, a run that is out of work ends: other webhooks need its place

	mu    sync.Mutex
	byKey map[string]wakeUp
}

func newDeliveryRuns(most int) *deliveryRuns {
	return &deliveryRuns{most: most, byKey: map[string]wakeUp{}}
}

// enter registers a run; leave ends it.
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
	if r.byKey[key] == w { // unless another run has claimed the job since
		delete(r.byKey, key)
	}
}

// room reports whether an idle run may stay.
func (r *deliveryRuns) room() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.byKey) <= r.most
}

// wake wakes the run of a key, if this process has one.
func (r *deliveryRuns) wake(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case r.byKey[key] <- struct{}{}: // nil, hence never ready, if there is no run
	default:
	}
}

// wakeUp stores at most one wake-up.
type wakeUp chan struct{}

// clear drops a stored wake-up.
func (w wakeUp) clear() {
	select {
	case <-w:
	default:
	}
}

// wait waits for a wake-up. It reports whether one came before d was over and before the
// process began to stop.
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
