// Package quota limits the share of one account in a resource that all accounts use, so that a busy
// account leaves room for others: places (Quota), and bytes in memory (Budget). It is apart because
// requests, connections and uploads are limited alike.
package quota

import (
	"context"
	"errors"
	"math"
	"sync"
)

// ErrFull is the error of Take for an account with too many requests that wait.
var ErrFull = errors.New("too many requests of the account wait for a place")

// Quota limits each account to the same number of places.
type Quota struct {
	size, queue int

	mu sync.Mutex
	of map[int64]*account // of the accounts that have places, or wait for one
}

type account struct {
	places chan struct{}
	users  int
}

// New returns a Quota of n places for each account, for which any number may wait.
func New(n int) *Quota { return NewQueued(n, math.MaxInt-n) }

// NewQueued returns a Quota of n places for each account. As many callers as the queue is long may
// wait for a place; the next one is refused.
func NewQueued(n, queue int) *Quota { return &Quota{size: n, queue: queue, of: map[int64]*account{}} }

// Take waits for a place of the account, in the order of arrival, and returns the function that gives it
// back. Its error is ErrFull, or that of ctx.
func (q *Quota) Take(ctx context.Context, id int64) (release func(), err error) {
	own := q.enter(id)
	if own == nil {
		return nil, ErrFull
	}
	select {
	case own.places <- struct{}{}:
		return func() {
			<-own.places
			q.exit(id, own)
		}, nil
	case <-ctx.Done():
		q.exit(id, own)
		return nil, ctx.Err()
	}
}

// enter returns the places of an account, which last until each of its users has called exit; nil if
// too many wait.
func (q *Quota) enter(id int64) *account {
	q.mu.Lock()
	defer q.mu.Unlock()
	own := q.of[id]
	if own == nil {
		own = &account{places: make(chan struct{}, q.size)}
		q.of[id] = own
	}
	if own.users >= q.size+q.queue {
		return nil
	}
	own.users++
	return own
}

func (q *Quota) exit(id int64, own *account) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(q.of, id)
	}
}
