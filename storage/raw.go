package storage

import (
	"context"

	"bordero/internal/db"
)

// Raw runs a statement that no method has and returns how many rows it affected. It is for
// fault tests and benchmarks, whose effects are in tables of their own; the product does not
// call it.
func (t *Tx) Raw(ctx context.Context, query string, args ...any) (int64, error) {
	return db.Exec(ctx, t.DB, query, args...)
}
