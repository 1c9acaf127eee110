package serve

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// connections tracks the open connections of a server. http.Server.Shutdown drops requests of clients that are not
// late: the first request of a connection that was accepted before, and a request that arrives on an idle connection
// while Shutdown closes it.
type connections struct {
	mu     sync.Mutex
	states map[net.Conn]http.ConnState
}

// count is the ConnState of a server.
func (c *connections) count(conn net.Conn, s http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s == http.StateClosed || s == http.StateHijacked {
		delete(c.states, conn)
		return
	}
	if c.states == nil {
		c.states = map[net.Conn]http.ConnState{}
	}
	c.states[conn] = s
}

// linger waits until the clients have closed their connections, or for a quarter of a second. Meanwhile answers say
// Connection: close, so a proxy that reuses a connection gets its answer and then opens no request on it.
func (c *connections) linger(ctx context.Context) {
	c.wait(ctx, 250*time.Millisecond, func(http.ConnState) bool { return true })
}

// begin waits until the first request of every connection has been read, or for five seconds, as long as net/http
// waits: a browser opens connections without a request.
func (c *connections) begin(ctx context.Context) {
	c.wait(ctx, 5*time.Second, func(s http.ConnState) bool { return s == http.StateNew })
}

// wait waits until no connection has such a state. It looks twice, because net/http notes a new connection a moment
// after it was accepted, and begins with a request a moment after it was read.
func (c *connections) wait(ctx context.Context, most time.Duration, has func(http.ConnState) bool) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for none := 0; none < 2; {
		if none++; c.some(has) {
			none = 0
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (c *connections) some(has func(http.ConnState) bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.states {
		if has(s) {
			return true
		}
	}
	return false
}
