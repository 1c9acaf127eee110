package e2etest

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
)

// Proxy is between processes and PostgreSQL.
type Proxy struct {
	s      *Site
	server string
	lose   atomic.Int64 // commits until the one that gets no answer
}

// Proxy starts a proxy to PostgreSQL for all processes started from now on.
func (s *Site) Proxy() *Proxy {
	s.t.Helper()
	var u *url.URL
	for _, v := range s.Env {
		if value, ok := strings.CutPrefix(v, "DATABASE_URL="); ok {
			var err error
			if u, err = url.Parse(value); err != nil {
				s.t.Fatal(err)
			}
		}
	}
	p := &Proxy{s: s, server: u.Host}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go p.carry(client)
		}
	}()
	u.Host = l.Addr().String()
	s.Env = append(s.Env, "DATABASE_URL="+u.String()) // the last one counts
	return p
}

// LoseCommit cuts the connection of the n-th COMMIT from now on, after PostgreSQL has committed
// and before the client receives the answer.
func (p *Proxy) LoseCommit(n int64) { p.lose.Store(n) }

// Lost reports whether that has happened.
func (p *Proxy) Lost() bool { return p.lose.Load() <= 0 }

func (p *Proxy) carry(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer server.Close()
	var cut atomic.Bool
	go func() {
		defer client.Close()
		buffer := make([]byte, 64<<10)
		for {
			n, err := server.Read(buffer)
			if err != nil || cut.Load() {
				return
			}
			if _, err := client.Write(buffer[:n]); err != nil {
				return
			}
		}
	}()
	_, _ = io.Copy(server, watch{client, func(sent []byte) {
		if bytes.Contains(sent, []byte("COMMIT\x00")) && p.lose.Add(-1) == 0 {
			cut.Store(true)
		}
	}})
}

// watch is a reader that observes the bytes that are read.
type watch struct {
	io.Reader
	see func([]byte)
}

func (w watch) Read(b []byte) (int, error) {
	n, err := w.Reader.Read(b)
	w.see(b[:n])
	return n, err
}
