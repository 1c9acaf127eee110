package scheduler

import (
	"context"
	"log/slog"
	"time"

	"bordero/jobs"
	"bordero/storage"
)

const (
	tick = 500 * time.Millisecond
	page = 1000 // jobs read at a time
)

// relay offers the free jobs of one queue to Redis: what pushers dropped, what
// falls due later, what dead workers held, and all that a flush threw away. Any
// number of relays may run on a queue: an offer repeated is one task.
type relay struct {
	store  *storage.Store
	client *jobs.Client
	queue  string
	epoch  string
	lapsed round
	due    round
}

// round goes through the free jobs in the order of one index, again and again.
type round struct {
	every time.Duration // from one beginning to the next
	began time.Time
	mark  storage.Mark
	// again until the round has caught up with the present: these jobs were offered
	// before, so that a task that does not wait has lost its worker.
	again bool
	list  func(storage.Queries, context.Context, string, storage.Mark, int) ([]storage.Waiting, error)
}

func newRelay(store *storage.Store, client *jobs.Client, queue string, lap time.Duration) *relay {
	return &relay{
		store: store, client: client, queue: queue,
		// Few leases lapse, and behind each is work that somebody waits for.
		lapsed: round{every: min(lap, 2*time.Second), list: storage.Queries.Lapsed},
		due:    round{every: lap, list: storage.Queries.Due},
	}
}

// run relays until ctx is done.
func (r *relay) run(ctx context.Context, log *slog.Logger) {
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	down := false
	for {
		err := r.tick(ctx)
		if err != nil {
			r.begin() // what was offered may be lost
		}
		// Once an outage, and once at its end.
		if err != nil && !down && ctx.Err() == nil {
			log.Error("relay fails", "queue", r.queue, "error", err)
		} else if err == nil && down {
			log.Info("relay works again", "queue", r.queue)
		}
		down = err != nil
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// begin has both rounds begin again.
func (r *relay) begin() { r.lapsed.begin(); r.due.begin() }

func (d *round) begin() { d.began, d.mark, d.again = time.Now(), storage.Mark{}, true }

// tick offers what has become free since the last one.
func (r *relay) tick(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for _, round := range []*round{&r.lapsed, &r.due} {
		if time.Since(round.began) >= round.every {
			round.begin()
		}
		for range 2 * jobs.Window / page { // past what waits already, and then as much again
			more, err := r.advance(ctx, round)
			if err != nil {
				return err
			}
			if !more {
				break
			}
		}
	}
	return nil
}

// advance offers a page of a round, as far as there is room, and tells whether
// more may be offered. It looks at the room each time: other relays take of it.
func (r *relay) advance(ctx context.Context, d *round) (more bool, err error) {
	look, err := r.client.Look(ctx, r.queue)
	if err != nil {
		return false, err
	}
	if look.Epoch != r.epoch {
		r.epoch = look.Epoch
		r.begin()
	}
	if look.Room == 0 {
		return false, nil
	}
	waiting, err := d.list(r.store.Queries, ctx, r.queue, d.mark, page)
	if err != nil {
		return false, err
	}
	tickets := make([]jobs.Ticket, len(waiting))
	for i, w := range waiting {
		tickets[i] = w.Ticket
	}
	through, _, err := r.client.Relay(ctx, tickets, look.Room, d.again)
	if err != nil {
		return false, err
	}
	if through > 0 {
		d.mark = waiting[through-1].Mark()
	}
	if len(waiting) < page && through == len(waiting) {
		d.again = false // it has caught up
	}
	return len(waiting) == page, nil
}
