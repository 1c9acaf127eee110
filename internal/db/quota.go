package db

import (
	"context"

	"bordero/internal/quota"

	"github.com/jmoiron/sqlx"
)

type quotaKey struct{}

type accountQuota struct {
	of      *quota.Quota
	account int64
}

// WithQuota returns a context in which each statement on a pool, and each transaction, first takes
// a place of the account's quota. A function that has begun a transaction must not use the pool as
// well: it would wait for a second place, which may never be free.
func WithQuota(ctx context.Context, of *quota.Quota, account int64) context.Context {
	return context.WithValue(ctx, quotaKey{}, accountQuota{of, account})
}

// takePlace takes a place for the use of a connection, unless q is a connection already.
func takePlace(ctx context.Context, q any) (release func(), err error) {
	if b, ok := q.(beginsWith); ok {
		q = b.Beginner
	}
	if _, pool := q.(*sqlx.DB); pool {
		if s, ok := ctx.Value(quotaKey{}).(accountQuota); ok {
			return s.of.Take(ctx, s.account)
		}
	}
	return func() {}, nil
}
