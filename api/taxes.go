package api

import (
	"bordero/finance"
	"bordero/internal/wire"
)

var taxes = fixed("tax", "taxes", finance.Taxes, func(t finance.Tax) int64 { return t.ID },
	func(w *wire.Writer, t *finance.Tax) {
		w.Int("id", t.ID)
		w.String("name", t.Name)
	})
