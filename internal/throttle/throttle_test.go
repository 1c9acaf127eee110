package throttle

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestThrottleForgetsAndIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limit := New(5, 10*time.Second)
		attempt := func(addr string) bool { return limit.Attempt(netip.MustParseAddr(addr)) }
		for range 5 {
			if limit.Spent(netip.MustParseAddr("2001:db8::1")) || !attempt("2001:db8::1") {
				t.Error("spent too early")
			}
		}
		if attempt("2001:db8::2") || !attempt("2001:db8:0:1::1") || !attempt("192.0.2.1") {
			t.Error("an IPv6 network is one person, an IPv4 address another")
		}
		if !limit.Spent(netip.MustParseAddr("2001:db8::2")) || limit.Spent(netip.MustParseAddr("192.0.2.1")) ||
			limit.Spent(netip.MustParseAddr("192.0.2.9")) {
			t.Error("what is spent is not told")
		}
		time.Sleep(10 * time.Second) // on the test's clock
		if !attempt("2001:db8::1") || attempt("2001:db8::1") {
			t.Error("one more in ten seconds")
		}
		addr := netip.MustParseAddr("10.0.0.0")
		for range 2 * maxClients {
			addr = addr.Next()
			limit.Attempt(addr)
		}
		if len(limit.attempts) > maxClients {
			t.Errorf("%d addresses are kept", len(limit.attempts))
		}
	})
}

func TestTurnsAreFour(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limit, release := New(5, time.Second), make(chan struct{})
		var guesses, known atomic.Int32
		begin := func(doubtful bool, running *atomic.Int32) {
			go limit.Turn(t.Context(), doubtful, func() error {
				running.Add(1)
				<-release
				return nil
			})
			synctest.Wait()
		}
		for range 10 {
			begin(true, &guesses)
		}
		if guesses.Load() != 3 {
			t.Errorf("%d guesses at once", guesses.Load())
		}
		for range 2 {
			begin(false, &known)
		}
		if known.Load() != 1 {
			t.Errorf("%d behind guesses at once", known.Load())
		}
		// The next place goes to the call that has waited longest.
		release <- struct{}{}
		synctest.Wait()
		if guesses.Load()+known.Load() != 5 || known.Load() != 2 {
			t.Errorf("%d and %d after one has ended", guesses.Load(), known.Load())
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		for _, doubtful := range []bool{true, false} {
			if err := limit.Turn(over, doubtful, func() error { return nil }); !errors.Is(err, context.Canceled) {
				t.Errorf("waits beyond its context: %v", err)
			}
		}
		close(release)
		synctest.Wait()
		if guesses.Load() != 10 {
			t.Errorf("%d guesses came to their turn", guesses.Load())
		}
	})
}

func TestClient(t *testing.T) {
	t.Parallel()
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, c := range []struct {
		name, remote string
		forwarded    []string
		trusted      []netip.Prefix
		want         string
	}{
		{"no proxy is trusted", "10.0.0.1:5", []string{"192.0.2.7"}, nil, "10.0.0.1"},
		{"a stranger who forwards", "203.0.113.9:5", []string{"192.0.2.7"}, trusted, "203.0.113.9"},
		{"a proxy", "10.0.0.1:5", []string{"192.0.2.7"}, trusted, "192.0.2.7"},
		{"two proxies", "10.0.0.1:5", []string{"192.0.2.7, 10.0.0.2"}, trusted, "192.0.2.7"},
		{"what the client made up", "10.0.0.1:5", []string{"1.2.3.4", "192.0.2.7,10.0.0.2"}, trusted, "192.0.2.7"},
		{"an IPv6 proxy", "[fd00::1]:5", []string{"2001:db8::9"}, trusted, "2001:db8::9"},
		{"mapped", "[::ffff:10.0.0.1]:5", []string{"::ffff:192.0.2.7"}, trusted, "192.0.2.7"},
		{"no header", "10.0.0.1:5", nil, trusted, "10.0.0.1"},
		{"nonsense", "10.0.0.1:5", []string{"unknown"}, trusted, "10.0.0.1"},
		{"proxies alone", "10.0.0.1:5", []string{"10.0.0.3"}, trusted, "10.0.0.3"},
	} {
		r := &http.Request{RemoteAddr: c.remote, Header: http.Header{"X-Forwarded-For": c.forwarded}}
		if got := Client(r, c.trusted); got.String() != c.want {
			t.Errorf("%s: %v, not %s", c.name, got, c.want)
		}
	}
}
