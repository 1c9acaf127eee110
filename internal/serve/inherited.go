package serve

import (
	"context"
	"fmt"
	"net"
	"sync"

	"github.com/coreos/go-systemd/v22/activation"
)

// inherited returns the sockets that systemd passed to the process, by their FileDescriptorName. They are taken from
// the environment once.
var inherited = sync.OnceValues(activation.ListenersWithNames)

// listen returns the socket that systemd listens on for l, or listens on the address of l. While the process is
// restarted, systemd keeps its socket open, and clients wait instead of being refused.
func listen(ctx context.Context, l Listener) (net.Listener, error) {
	sockets, err := inherited()
	if err != nil {
		return nil, fmt.Errorf("take over the sockets of systemd: %w", err)
	}
	if passed := sockets[l.Name]; len(passed) > 0 {
		return only(passed, l.Name)
	}
	socket, err := new(net.ListenConfig).Listen(ctx, "tcp", l.Addr)
	if err != nil {
		return nil, err
	}
	return &backlog{TCPListener: socket.(*net.TCPListener)}, nil
}

// isAt reports whether a socket listens at an address, which may have a name instead of an IP. All addresses of one
// version of IP count as all addresses of both.
func isAt(socket net.Addr, address string) bool {
	want, err := net.ResolveTCPAddr("tcp", address)
	is, ok := socket.(*net.TCPAddr)
	if err != nil || !ok {
		return false
	}
	all := func(ip net.IP) bool { return ip == nil || ip.IsUnspecified() }
	return is.Port == want.Port && (is.IP.Equal(want.IP) || all(is.IP) && all(want.IP))
}

// only returns the one socket that systemd passed for a listener, and refuses several. It is no backlog: clients that
// wait stay with systemd, for the next process.
func only(passed []net.Listener, name string) (net.Listener, error) {
	if len(passed) > 1 {
		return nil, fmt.Errorf("systemd passed %d sockets for %s, %s and %s among them, and one can be served: put an "+
			"empty ListenStream= before the one to keep", len(passed), name, passed[0].Addr(), passed[1].Addr())
	}
	return passed[0], nil
}
