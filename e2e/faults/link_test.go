package faults

import (
	"bytes"
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
	verb string        // if set, only requests of HTTP with this method are swallowed
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
	l.held, l.verb, l.over = ports, "", make(chan struct{})
}

// swallowRequests begins to swallow the requests of HTTP with one method.
func (l *link) swallowRequests(verb string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held, l.verb, l.over = nil, verb, make(chan struct{})
}

func (l *link) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over != nil {
		close(l.over)
		l.over = nil
	}
}

// pass waits while the connection from port is swallowed; a new one has port 0, and begins with first.
func (l *link) pass(port int, first []byte) {
	l.mu.Lock()
	over := l.over
	if l.verb != "" && !bytes.HasPrefix(first, []byte(l.verb)) {
		over = nil
	}
	if over != nil && port != 0 && len(l.held) > 0 {
		if !slices.Contains(l.held, port) {
			over = nil
		}
	}
	l.mu.Unlock()
	if over != nil {
		<-over
	}
}

func (l *link) connect(client net.Conn) {
	defer client.Close()
	first := make([]byte, 4<<10) // of PostgreSQL and of HTTP, clients begin
	n, err := client.Read(first)
	if err != nil {
		return
	}
	l.pass(0, first[:n])
	server, err := net.DialTimeout("tcp", l.to, 3*time.Second)
	if err != nil {
		return
	}
	defer server.Close()
	if _, err := server.Write(first[:n]); err != nil {
		return
	}
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
		l.pass(port, nil)
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
