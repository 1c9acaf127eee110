package api

import (
	"bordero/finance"
	"bordero/internal/wire"
)

// assignTaxCharges reads the taxes of a record. An absent list changes nothing; an empty list and
// null clear the taxes.
func assignTaxCharges(in *wire.Input, list string, t *finance.TaxCharges) {
	if !in.Has(list) {
		return
	}
	*t = nil
	for _, sent := range in.Objects(list) {
		var charge finance.TaxCharge
		sent.Int("tax_id", &charge.TaxID)
		wire.DecodeInto(sent, "amount", &charge.Amount)
		*t = append(*t, charge)
	}
}
