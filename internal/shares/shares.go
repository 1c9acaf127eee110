package blobs

import (
	"context"
	"sync"
)

// places limits what runs at once. An account has at most half of them: while its uploads are slow,
// there is room for others.
type places struct {
	all chan struct{}

	mu sync.Mutex
	of map[int64]*share // of the accounts that have places, or wait
}

type share struct {
	places chan struct{}
	users  int
}

func newPlaces(n int) *places {
	return &places{all: make(chan struct{}, n), of: map[int64]*share{}}
}

// take waits for a place and returns the function that gives it back.
func (p *places) take(ctx context.Context, account int64) (leave func(), err error) {
	own := p.enter(account)
	taken := 0
	leave = func() {
		for _, from := range []chan struct{}{own.places, p.all}[:taken] {
			<-from
		}
		p.exit(account, own)
	}
	for _, from := range []chan struct{}{own.places, p.all} {
		select {
		case from <- struct{}{}:
			taken++
		case <-ctx.Done():
			leave()
			return nil, ctx.Err()
		}
	}
	return leave, nil
}

// enter returns the share of an account, which lasts until each of its uploads has called exit.
func (p *places) enter(account int64) *share {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.of[account]
	if own == nil {
		own = &share{places: make(chan struct{}, cap(p.all)/2)}
		p.of[account] = own
	}
	own.users++
	return own
}

func (p *places) exit(account int64, own *share) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(p.of, account)
	}
}
