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
	switch passed := sockets[l.Name]; len(passed) {
	case 0:
	case 1:
		return passed[0], nil // not a backlog: waiting clients wait for the next process
	default:
		return nil, fmt.Errorf("systemd passed %d sockets for %s, %s and %s among them, and one can be served: put an "+
			"empty ListenStream= before the one to keep", len(passed), l.Name, passed[0].Addr(), passed[1].Addr())
	}
	socket, err := new(net.ListenConfig).Listen(ctx, "tcp", l.Addr)
	if err != nil {
		return nil, err
	}
	return &backlog{TCPListener: socket.(*net.TCPListener)}, nil
}
