package finance

import (
	"fmt"
	"slices"

	"bordero/internal/messages"
)

// TaxCharge is the amount of one tax of a financial account or a sale.
type TaxCharge struct {
	ID     int64 // only of a sale's charge; 0 in input
	TaxID  int64 // id in Taxes
	Amount Amount
}

// TaxCharges are the taxes of one record, in the order in which the client sent them.
type TaxCharges []TaxCharge

// maxTaxes bounds the rows per record, because every account of a series has them.
const maxTaxes = 100

func (t TaxCharges) validate(invalid *Invalid, attribute string) {
	if len(t) > maxTaxes {
		invalid.Add(attribute, messages.TooManyItems.With(maxTaxes))
	}
	for i, charge := range t {
		place := fmt.Sprintf("%s/%d/", attribute, i)
		if !slices.ContainsFunc(Taxes, func(tax Tax) bool { return tax.ID == charge.TaxID }) {
			invalid.AddAt(place+"tax_id", attribute+".tax", messages.NotExisting)
		}
		if charge.Amount < 0 {
			invalid.AddAt(place+"amount", attribute+".amount", messages.Negative)
		}
	}
}

func (t TaxCharges) sum() (sum Amount) {
	for _, charge := range t {
		sum += charge.Amount
	}
	return sum
}

// Scan implements sql.Scanner for a JSON list of charges.
func (t *TaxCharges) Scan(src any) error { return scanJSON(src, t) }
