package faults

import (
	"net"
	"slices"
	"sync"
	"testing"
	"time"
)

// link is an address before a server. It can swallow what is sent: both ends remain connected, and hear
// nothing of each other until the link is released. What was sent meanwhile arrives then, as after lost
// packets.
type link struct {
	listener net.Listener
	to       string

	mu   sync.Mutex
	held []int         // the ports of the connections that are swallowed; none for all
	over chan struct{} // closed when the link is released; nil while nothing is swallowed
}

func newLink(t testing.TB, at, to string) *link {
	t.Helper()
	listener, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	l := &link{listener: listener, to: to}
	t.Cleanup(func() { _ = listener.Close(); l.release() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go l.connect(client)
		}
	}()
	return l
}

// swallow begins to swallow what the connections send: those that reach the server from the ports, or all,
// and in either case new ones.
func (l *link) swallow(ports ...int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held, l.over = ports, make(chan struct{})
}

func (l *link) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over != nil {
		close(l.over)
		l.over = nil
	}
}

// pass waits while the connection from port is swallowed; a new one has port 0.
func (l *link) pass(port int) {
	l.mu.Lock()
	over := l.over
	if port != 0 && len(l.held) > 0 && !slices.Contains(l.held, port) {
		over = nil
	}
	l.mu.Unlock()
	if over != nil {
		<-over
	}
}

func (l *link) connect(client net.Conn) {
	defer client.Close()
	l.pass(0)
	server, err := net.DialTimeout("tcp", l.to, 3*time.Second)
	if err != nil {
		return
	}
	defer server.Close()
	port := server.LocalAddr().(*net.TCPAddr).Port
	go func() {
		l.carry(client, server, port)
		_ = client.Close()
	}()
	l.carry(server, client, port)
}

func (l *link) carry(to, from net.Conn, port int) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		l.pass(port)
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
