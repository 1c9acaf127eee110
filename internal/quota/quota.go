// Package quota limits what one account has at once of something that all accounts use, so that a
// busy account leaves room for others. It is apart because connections and uploads are limited alike.
package quota

import (
	"context"
	"sync"
)

// Quota limits each account to the same number of places.
type Quota struct {
	size int

	mu sync.Mutex
	of map[int64]*account // of the accounts that have places, or wait for one
}

type account struct {
	places chan struct{}
	users  int
}

// New returns a Quota of n places for each account.
func New(n int) *Quota { return &Quota{size: n, of: map[int64]*account{}} }

// Take waits for a place of the account and returns the function that gives it back. Its error is
// that of ctx.
func (q *Quota) Take(ctx context.Context, id int64) (release func(), err error) {
	own := q.enter(id)
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

// enter returns the places of an account, which last until each of its users has called exit.
func (q *Quota) enter(id int64) *account {
	q.mu.Lock()
	defer q.mu.Unlock()
	own := q.of[id]
	if own == nil {
		own = &account{places: make(chan struct{}, q.size)}
		q.of[id] = own
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
