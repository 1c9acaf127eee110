package workers

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"bordero/jobs"
	"bordero/storage"
)

// turns are the runs of the fair kind in this process. One account has half of the
// places at most, so that it alone never has them all.
type turns struct {
	mu     sync.Mutex    // held while a turn is claimed: claims of a process take turns
	runs   map[int64]int // by account
	last   int64         // the account that had its turn last
	inVain time.Time     // when the last look began that found nothing
}

// takeTurns does the jobs of a fair kind whose turn it is, one after the other, until
// there is none that may begin: what waits for a run begins when that ends. The task only
// says that there is work, and PostgreSQL which.
func (w *worker) takeTurns(e *Entry, task jobs.Ticket) error {
	for {
		job, err := w.claimTurn()
		if err != nil {
			return err
		}
		if job == nil {
			ctx, cancel := w.claiming()
			defer cancel()
			w.tellMisnamed(ctx, []jobs.Ticket{task})
			return nil
		}
		err = w.run(e, *job)
		w.endTurn(*job)
		if err == nil && !w.stops() {
			continue
		}
		// A failure is shown at once; what waited is another task's, or another worker's.
		w.Client.Offer(jobs.Ticket{ID: task.ID, Kind: task.Kind, Queue: w.Queue, After: job.Name()})
		if err != nil {
			err = fmt.Errorf("job %d: %w", job.ID, err)
		}
		return err
	}
}

// claimTurn claims the job whose turn it is; nil when none may begin here.
func (w *worker) claimTurn() (*storage.Job, error) {
	asked := time.Now()
	t := &w.turns
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.inVain.After(asked) {
		return nil, nil // of many tasks at once few look
	}
	began := time.Now()
	ctx, cancel := w.claiming()
	defer cancel()
	job, err := w.Store.ClaimTurn(ctx, w.Lease, t.last, w.full())
	switch {
	case job != nil:
		w.holding.add(*job)
		t.runs[job.AccountID]++
		t.last = job.AccountID
	case err == nil:
		t.inVain = began
	}
	return job, err
}

// full are the accounts that have half of the places, rounded up. The lock is held.
func (w *worker) full() []int64 {
	return slices.DeleteFunc(slices.Collect(maps.Keys(w.turns.runs)), func(account int64) bool {
		return w.turns.runs[account] < (w.Concurrency+1)/2
	})
}

func (w *worker) endTurn(job storage.Job) {
	w.turns.mu.Lock()
	defer w.turns.mu.Unlock()
	if w.turns.runs[job.AccountID]--; w.turns.runs[job.AccountID] == 0 {
		delete(w.turns.runs, job.AccountID)
	}
}

// stops reports whether the process is about to end.
func (w *worker) stops() bool {
	select {
	case <-w.stopping:
		return true
	default:
		return false
	}
}
