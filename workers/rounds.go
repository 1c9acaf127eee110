package workers

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"bordero/storage/deliveries"
)

const (
	mostTurns = 64               // runs that share a round at most
	roundTime = 15 * time.Second // limits a round on a connection that was cut silently
)

// rounds commits the turns of many runs of a process in one transaction. While it is in
// progress, new turns wait and share the next. So the cost of a transaction falls with the
// load, as in a group commit.
type rounds struct {
	take func(context.Context, []*deliveries.Turn) error // commits a round

	mu      sync.Mutex
	waiting []*queuedTurn
	busy    bool // a round is in progress
}

type queuedTurn struct {
	*deliveries.Turn
	ended chan error
}

// await adds a turn and returns when its round has ended. turn.Taken reports whether the round
// committed it. An error is that of ctx, or of a round of this turn alone.
func (r *rounds) await(ctx context.Context, turn *deliveries.Turn) error {
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
		r.withdraw(q)
		return ctx.Err()
	}
}

// withdraw removes the turn of a run that has ended, unless its round is in progress.
func (r *rounds) withdraw(q *queuedTurn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = slices.DeleteFunc(slices.Clone(r.waiting), func(w *queuedTurn) bool { return w == q })
}

// serve commits rounds until no turn waits.
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

// serveOne commits a round. If that fails, each turn gets a round of its own at once: a turn that cannot be
// committed harms no other, and a server that does not answer delays all of them by roundTime, not each by the
// turns before it.
func (r *rounds) serveOne(ctx context.Context, round []*queuedTurn) {
	turns := make([]*deliveries.Turn, len(round))
	for i, q := range round {
		turns[i] = q.Turn
	}
	err := r.commit(ctx, turns)
	var alone sync.WaitGroup
	for i, q := range round {
		if err != nil && len(round) > 1 {
			alone.Go(func() { q.ended <- r.commit(ctx, turns[i:i+1]) })
		} else {
			q.ended <- err
		}
	}
	alone.Wait()
}

// commit returns a panic as an error.
func (r *rounds) commit(ctx context.Context, turns []*deliveries.Turn) (err error) {
	ctx, cancel := context.WithTimeout(ctx, roundTime)
	defer cancel()
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("panic: %v", x)
		}
	}()
	return r.take(ctx, turns)
}
