package api

import (
	"context"
	"slices"

	"bordero/internal/wire"
	"bordero/storage"
)

// fixed returns a read-only resource of records that are part of the program, the same for all
// accounts.
func fixed[T any](root, plural, model string, all []T, id func(T) int64, show func(*wire.Writer, *T)) resource[T] {
	return resource[T]{
		root: root, plural: plural, model: model,
		list: func(_ context.Context, _ storage.Queries, _ *call, l storage.List) (storage.Listed[T], error) {
			return storage.PageOf(all, l)
		},
		find: func(_ context.Context, _ storage.Queries, _ *call, wanted int64) (*T, error) {
			i := slices.IndexFunc(all, func(t T) bool { return id(t) == wanted })
			if i < 0 {
				return nil, storage.ErrNotFound
			}
			return &all[i], nil
		},
		show: func(_ *call, w *wire.Writer, t *T) { show(w, t) },
	}
}
