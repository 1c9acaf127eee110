// Package share limits the share of one account in a resource that all accounts use, so that a busy
// account leaves room for others: places (Places), and bytes in memory (Budget). It is apart because
// requests, connections and uploads are limited alike.
package share

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// ErrFull is the error of Take for an account with too many requests that wait.
var ErrFull = errors.New("too many requests of the account wait for a place")

// Places limits each account to the same number of places.
type Places struct {
	Waits *Waits // counts the waits for a place; may be nil

	size, queue int

	mu sync.Mutex
	of map[int64]*account // of the accounts that have places, or wait for one
}

// Waits counts the waits for a place that was not free at once. Several Places may have the same one.
type Waits struct{ count, nanoseconds atomic.Int64 }

// Read returns the number of waits that have ended, and how long they took together.
func (w *Waits) Read() (count int64, waited time.Duration) {
	return w.count.Load(), time.Duration(w.nanoseconds.Load())
}

func (w *Waits) add(waited time.Duration) {
	if w != nil {
		w.count.Add(1)
		w.nanoseconds.Add(int64(waited))
	}
}

type account struct {
	places  chan struct{}
	users   int
	counted int // of users, by Take
}

// NewPlaces returns n places for each account, for which any number of callers may wait.
func NewPlaces(n int) *Places { return NewQueued(n, math.MaxInt-n) }

// NewQueued returns n places for each account. As many callers as the queue is long may
// wait for a place; the next one is refused.
func NewQueued(n, queue int) *Places { return &Places{size: n, queue: queue, of: map[int64]*account{}} }

// Take waits for a place of the account, in the order of arrival, and returns the function that gives it
// back. Its error is ErrFull, or that of ctx, which does not matter if a place is free at once.
func (p *Places) Take(ctx context.Context, id int64) (release func(), err error) {
	return p.take(ctx, id, 1)
}

// TakeAgain is Take for a caller that had a place before. It never returns ErrFull, and does not count towards the
// queue of Take: the package that calls it limits how many wait.
func (p *Places) TakeAgain(ctx context.Context, id int64) (release func(), err error) {
	return p.take(ctx, id, 0)
}

func (p *Places) take(ctx context.Context, id int64, counts int) (release func(), err error) {
	own := p.enter(id, counts)
	if own == nil {
		return nil, ErrFull
	}
	release = func() {
		<-own.places
		p.exit(id, own, counts)
	}
	select {
	case own.places <- struct{}{}:
		return release, nil
	default: // all are taken
	}
	began := time.Now()
	defer func() { p.Waits.add(time.Since(began)) }()
	select {
	case own.places <- struct{}{}:
		return release, nil
	case <-ctx.Done():
		p.exit(id, own, counts)
		return nil, ctx.Err()
	}
}

// enter returns the places of an account, which last until each of its users has called exit. It returns nil if too
// many wait of the users that count.
func (p *Places) enter(id int64, counts int) *account {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := p.of[id]
	if own == nil {
		own = &account{places: make(chan struct{}, p.size)}
		p.of[id] = own
	}
	if counts > 0 && own.counted >= p.size+p.queue {
		return nil
	}
	own.users++
	own.counted += counts
	return own
}

func (p *Places) exit(id int64, own *account, counts int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	own.counted -= counts
	if own.users--; own.users == 0 {
		delete(p.of, id)
	}
}
