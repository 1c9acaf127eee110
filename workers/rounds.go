package workers

import (
	"context"
	"sync"
	"time"

	"bordero/finance"
	"bordero/storage"
)

const (
	mostTurns = 64               // runs that share a round
	roundTime = 15 * time.Second // bounds a round whose connection was cut without a word
)

// rounds commits the turns of the runs of a process together: while one transaction is
// on its way, the turns that come wait, and share the next. So the cost of a
// transaction falls with the load, as it does in a group commit.
type rounds struct {
	store   *storage.Store
	limit   int // deliveries of a webhook that are opened at once
	prepare func(*finance.Webhook, *storage.Delivery)

	mu      sync.Mutex
	waiting []*queuedTurn
	busy    bool // a round is on its way
}

type queuedTurn struct {
	*storage.DeliveryTurn
	ended chan error
}

// take takes a turn and returns when its round has ended. The turn says whether it was
// taken.
func (r *rounds) take(ctx context.Context, turn *storage.DeliveryTurn) error {
	q := &queuedTurn{turn, make(chan error, 1)}
	r.mu.Lock()
	r.waiting = append(r.waiting, q)
	if !r.busy {
		r.busy = true
		go r.serve(context.WithoutCancel(ctx))
	}
	r.mu.Unlock()
	select {
	case err := <-q.ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// serve makes rounds until no turn waits.
func (r *rounds) serve(ctx context.Context) {
	for {
		r.mu.Lock()
		n := min(len(r.waiting), mostTurns)
		round := r.waiting[:n:n]
		r.waiting = r.waiting[n:]
		r.busy = n > 0
		r.mu.Unlock()
		if n == 0 {
			return
		}
		r.serveOne(ctx, round)
	}
}

func (r *rounds) serveOne(ctx context.Context, round []*queuedTurn) {
	turns := make([]*storage.DeliveryTurn, len(round))
	for i, q := range round {
		turns[i] = q.DeliveryTurn
	}
	ctx, cancel := context.WithTimeout(ctx, roundTime)
	defer cancel()
	err := r.store.DeliveryRound(ctx, turns, r.limit, r.prepare)
	if len(round) > 1 {
		err = nil // no turn was taken: each run tries it alone
	}
	for _, q := range round {
		q.ended <- err
	}
}
