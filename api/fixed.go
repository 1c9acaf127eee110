package api

import (
	"context"
	"slices"

	"bordero/api/openapi"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
)

// fixed returns a read-only resource of records that are part of the program, the same for all
// accounts.
func fixed[T any](root, plural string, all []T, id func(T) int64, show func(*wire.Writer, *T)) resource[T] {
	return resource[T]{
		root: root, plural: plural,
		list: func(_ context.Context, _ storage.Queries, _ *call, l list.Query) (list.Page[T], error) {
			return list.PageOf(all, id, l)
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

// The fields of the reference lists.
var (
	taxFields = openapi.Fields{"name": {Doc: "Its name.", Example: "ISS"}}

	bankFields = openapi.Fields{
		"id":   {Doc: "The code as a number; `bank_account_id` of deposit accounts."},
		"code": {Doc: "The COMPE code.", Example: "237"},
		"name": {Doc: "Its name.", Example: "Bradesco"},
	}

	currencyFields = openapi.Fields{
		"id":           {Doc: "`currency_id` of deposit accounts; 1 is the Brazilian real."},
		"code":         {Doc: "The ISO 4217 code.", Example: "BRL"},
		"numeric_code": {Doc: "The number of ISO 4217.", Example: "986"},
		"name":         {Doc: "Its name in Portuguese.", Example: "Real brasileiro"},
		"minor_units":  {Doc: "Decimals of its amounts."},
	}
)
