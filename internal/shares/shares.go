// Package shares limits what one account has at once of something that all accounts use, so that a
// busy account leaves room for others. It is apart because connections and uploads are limited alike.
package shares

import (
	"context"
	"sync"
)

// Shares limits each account to the same number of places.
type Shares struct {
	size int

	mu sync.Mutex
	of map[int64]*share // of the accounts that have places, or wait for one
}

type share struct {
	places chan struct{}
	users  int
}

// New returns Shares of n places for each account.
func New(n int) *Shares { return &Shares{size: n, of: map[int64]*share{}} }

// Take waits for a place of the account and returns the function that gives it back. Its error is
// that of ctx.
func (s *Shares) Take(ctx context.Context, account int64) (release func(), err error) {
	own := s.enter(account)
	select {
	case own.places <- struct{}{}:
		return func() {
			<-own.places
			s.exit(account, own)
		}, nil
	case <-ctx.Done():
		s.exit(account, own)
		return nil, ctx.Err()
	}
}

// enter returns the share of an account, which lasts until each of its users has called exit.
func (s *Shares) enter(account int64) *share {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.of[account]
	if own == nil {
		own = &share{places: make(chan struct{}, s.size)}
		s.of[account] = own
	}
	own.users++
	return own
}

func (s *Shares) exit(account int64, own *share) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(s.of, account)
	}
}
