package db

import (
	"context"
	"net"
	"time"
)

// deadAfter is how long a server may leave data or probes unanswered until its connection fails.
// A machine that has lost its power or its network answers nothing, and the end of a context does
// not end a read of lib/pq: without a limit, the kernel waits for some 15 minutes.
const deadAfter = 10 * time.Second

// dialer dials as lib/pq asks. A server that works on a long statement answers the probes.
type dialer struct{ *net.Dialer }

func newDialer() dialer {
	return dialer{&net.Dialer{
		Timeout:         deadAfter,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: deadAfter / 2, Interval: deadAfter / 4, Count: 2},
		Control:         limitUnacknowledged,
	}}
}

func (d dialer) DialTimeout(network, address string, timeout time.Duration) (net.Conn, error) {
	limited := *d.Dialer
	limited.Timeout = timeout
	return limited.Dial(network, address)
}

type sessionKey struct{}

// DialContext returns the stallConn of ctx, connected, if ctx has one: lib/pq, which tries one host
// after another, does not show its connections.
func (d dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := d.Dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	session, ok := ctx.Value(sessionKey{}).(*stallConn)
	if !ok {
		return c, nil // it only cancels a statement
	}
	session.Conn = c
	return session, nil
}
