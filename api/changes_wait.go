package api

import (
	"context"
	"crypto/sha256"
	"sync"
	"time"

	"bordero/internal/messages"
	"bordero/internal/share"
)

const (
	maxWaitsOfToken   = 4
	maxWaitsOfAccount = maxWaits / 4
	maxWaits          = 1000
	// headsEvery is the interval at which waiting requests look for changes without a message:
	// Redis may lose it.
	headsEvery = time.Second
)

// feedWaits are the requests that wait for changes. A waiting request uses no connection to the
// database: one query a second looks for the changes of all, and a message through Redis wakes them
// earlier.
type feedWaits struct {
	heads func(context.Context, []int64) (map[int64]int64, error)
	wakes func(context.Context, func(account int64)) // may be nil
	tell  func()                                     // tells the sealer that a request waits; may be nil
	stop  <-chan struct{}                            // closed when the process stops

	begin      sync.Once
	mu         sync.Mutex
	told       time.Time // when the sealer was told
	waits      int
	tokens     map[[sha256.Size]byte]int
	ofAccounts share.Counter
	accounts   map[int64]*feedWait
}

// feedWait is the next change of an account.
type feedWait struct {
	account int64
	latest  int64 // the number of the account's last change; -1 while nothing waits
	came    chan struct{}
}

// enter takes a place for a request that may wait, and returns the function that gives the place
// back. With too many waiting requests of the token, of the account, or of the process, the error is a
// messages.Fault.
func (f *feedWaits) enter(token [sha256.Size]byte, account int64) (leave func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waits >= maxWaits || f.tokens[token] >= maxWaitsOfToken {
		return nil, messages.TooManyWaits
	}
	_, release := f.ofAccounts.Take(account, maxWaitsOfAccount)
	if release == nil {
		return nil, messages.TooManyWaits
	}
	if f.tokens == nil {
		f.tokens = map[[sha256.Size]byte]int{}
	}
	f.waits++
	f.tokens[token]++
	f.follow()
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		release()
		f.waits--
		if f.tokens[token]--; f.tokens[token] == 0 {
			delete(f.tokens, token)
		}
	}, nil
}

// follow tells the sealer that a request waits, at most twice a second. The caller has locked mu.
func (f *feedWaits) follow() {
	if now := time.Now(); f.tell != nil && now.Sub(f.told) >= headsEvery/2 {
		f.told = now
		f.tell()
	}
}

// of returns the next change of an account. Call it before reading the changes, so that no change
// is missed in between.
func (f *feedWaits) of(account int64) *feedWait {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := f.accounts[account]
	if w == nil {
		w = &feedWait{account: account, latest: -1, came: make(chan struct{})}
		if f.accounts == nil {
			f.accounts = map[int64]*feedWait{}
		}
		f.accounts[account] = w
	}
	return w
}

// wait waits for a change after the latest, and reports whether there is such a change. It returns
// false when ctx is done or the process stops.
func (f *feedWaits) wait(ctx context.Context, w *feedWait, latest int64) bool {
	f.begin.Do(func() {
		watching, cancel := context.WithCancel(context.Background())
		go func() { <-f.stop; cancel() }()
		go f.look(watching)
		if f.wakes != nil {
			go f.wakes(watching, f.woken)
		}
	})
	f.mu.Lock()
	if w.latest >= 0 && latest != w.latest { // one of two requests has seen more, or PostgreSQL has lost changes
		f.come(w)
		f.mu.Unlock()
		return true
	}
	w.latest = latest
	f.mu.Unlock()
	select {
	case <-w.came:
		return true
	case <-ctx.Done():
	case <-f.stop:
	}
	return false
}

// come wakes all requests that wait for w. The caller has locked mu.
func (f *feedWaits) come(w *feedWait) {
	if f.accounts[w.account] == w {
		delete(f.accounts, w.account)
		close(w.came)
	}
}

// woken wakes all requests that wait for changes of an account.
func (f *feedWaits) woken(account int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if w := f.accounts[account]; w != nil {
		f.come(w)
	}
}

// look looks for changes of the accounts with waiting requests, until ctx is done.
func (f *feedWaits) look(ctx context.Context) {
	ticks := time.NewTicker(headsEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
		f.lookOnce(ctx)
	}
}

func (f *feedWaits) lookOnce(ctx context.Context) {
	f.mu.Lock()
	var waiting []int64
	for account, w := range f.accounts {
		if w.latest >= 0 {
			waiting = append(waiting, account)
		}
	}
	if f.waits == 0 {
		clear(f.accounts) // of requests that have ended
	} else {
		f.follow()
	}
	f.mu.Unlock()
	if len(waiting) == 0 {
		return
	}
	heads, err := f.heads(ctx, waiting)
	if err != nil {
		return // the requests end by themselves
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for account, latest := range heads {
		if w := f.accounts[account]; w != nil && w.latest >= 0 && latest > w.latest {
			f.come(w)
		}
	}
}
