package db

import (
	"cmp"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// limitUnacknowledged sets the limit of data that was sent and not acknowledged. Keepalive probes
// do not run beside such data.
func limitUnacknowledged(network, _ string, raw syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	var set error
	err := raw.Control(func(fd uintptr) {
		set = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(deadAfter.Milliseconds()))
	})
	return cmp.Or(err, set)
}
