package db_test

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"bordero/internal/db"
	"bordero/storage/storagetest"

	"github.com/jmoiron/sqlx"
)

// front is an address before a PostgreSQL server that can stall: it goes on accepting connections
// and what they send, as the kernel of a frozen machine does, and answers nothing.
type front struct {
	net.Listener
	stall func()
}

func newFront(t *testing.T, server string) front {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	stalled := make(chan struct{})
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", server)
			if err != nil {
				_ = client.Close()
				return
			}
			t.Cleanup(func() { _, _ = client.Close(), server.Close() })
			carry := func(to, from net.Conn) {
				buffer := make([]byte, 4096)
				for {
					n, err := from.Read(buffer)
					if err == io.EOF {
						_ = to.Close()
					}
					if err != nil {
						return
					}
					select {
					case <-stalled:
					default:
						_, _ = to.Write(buffer[:n])
					}
				}
			}
			go carry(server, client)
			go carry(client, server)
		}
	}()
	return front{listener, sync.OnceFunc(func() { close(stalled) })}
}

// A statement on a server that stalls ends, and the next one goes to the other host of the URL: of
// a request, some seconds after the limit of its statements, otherwise some seconds after the end of
// its context.
func TestAServerThatStallsIsLeft(t *testing.T) {
	t.Parallel()
	ctxEnding := func(t *testing.T) context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	forever := func(t *testing.T) context.Context { return context.WithoutCancel(t.Context()) }
	read := func(ctx context.Context, pool *sqlx.DB) error {
		_, err := db.One[int](ctx, pool, `SELECT $1::int`, 1)
		return err
	}
	commit := func(ctx context.Context, pool *sqlx.DB) error {
		return db.Try(ctx, pool, func(tx *sqlx.Tx) error { return nil })
	}
	ping := func(ctx context.Context, pool *sqlx.DB) error { return pool.PingContext(ctx) }
	for name, c := range map[string]struct {
		limit time.Duration // of statements
		under func(*testing.T) context.Context
		do    func(context.Context, *sqlx.DB) error
	}{
		"a statement with a limit":       {200 * time.Millisecond, forever, read},
		"a transaction with a limit":     {200 * time.Millisecond, forever, commit},
		"a statement whose context ends": {0, ctxEnding, read},
		"a transaction":                  {0, ctxEnding, commit},
		"a ping":                         {0, ctxEnding, ping},
		"a statement that is not to stop": {0, func(t *testing.T) context.Context { return db.Guarded(ctxEnding(t)) },
			read},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u, err := url.Parse(storagetest.DatabaseURL(t))
			if err != nil {
				t.Fatal(err)
			}
			first, second := newFront(t, u.Host), newFront(t, u.Host)
			_, port1, _ := net.SplitHostPort(first.Addr().String())
			_, port2, _ := net.SplitHostPort(second.Addr().String())
			u.Host = "127.0.0.1,127.0.0.1"
			u.RawQuery += "&connect_timeout=1&target_session_attrs=read-write&port=" + port1 + "," + port2
			pool, err := db.Open(u.String(), db.Options{Application: "test", StatementTimeout: c.limit, Connections: 3})
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			for range 2 { // three idle connections that are in use for the second time, and so discard no plans
				var idle []*sqlx.Conn
				for range 3 {
					conn, err := pool.Connx(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					idle = append(idle, conn)
				}
				for _, conn := range idle {
					_ = conn.Close()
				}
			}
			first.stall()
			began := time.Now()
			if err := c.do(c.under(t), pool); err == nil {
				t.Error("a server that stalls answered")
			}
			if took := time.Since(began); took > 15*time.Second {
				t.Errorf("it was waited for %v", took)
			}
			began = time.Now()
			if err := read(t.Context(), pool); err != nil {
				t.Errorf("on the other host: %v", err)
			}
			if took := time.Since(began); took > 6*time.Second {
				t.Errorf("the other host answered after %v: each idle connection was waited for", took)
			}
		})
	}
}
