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

	"golang.org/x/sync/errgroup"
)

const (
	// longestRest is the longest time between two ticks. It bounds how late the relay offers a job
	// that no pusher offered, and how late the relay detects a flush.
	longestRest = time.Second
	pageSize    = 1000 // jobs read at a time
)

// relay offers the free jobs of all queues to Redis: jobs that pushers dropped, that fall due later,
// that dead workers had claimed, and that a flush removed. Any number of relays may run: repeated
// offers make one task.
//
// The relay looks at all queues at once, and rests until the next job falls due: an idle service
// pays for each look, not for each queue.
type relay struct {
	store  *storage.Store
	client *broker.Client
	lap    time.Duration
	names  []string // of the queues
	queues []*relayed
}

// relayed is a queue of a relay.
//
// The relay reads the free jobs of a queue in the order in which they fall due. After each lap it
// begins again with the oldest job, because a job with a lapsed lease is behind the position of the
// lap.
//
// Imports take turns: the relay offers the next imports of each account, a few at a time, however
// many other imports wait. An import that finds the workers full is offered again in the next lap.
type relayed struct {
	*relay
	queue string
	epoch string
	began time.Time
	mark  queue.Cursor // the position of this lap
	turn  int64        // the account whose import was offered last
	// again is set until the lap has caught up with the present. Until then the jobs of the lap have
	// been offered before, so a task that does not wait has lost its worker.
	again bool
}

func newRelay(store *storage.Store, client *broker.Client, lap time.Duration, queues ...string) *relay {
	r := &relay{store: store, client: client, lap: lap, names: queues}
	for _, name := range queues {
		r.queues = append(r.queues, &relayed{relay: r, queue: name})
	}
	return r
}

// run relays until ctx is done.
func (r *relay) run(ctx context.Context, log *slog.Logger) {
	down := false
	for ctx.Err() == nil {
		rest, err := r.tick(ctx)
		if err != nil {
			for _, q := range r.queues {
				q.begin() // offered tasks may be lost
			}
		}
		// Log once when an outage begins, and once when it ends.
		if err != nil && !down && ctx.Err() == nil {
			log.Error("relay failed, will retry", "error", err)
		} else if err == nil && down {
			log.Info("relay recovered")
		}
		down = err != nil
		wait(ctx, rest)
	}
}

// tick offers the jobs that have become free since the last tick. It returns the time until the
// next tick.
func (r *relay) tick(ctx context.Context) (rest time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	windows, err := r.client.Look(ctx, r.names...)
	if err != nil {
		return longestRest, err
	}
	marks := make([]queue.Cursor, len(r.queues))
	for i, q := range r.queues {
		if q.seen(windows[i]); time.Since(q.began) >= r.lap {
			q.begin()
		}
		marks[i] = q.mark
	}
	began := time.Now()
	due, err := r.store.Due(ctx, r.names, marks, longestRest)
	if err != nil {
		return longestRest, err
	}
	next := began.Add(longestRest)
	var offers errgroup.Group
	for i, q := range r.queues {
		if d := began.Add(due[i].Rest); d.Before(next) {
			next = d
		}
		if due[i].Free {
			offers.Go(func() error { return q.offer(ctx, windows[i].Free) })
		} else {
			q.again = false
		}
	}
	if err := offers.Wait(); err != nil {
		return longestRest, err
	}
	return time.Until(next), nil
}

// begin begins a lap.
func (q *relayed) begin() { q.began, q.mark, q.again = time.Now(), queue.Cursor{}, true }

// seen begins a lap after a loss of all tasks.
func (q *relayed) seen(w broker.QueueWindow) {
	if w.Epoch != q.epoch {
		q.epoch = w.Epoch
		q.begin()
	}
}

// offer offers free jobs while the window of the queue has room; other relays fill the window too.
func (q *relayed) offer(ctx context.Context, room int) error {
	// The pages of one window may all wait in Redis already; the pages of another may be offered.
	for pages := 0; room > 0 && pages < 2*broker.Window/pageSize; pages++ {
		more, err := q.advance(ctx, room)
		if err != nil || !more {
			return err
		}
		windows, err := q.client.Look(ctx, q.queue)
		if err != nil {
			return err
		}
		q.seen(windows[0])
		room = windows[0].Free
	}
	return nil
}

// advance offers a page of jobs, as far as there is room, and reports whether there may be another page.
func (q *relayed) advance(ctx context.Context, room int) (more bool, err error) {
	free, err := q.free(ctx)
	if err != nil {
		return false, err
	}
	tickets := make([]jobs.Ticket, len(free))
	for i, w := range free {
		tickets[i] = w.Ticket
	}
	through, _, err := q.client.Relay(ctx, tickets, room, q.again)
	if err != nil {
		return false, err
	}
	if through > 0 {
		for _, w := range free[:through] {
			q.turn = cmp.Or(w.AccountID, q.turn) // the account of the last import
		}
		furthest := slices.MaxFunc(free[:through], func(a, b queue.Waiting) int {
			return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
		})
		q.mark = furthest.Cursor()
	}
	if len(free) < pageSize && through == len(free) {
		q.again = false // the lap has caught up
	}
	return len(free) == pageSize, nil
}

// free reads the next page of the lap's jobs.
func (q *relayed) free(ctx context.Context) ([]queue.Waiting, error) {
	if q.queue == jobs.ImportStatementKind.Queue {
		return q.store.FreeInTurn(ctx, q.mark, q.turn, pageSize)
	}
	return q.store.Free(ctx, q.queue, q.mark, pageSize)
}
