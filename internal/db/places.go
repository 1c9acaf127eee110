package db

import (
	"context"

	"bordero/internal/share"

	"github.com/jmoiron/sqlx"
)

type placesKey struct{}

type accountPlaces struct {
	of      *share.Places
	account int64
}

// WithPlaces returns a context in which each statement on a pool, and each transaction, first takes
// a place of the account. A function that has begun a transaction must not use the pool as
// well: it would wait for a second place, which may never be free.
func WithPlaces(ctx context.Context, of *share.Places, account int64) context.Context {
	return context.WithValue(ctx, placesKey{}, accountPlaces{of, account})
}

// takePlace takes a place for the use of a connection, unless q is a connection already.
func takePlace(ctx context.Context, q any) (release func(), err error) {
	if b, ok := q.(beginsWith); ok {
		q = b.Beginner
	}
	if _, pool := q.(*sqlx.DB); pool {
		if s, ok := ctx.Value(placesKey{}).(accountPlaces); ok {
			return s.of.Take(ctx, s.account)
		}
	}
	return func() {}, nil
}
