package db

import (
	"context"
	"sync/atomic"
	"unsafe"

	"bordero/internal/share"
)

type receivedKey struct{}

// counted returns a context with which a statement counts the bytes that it receives, and a
// function that the caller calls for each row. The function takes the row, and the bytes received
// since the row before, from the Holding of ctx. end ends the statement. Without a Holding nothing
// is counted.
func counted[T any](ctx context.Context) (of context.Context, row func() error, end func()) {
	h := share.HoldingOf(ctx)
	if h == nil {
		return ctx, func() error { return nil }, func() {}
	}
	var received atomic.Int64
	of, end = context.WithCancel(context.WithValue(ctx, receivedKey{}, &received))
	return of, func() error {
		return h.Take(received.Swap(0) + int64(unsafe.Sizeof(*new(T))))
	}, end
}

// countReceived counts bytes for the statement of ctx.
func countReceived(ctx context.Context, n int) {
	if received, ok := ctx.Value(receivedKey{}).(*atomic.Int64); ok {
		received.Add(int64(n))
	}
}
