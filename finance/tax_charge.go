package finance

import (
	"fmt"
	"slices"

	"bordero/internal/messages"
)

// TaxCharge is one tax of a financial account or a sale.
type TaxCharge struct {
	ID     int64 // of a sale's alone; 0 for one that was sent
	TaxID  int64 // of Taxes
	Amount Amount
}

// TaxCharges are the taxes of one record, in the order in which they were sent.
type TaxCharges []TaxCharge

// maxTaxes bounds what one account multiplies by the rows of its series.
const maxTaxes = 100

func (t TaxCharges) validate(invalid *Invalid, attribute string) {
	if len(t) > maxTaxes {
		invalid.Add(attribute, fmt.Sprintf(messages.TooManyItemsf, maxTaxes))
	}
	for _, charge := range t {
		if !slices.ContainsFunc(Taxes, func(tax Tax) bool { return tax.ID == charge.TaxID }) {
			invalid.Add(attribute+".tax", messages.NotExisting)
		}
		if charge.Amount < 0 {
			invalid.Add(attribute+".amount", messages.Negative)
		}
	}
}

func (t TaxCharges) sum() (sum Amount) {
	for _, charge := range t {
		sum += charge.Amount
	}
	return sum
}

// Scan implements sql.Scanner over a JSON list of charges.
func (t *TaxCharges) Scan(src any) error { return scanJSON(src, t) }
