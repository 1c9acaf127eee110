package db

import (
	"context"

	"bordero/internal/shares"

	"github.com/jmoiron/sqlx"
)

type shareKey struct{}

type accountShare struct {
	of      *shares.Shares
	account int64
}

// WithShare returns a context in which each statement on a pool, and each transaction, first takes a
// place of the account's share. A function that has begun a transaction must not use the pool
// as well: it would wait for a second place, of which there may be none.
func WithShare(ctx context.Context, of *shares.Shares, account int64) context.Context {
	return context.WithValue(ctx, shareKey{}, accountShare{of, account})
}

// takeShare takes a place for the use of a connection, unless q is a connection already.
func takeShare(ctx context.Context, q any) (release func(), err error) {
	if _, pool := q.(*sqlx.DB); pool {
		if s, ok := ctx.Value(shareKey{}).(accountShare); ok {
			return s.of.Take(ctx, s.account)
		}
	}
	return func() {}, nil
}
