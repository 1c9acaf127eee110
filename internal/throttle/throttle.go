// Package throttle slows down guessing: of passwords of the monitor, and of tokens of the
// API. It also decides, in one place, which address a request comes from.
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

// Throttle allows each client a number of attempts at once, and then one more in each
// interval. It counts in memory: each process allows as much. An attempt never waits.
type Throttle struct {
	atOnce int
	every  time.Duration

	mu       sync.Mutex
	attempts map[netip.Prefix]*rate.Limiter

	turns, doubtful chan struct{} // a value for each place that is taken
}

// New returns a throttle.
func New(atOnce int, every time.Duration) *Throttle {
	return &Throttle{
		atOnce: atOnce, every: every, attempts: map[netip.Prefix]*rate.Limiter{},
		turns: make(chan struct{}, 4), doubtful: make(chan struct{}, 3),
	}
}

// maxClients is how many clients are remembered. A client with ten thousand addresses is not
// slowed by remembering more.
const maxClients = 10_000

// Attempt uses up an attempt of the client and reports whether there was one.
func (t *Throttle) Attempt(client netip.Addr) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	from := network(client)
	if t.attempts[from] == nil {
		if len(t.attempts) >= maxClients {
			clear(t.attempts)
		}
		t.attempts[from] = rate.NewLimiter(rate.Every(t.every), t.atOnce)
	}
	return t.attempts[from].Allow()
}

// Spent reports whether the client has no attempt left. It does not count as an attempt.
func (t *Throttle) Spent(client netip.Addr) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	limiter := t.attempts[network(client)]
	return limiter != nil && limiter.Tokens() < 1
}

// Wait returns the longest time until a client has an attempt again.
func (t *Throttle) Wait() time.Duration { return t.every }

// Turn runs do for a client that has no attempt left. All such clients share four places,
// first come first served; waiting ends with the context. Doubtful work gets at most three
// of the places, so that the rest does not wait behind it.
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

// take waits for a place; a channel serves its senders in order.
func take(ctx context.Context, places chan struct{}) error {
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// network returns the addresses of one client: an IPv4 address, or an IPv6 network.
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

// Client returns the address that a request comes from. That is the connection's, unless it
// is a trusted proxy's: then it is the last address in X-Forwarded-For that is not a
// trusted proxy's. Earlier ones may be forged.
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

// Disbelieved returns the connection's address, and reports whether Client ignores an
// X-Forwarded-For because that address is not a trusted proxy's.
func Disbelieved(r *http.Request, trusted []netip.Prefix) (from netip.Addr, is bool) {
	from = peer(r)
	return from, r.Header.Get("X-Forwarded-For") != "" && !within(trusted, from)
}

// peer returns the address of the connection.
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
