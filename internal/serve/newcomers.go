package serve

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// newcomers counts the connections whose first request has not been read. After the begin of Shutdown, net/http closes
// them when it has read the request, without an answer, although the client was not late.
type newcomers struct {
	mu    sync.Mutex
	conns map[net.Conn]bool
}

// count is the ConnState of a server.
func (n *newcomers) count(c net.Conn, s http.ConnState) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if s != http.StateNew {
		delete(n.conns, c)
		return
	}
	if n.conns == nil {
		n.conns = map[net.Conn]bool{}
	}
	n.conns[c] = true
}

// wait waits until the first request of every connection has been read, or for five seconds, as long as net/http waits:
// a browser opens connections without a request. It looks twice, because net/http notes a new connection a moment after
// it was accepted, and begins with a request a moment after it was read.
func (n *newcomers) wait(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for none := 0; none < 2; {
		if none++; n.some() {
			none = 0
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (n *newcomers) some() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.conns) > 0
}
