package db

import (
	"context"
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// A server that stops without ending its connections, as a frozen machine or a hung disk makes it,
// still acknowledges the bytes that it receives: no probe of TCP notices. lib/pq does not end a
// read when its context ends, so without a limit a statement waits until the server goes on.

// connectTimeout limits how long a host of DATABASE_URL may take to begin a session, unless the
// URL states connect_timeout.
const connectTimeout = 5 * time.Second

// answersWithin is how long a server may take to answer after the context of a statement has
// ended. lib/pq asks it to cancel the statement meanwhile.
const answersWithin = 3 * time.Second

// stallConn is a connection to a server that may stall. Once a session has begun, it fails when the
// server does not answer for the time of silence, or for answersWithin after the end of the
// context of the statement.
type stallConn struct {
	net.Conn
	silence time.Duration // 0 for no limit
	current atomic.Pointer[context.Context]
	stalled func() // called when the server did not answer in time
}

// under makes ctx the context of the statements from now on.
func (c *stallConn) under(ctx context.Context) { c.current.Store(&ctx) }

func (c *stallConn) Read(p []byte) (int, error) {
	n, err := c.limited(c.SetReadDeadline, func() (int, error) { return c.Conn.Read(p) })
	if ctx := c.current.Load(); ctx != nil {
		countReceived(*ctx, n)
	}
	return n, err
}

func (c *stallConn) Write(p []byte) (int, error) {
	return c.limited(c.SetWriteDeadline, func() (int, error) { return c.Conn.Write(p) })
}

func (c *stallConn) limited(setDeadline func(time.Time) error, do func() (int, error)) (int, error) {
	ctx := c.current.Load()
	if ctx == nil {
		return do() // the session has not begun: connect_timeout limits it
	}
	var deadline time.Time
	if c.silence > 0 {
		deadline = time.Now().Add(c.silence)
	}
	if err := setDeadline(deadline); err != nil {
		return 0, err
	}
	if guard := guardOf(*ctx); guard.Done() != nil {
		set := make(chan struct{})
		stop := context.AfterFunc(guard, func() {
			defer close(set)
			_ = setDeadline(time.Now().Add(answersWithin))
		})
		defer func() {
			if !stop() {
				<-set // or it would limit the next call
			}
		}()
	}
	n, err := do()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.stalled()
	}
	return n, err
}

type guardKey struct{}

// Guarded returns a context that does not end with ctx, for a statement that lib/pq must not
// cancel, such as a COPY. A server that stalls meanwhile is given up all the same, once ctx has
// ended.
func Guarded(ctx context.Context) context.Context {
	return context.WithValue(context.WithoutCancel(ctx), guardKey{}, ctx)
}

func guardOf(ctx context.Context) context.Context {
	if guard, ok := ctx.Value(guardKey{}).(context.Context); ok {
		return guard
	}
	return ctx
}
