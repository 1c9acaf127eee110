package runtime

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"bordero/storage"
)

// claimedJobs is the set of jobs that the process has claimed and not ended.
type claimedJobs struct {
	mu   sync.Mutex
	jobs map[string]storage.Job // by the name of the claim
}

func (h *claimedJobs) add(claimed ...storage.Job) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, job := range claimed {
		h.jobs[job.Name()] = job
	}
}

func (h *claimedJobs) drop(job storage.Job) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.jobs, job.Name())
}

func (h *claimedJobs) all() []storage.Job {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.jobs))
}

// heartbeat renews all leases of the process three times a lease, with one statement, until
// stop is called. It continues after the runs' context ends: jobs that a shutdown waits for
// stay claimed.
func (w *worker) heartbeat() (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.ctx))
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(w.Lease / 3)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				w.beat(ctx)
			case <-ctx.Done():
				return
			}
		}
	})
	return func() { cancel(); done.Wait() }
}

func (w *worker) beat(ctx context.Context) {
	held := w.holding.all()
	if len(held) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, w.Lease/3)
	defer cancel()
	if err := w.Store.Renew(ctx, w.Lease, held); err != nil {
		w.Logger.Error("leases were not renewed", "error", err, "jobs", len(held))
	}
}
