package scheduler

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"bordero/jobs"
	"bordero/jobs/broker"
	"bordero/storage"
	"bordero/storage/queue"
)

const (
	// longestRest is the longest time between two ticks. It bounds how late the relay offers a job
	// that no pusher offered, and how late the relay detects a flush.
	longestRest = time.Second
	pageSize    = 1000 // jobs read at a time
)

// relay offers the free jobs of one queue to Redis: jobs that pushers dropped, that fall due
// later, that dead workers had claimed, and that a flush removed. Any number of relays may run on a
// queue: repeated offers make one task.
//
// The relay reads free jobs in the order in which they fall due, and rests until the next job falls
// due. After each lap it begins again with the oldest job, because a job with a lapsed lease is
// behind the position of the lap.
//
// Imports take turns: the relay offers the next imports of each account, a few at a time, however
// many other imports wait. An import that finds the workers full is offered again in the next lap.
type relay struct {
	store  *storage.Store
	client *broker.Client
	queue  string
	epoch  string
	lap    time.Duration
	began  time.Time
	mark   queue.Cursor // the position of this lap
	turn   int64        // the account whose import was offered last
	// again is set until the lap has caught up with the present. Until then the jobs of the lap have
	// been offered before, so a task that does not wait has lost its worker.
	again bool
}

func newRelay(store *storage.Store, client *broker.Client, queue string, lap time.Duration) *relay {
	return &relay{store: store, client: client, queue: queue, lap: lap}
}

// run relays until ctx is done.
func (r *relay) run(ctx context.Context, log *slog.Logger) {
	down := false
	for ctx.Err() == nil {
		rest, err := r.tick(ctx)
		if err != nil {
			r.begin() // offered tasks may be lost
		}
		// Log once when an outage begins, and once when it ends.
		if err != nil && !down && ctx.Err() == nil {
			log.Error("relay failed, will retry", "queue", r.queue, "error", err)
		} else if err == nil && down {
			log.Info("relay recovered", "queue", r.queue)
		}
		down = err != nil
		wait(ctx, rest)
	}
}

// begin begins a lap.
func (r *relay) begin() { r.began, r.mark, r.again = time.Now(), queue.Cursor{}, true }

// tick offers the jobs that have become free since the last tick. It returns the time until the
// next tick.
func (r *relay) tick(ctx context.Context) (rest time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if time.Since(r.began) >= r.lap {
		r.begin()
	}
	room, err := r.look(ctx)
	if err != nil {
		return longestRest, err
	}
	began := time.Now()
	due, err := r.store.Due(ctx, r.queue, r.mark, longestRest)
	if err != nil {
		return longestRest, err
	}
	if !due.Free {
		r.again = false
		return due.Rest, nil
	}
	// The pages of one window may all wait in Redis already; the pages of another may be offered.
	for pages := 0; room > 0 && pages < 2*broker.Window/pageSize; pages++ {
		more, err := r.advance(ctx, room)
		if err != nil {
			return longestRest, err
		}
		if !more {
			break
		}
		if room, err = r.look(ctx); err != nil {
			return longestRest, err
		}
	}
	return due.Rest - time.Since(began), nil
}

// look returns the number of tasks that the window still takes; other relays fill the window too. It
// begins a lap after a loss of all tasks.
func (r *relay) look(ctx context.Context) (room int, err error) {
	look, err := r.client.Look(ctx, r.queue)
	if err != nil {
		return 0, err
	}
	if look.Epoch != r.epoch {
		r.epoch = look.Epoch
		r.begin()
	}
	return look.Free, nil
}

// advance offers a page of jobs, as far as there is room, and reports whether there may be another page.
func (r *relay) advance(ctx context.Context, room int) (more bool, err error) {
	free, err := r.free(ctx)
	if err != nil {
		return false, err
	}
	tickets := make([]jobs.Ticket, len(free))
	for i, w := range free {
		tickets[i] = w.Ticket
	}
	through, _, err := r.client.Relay(ctx, tickets, room, r.again)
	if err != nil {
		return false, err
	}
	if through > 0 {
		for _, w := range free[:through] {
			r.turn = cmp.Or(w.AccountID, r.turn) // the account of the last import
		}
		furthest := slices.MaxFunc(free[:through], func(a, b queue.Waiting) int {
			return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
		})
		r.mark = furthest.Cursor()
	}
	if len(free) < pageSize && through == len(free) {
		r.again = false // the lap has caught up
	}
	return len(free) == pageSize, nil
}

// free reads the next page of the lap's jobs.
func (r *relay) free(ctx context.Context) ([]queue.Waiting, error) {
	if r.queue == jobs.ImportStatementKind.Queue {
		return r.store.FreeInTurn(ctx, r.mark, r.turn, pageSize)
	}
	return r.store.Free(ctx, r.queue, r.mark, pageSize)
}
