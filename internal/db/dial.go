package db

import (
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
