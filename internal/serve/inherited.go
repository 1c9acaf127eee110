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
		return withBacklog(passed[0]), nil
	}
	socket, err := new(net.ListenConfig).Listen(ctx, "tcp", l.Addr)
	if err != nil {
		return nil, err
	}
	return withBacklog(socket), nil
}

// withBacklog returns a socket that loses no client when it is closed, unless it is not a socket of TCP.
func withBacklog(socket net.Listener) net.Listener {
	if tcp, ok := socket.(*net.TCPListener); ok {
		return &backlog{TCPListener: tcp}
	}
	return socket
}
