package runtime

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"bordero/storage/queue"
)

// errLapsed is the cause of the end of a run after a failed renewal of its lease. Another worker
// may have taken the job.
var errLapsed = errors.New("the lease has lapsed")

// claimedJobs is the set of jobs that the process has claimed and not ended.
type claimedJobs struct {
	mu   sync.Mutex
	jobs map[string]*claimedJob // by the name of the claim
}

type claimedJob struct {
	queue.Job
	until time.Time   // the end of the lease
	lapse *time.Timer // ends the run then; nil before the run
}

// add adds jobs with leases that last until a time.
func (h *claimedJobs) add(until time.Time, claimed ...queue.Job) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, job := range claimed {
		h.jobs[job.Name()] = &claimedJob{Job: job, until: until}
	}
}

// during returns a context for the run of a claimed job, which ends with the lease. A run must not
// wait for a server that has stalled, and the fence refuses its later writes.
func (h *claimedJobs) during(ctx context.Context, job queue.Job) (context.Context, context.CancelFunc) {
	ctx, cut := context.WithCancelCause(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.jobs[job.Name()]
	c.lapse = time.AfterFunc(time.Until(c.until), func() { cut(errLapsed) })
	return ctx, func() {
		c.lapse.Stop()
		cut(nil)
	}
}

// renew extends the leases of jobs that have not ended meanwhile.
func (h *claimedJobs) renew(until time.Time, held []queue.Job) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, job := range held {
		c := h.jobs[job.Name()]
		if c == nil {
			continue
		}
		if c.until = until; c.lapse != nil && c.lapse.Stop() {
			c.lapse.Reset(time.Until(until))
		}
	}
}

func (h *claimedJobs) drop(job queue.Job) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.jobs, job.Name())
}

func (h *claimedJobs) all() []queue.Job {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make([]queue.Job, 0, len(h.jobs))
	for _, c := range h.jobs {
		all = append(all, c.Job)
	}
	return all
}

// heartbeat renews all leases of the process three times a lease, together, until stop is called. It continues after
// the context of the runs ends: jobs that a shutdown waits for stay claimed.
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
	until := time.Now().Add(w.Lease)
	unknown, err := w.Store.Renew(ctx, w.Lease, held)
	if err != nil {
		w.Logger.Error("leases were not renewed", "error", err, "jobs", len(held))
	}
	w.holding.renew(until, slices.DeleteFunc(held, func(h queue.Job) bool {
		return slices.ContainsFunc(unknown, func(u queue.Job) bool { return u.Name() == h.Name() })
	}))
}
