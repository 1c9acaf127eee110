package serve

import (
	"errors"
	"net"
	"os"
	"sync"
	"syscall"
)

// backlog is a socket that loses no client when it is closed. The kernel connects clients before the process accepts
// them. It resets connections that still wait when the socket closes, although their clients may have sent a request.
// So Close takes the waiting connections, and Accept returns each of them before it fails.
type backlog struct {
	*net.TCPListener

	mu    sync.Mutex
	taken []net.Conn
}

func (b *backlog) Accept() (net.Conn, error) {
	conn, err := b.TCPListener.Accept()
	if err == nil {
		return conn, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.taken) == 0 {
		return nil, err
	}
	conn, b.taken = b.taken[0], b.taken[1:]
	return conn, nil
}

func (b *backlog) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if raw, err := b.SyscallConn(); err == nil {
		_ = raw.Control(b.take) // fails if the socket is closed already
	}
	return b.TCPListener.Close()
}

// take accepts all connections that wait. The socket does not block, so only a connection that arrives between the last
// call and the end of the socket, some microseconds later, is reset.
func (b *backlog) take(socket uintptr) {
	for {
		accepted, _, err := syscall.Accept(int(socket))
		if errors.Is(err, syscall.EINTR) || errors.Is(err, syscall.ECONNABORTED) {
			continue
		}
		if err != nil {
			return
		}
		syscall.CloseOnExec(accepted)
		file := os.NewFile(uintptr(accepted), "connection")
		conn, err := net.FileConn(file) // a copy, which does not block
		_ = file.Close()
		switch {
		case err != nil:
		case conn.RemoteAddr() == nil: // the client has reset it
			_ = conn.Close()
		default:
			b.taken = append(b.taken, conn)
		}
	}
}
