package db

import (
	"context"
	"sync/atomic"
	"time"

	"bordero/internal/tracing"
)

// Spent counts the statements under a context and their time. It is safe for use by several
// goroutines; their times add up.
type Spent struct{ statements, nanoseconds atomic.Int64 }

// Statements returns the number of statements, without BEGIN, COMMIT and ROLLBACK.
func (s *Spent) Statements() int64 { return s.statements.Load() }

// Time returns the time within statements, BEGIN and COMMIT: waiting for a place of the account and for a
// connection, the round trips, and reading the rows. Not included are rows that the caller of Rows scans, and COPY.
func (s *Spent) Time() time.Duration { return time.Duration(s.nanoseconds.Load()) }

type spentKey struct{}

// WithSpent returns a context that counts its statements in s.
func WithSpent(ctx context.Context, s *Spent) context.Context {
	return context.WithValue(ctx, spentKey{}, s)
}

// spend begins to count the statements of one function, and returns the function that ends the
// count. A slow statement becomes a span of the trace of ctx.
func spend(ctx context.Context, statements int64, query string) func() {
	s, ok := ctx.Value(spentKey{}).(*Spent)
	span := tracing.Of(ctx)
	if !ok && span == nil {
		return uncounted
	}
	began := time.Now()
	return func() {
		took := time.Since(began)
		if ok {
			s.statements.Add(statements)
			s.nanoseconds.Add(int64(took))
		}
		if span.Slow(took) {
			span.Statement(began, took, operation(query), nameOf(query))
		}
	}
}

func uncounted() {}
