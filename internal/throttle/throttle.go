// Package throttle slows down those who guess: passwords of the monitor, tokens of
// the API. It is apart because both listeners have it, and because who asks is
// decided in one place.
package throttle

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Throttle allows each client so many attempts at once, and then one more in each
// interval. It is of one process and in memory: several processes allow as much
// each, and an attempt never waits for anything.
type Throttle struct {
	atOnce int
	every  time.Duration

	mu       sync.Mutex
	attempts map[netip.Prefix]*rate.Limiter

	turns, doubtful chan struct{} // those that are taken
}

// New makes a throttle.
func New(atOnce int, every time.Duration) *Throttle {
	return &Throttle{
		atOnce: atOnce, every: every, attempts: map[netip.Prefix]*rate.Limiter{},
		turns: make(chan struct{}, 4), doubtful: make(chan struct{}, 3),
	}
}

// kept is how many clients are remembered. Who has ten thousand addresses to guess
// from is not slowed by remembering them.
const kept = 10_000

// Attempt takes an attempt of the client's, if there is one left.
func (t *Throttle) Attempt(client netip.Addr) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	from := network(client)
	if t.attempts[from] == nil {
		if len(t.attempts) >= kept {
			clear(t.attempts)
		}
		t.attempts[from] = rate.NewLimiter(rate.Every(t.every), t.atOnce)
	}
	return t.attempts[from].Allow()
}

// Spent tells whether the client has no attempt left, and takes none.
func (t *Throttle) Spent(client netip.Addr) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	limiter := t.attempts[network(client)]
	return limiter != nil && limiter.Tokens() < 1
}

// Wait is after how long at most a client has an attempt again.
func (t *Throttle) Wait() time.Duration { return t.every }

// Turn does something for a client that has no attempt left: for all of them four things
// at a time, first come first served, until the context ends. What is doubtful has three
// of these turns at most, so that the rest does not wait behind it.
func (t *Throttle) Turn(ctx context.Context, doubtful bool, do func() error) error {
	if doubtful {
		if err := take(ctx, t.doubtful); err != nil {
			return err
		}
		defer func() { <-t.doubtful }()
	}
	if err := take(ctx, t.turns); err != nil {
		return err
	}
	defer func() { <-t.turns }()
	return do()
}

// take waits for a place; a channel serves those who wait in their order.
func take(ctx context.Context, places chan struct{}) error {
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// network is what one person may have: an IPv4 address, or an IPv6 network.
func network(addr netip.Addr) netip.Prefix {
	if !addr.IsValid() {
		return netip.Prefix{}
	}
	bits := 32
	if addr.Is6() {
		bits = 64
	}
	return netip.PrefixFrom(addr, bits).Masked()
}

// Client is the address that a request comes from: the one of the connection,
// unless that is a trusted proxy's. Then it is the last one in X-Forwarded-For that
// is no trusted proxy's: what stands before it, anybody may have written.
func Client(r *http.Request, trusted []netip.Prefix) netip.Addr {
	client := peer(r)
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !within(trusted, client) {
			return client
		}
		before, err := parse(strings.TrimSpace(hop))
		if err != nil {
			return client
		}
		client = before
	}
	return client
}

// Disbelieved is the address of the connection if the request has an X-Forwarded-For
// that Client ignores, because that address is no trusted proxy's.
func Disbelieved(r *http.Request, trusted []netip.Prefix) (from netip.Addr, is bool) {
	from = peer(r)
	return from, r.Header.Get("X-Forwarded-For") != "" && !within(trusted, from)
}

// peer is the address of the connection.
func peer(r *http.Request) netip.Addr {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	addr, _ := parse(host)
	return addr
}

func within(networks []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(addr) })
}

func parse(text string) (netip.Addr, error) {
	addr, err := netip.ParseAddr(text)
	return addr.Unmap().WithZone(""), err
}
