package api

import (
	"bordero/finance"
	"bordero/internal/wire"
)

var banks = fixed("bank", "banks", finance.Banks, func(b finance.Bank) int64 { return b.ID },
	func(w *wire.Writer, b *finance.Bank) {
		w.Int("id", b.ID)
		w.String("code", b.Code())
		w.String("name", b.Name)
	})
