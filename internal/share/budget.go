package share

import (
	"context"
	"errors"
	"sync"
)

// ErrTooLarge means that a request would hold more than an account may hold, even alone. ErrNoRoom
// means that other requests hold the rest: the same request may succeed later.
var (
	ErrTooLarge = errors.New("the request needs more memory than one account may hold")
	ErrNoRoom   = errors.New("other requests hold the memory")
)

// Budget limits how many bytes requests hold in memory: in all accounts together, and in each
// account, of ordinary and of urgent requests apart. Nothing waits for it: a slow client may hold
// its bytes for minutes.
type Budget struct {
	all, each int64

	mu   sync.Mutex
	held int64
	of   map[share]int64 // has no share that holds nothing
}

// share is the part of a Budget for the ordinary or the urgent requests of an account.
type share struct {
	account int64
	urgent  bool
}

// NewBudget returns a Budget of all bytes, and of each for the ordinary or the urgent requests of one account.
func NewBudget(all, each int64) *Budget {
	return &Budget{all: all, each: min(each, all), of: map[share]int64{}}
}

// Held returns how many bytes are held, now.
func (b *Budget) Held() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held
}

// Holding is the number of bytes that one request holds of a Budget. Several goroutines may use it.
// A nil Holding has no limit.
type Holding struct {
	budget *Budget
	share  share
	held   int64 // as spare; guarded by the mutex of the budget
	spare  int64 // held, but not used yet
}

// Hold returns an empty Holding of an account, which calls Keep(0) in the end. That of a nil Budget is nil.
func (b *Budget) Hold(account int64) *Holding { return b.hold(share{account, false}) }

// HoldUrgent is Hold for an urgent request, for which other requests of the account leave room.
func (b *Budget) HoldUrgent(account int64) *Holding { return b.hold(share{account, true}) }

func (b *Budget) hold(s share) *Holding {
	if b == nil {
		return nil
	}
	return &Holding{budget: b, share: s}
}

// Each returns how many bytes the ordinary requests of one account may hold.
func (b *Budget) Each() int64 { return b.each }

// Take holds n more bytes, spare ones first. Its error is ErrTooLarge or ErrNoRoom; the Holding is
// then unchanged.
func (h *Holding) Take(n int64) error {
	if h == nil {
		return nil
	}
	h.budget.mu.Lock()
	defer h.budget.mu.Unlock()
	return h.take(n)
}

func (h *Holding) take(n int64) error {
	used := min(n, h.spare)
	switch more := n - used; {
	case h.held+more > h.budget.each:
		return ErrTooLarge
	case h.budget.of[h.share]+more > h.budget.each, h.budget.held+more > h.budget.all:
		return ErrNoRoom
	default:
		h.add(more)
	}
	h.spare -= used
	return nil
}

// Reserve makes at least n bytes spare, as an estimate of later calls of Take.
func (h *Holding) Reserve(n int64) error {
	if h == nil {
		return nil
	}
	h.budget.mu.Lock()
	defer h.budget.mu.Unlock()
	before := h.spare
	if n <= before {
		return nil
	}
	if err := h.take(n); err != nil { // uses the spare bytes
		return err
	}
	h.spare = n
	return nil
}

// Reuse makes all bytes spare, for rows that are dropped one by one as they are written.
func (h *Holding) Reuse() {
	if h != nil {
		h.budget.mu.Lock()
		defer h.budget.mu.Unlock()
		h.spare = h.held
	}
}

// Keep frees all but n bytes. The rest is not spare.
func (h *Holding) Keep(n int64) {
	if h != nil {
		h.budget.mu.Lock()
		defer h.budget.mu.Unlock()
		h.add(min(n, h.held) - h.held)
		h.spare = 0
	}
}

// add changes the number of held bytes. The caller has locked the mutex of the budget.
func (h *Holding) add(n int64) {
	h.held += n
	b := h.budget
	b.held += n
	if b.of[h.share] += n; b.of[h.share] == 0 {
		delete(b.of, h.share)
	}
}

type holdingKey struct{}

// WithHolding returns a context in which statements count the rows that they read.
func WithHolding(ctx context.Context, h *Holding) context.Context {
	return context.WithValue(ctx, holdingKey{}, h)
}

// HoldingOf returns the Holding of a context, or nil.
func HoldingOf(ctx context.Context) *Holding {
	h, _ := ctx.Value(holdingKey{}).(*Holding)
	return h
}
