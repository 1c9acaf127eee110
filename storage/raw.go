package storage

import "context"

// Raw runs a statement that no method has and returns how many rows it touched.
// It is there for fault tests and benchmarks, whose effects are in tables of
// their own; the house does not call it.
func (t *Tx) Raw(ctx context.Context, query string, args ...any) (int64, error) {
	return exec(ctx, t.q, query, args...)
}
