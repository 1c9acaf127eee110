package runtime

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"bordero/jobs"
	"bordero/storage/queue"
)

// turns counts the runs of the fair kind in this process. An account gets half of the places at
// most, so that it cannot take all of them.
type turns struct {
	mu     sync.Mutex    // also held during a claim: claims of one process are serialised
	runs   map[int64]int // by account
	last   int64         // the account of the last claimed job
	inVain time.Time     // when the last claim began that found nothing
}

// takeTurns runs the next jobs of a fair kind, one after the other, until no job may begin: a job
// that waits for a run begins when that run ends. The task reports only that there is work;
// PostgreSQL decides which job is next. After w.Turn the rest waits behind the other tasks of the
// queue.
func (w *worker) takeTurns(h *Handler, task jobs.Ticket) error {
	for end := time.Now().Add(w.Turn); ; {
		job, err := w.claimTurn()
		if err != nil {
			return err
		}
		if job == nil {
			ctx, cancel := w.claiming()
			defer cancel()
			w.missed(ctx, task)
			return nil
		}
		err = w.run(h, *job)
		w.endTurn(*job)
		if err == nil && !w.stops() && time.Now().Before(end) {
			continue
		}
		// Report a failure at once. Waiting jobs are left to another task or another
		// worker.
		w.Client.Offer(jobs.Ticket{ID: task.ID, Kind: task.Kind, Queue: w.Queue, After: job.Name()})
		if err != nil {
			err = fmt.Errorf("job %d: %w", job.ID, err)
		}
		return err
	}
}

// claimTurn claims the next job. It returns nil if no job may begin here.
func (w *worker) claimTurn() (*queue.Job, error) {
	asked := time.Now()
	t := &w.turns
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.inVain.After(asked) {
		return nil, nil // of many tasks at once, only a few query
	}
	began := time.Now()
	ctx, cancel := w.claiming()
	defer cancel()
	job, err := w.Store.ClaimTurn(ctx, w.Lease, t.last, w.full())
	switch {
	case job != nil:
		w.holding.add(began.Add(w.Lease), *job)
		t.runs[job.AccountID]++
		t.last = job.AccountID
	case err == nil:
		t.inVain = began
	}
	return job, err
}

// full returns the accounts that have half of the places, rounded up. The caller has locked
// turns.mu.
func (w *worker) full() []int64 {
	return slices.DeleteFunc(slices.Collect(maps.Keys(w.turns.runs)), func(account int64) bool {
		return w.turns.runs[account] < (w.Concurrency+1)/2
	})
}

func (w *worker) endTurn(job queue.Job) {
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
