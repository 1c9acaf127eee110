package api

import (
	"bordero/finance"
	"bordero/internal/wire"
)

var currencies = fixed("currency", "currencies", finance.Currencies, func(c finance.Currency) int64 { return c.ID },
	func(w *wire.Writer, c *finance.Currency) {
		w.Int("id", c.ID)
		w.String("code", c.Code)
		w.String("numeric_code", c.NumericCode)
		w.String("name", c.Name)
		w.Int("minor_units", c.MinorUnits)
	})
