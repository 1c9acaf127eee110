package api_test

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"testing"
)

// tap starts a proxy to a database and returns its URL. The proxy reports the messages of the clients
// (simple queries are 'Q', executions 'E') and of the database (notices are 'N').
func tap(t testing.TB, databaseURL string, said, answered func(kind byte, body []byte)) string {
	t.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	target := u.Host
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", target)
			if err != nil {
				_ = near.Close()
				continue
			}
			go func() { _ = pass(near, far, false, answered); _ = near.Close() }()
			go func() { _ = pass(far, near, true, said); _ = far.Close() }()
		}
	}()
	u.Host = l.Addr().String()
	return u.String()
}

// pass copies the messages of PostgreSQL's protocol and passes each to show, except a client's first
// message, which has no type.
func pass(to io.Writer, from io.Reader, client bool, show func(kind byte, body []byte)) error {
	r := bufio.NewReader(from)
	for first := client; ; first = false {
		head := make([]byte, 5)
		if first {
			head = head[1:]
		}
		if _, err := io.ReadFull(r, head); err != nil {
			return err
		}
		body := make([]byte, binary.BigEndian.Uint32(head[len(head)-4:])-4)
		if _, err := io.ReadFull(r, body); err != nil {
			return err
		}
		if !first {
			show(head[0], body)
		}
		if _, err := to.Write(append(head, body...)); err != nil {
			return err
		}
	}
}
