package finance

import (
	"fmt"
	"slices"

	"bordero/internal/messages"
)

// TaxCharge is one tax of a financial account.
type TaxCharge struct {
	TaxID  int64 // of Taxes
	Amount Amount
}

// TaxCharges are the taxes of a financial account, in the order in which they
// were sent.
type TaxCharges []TaxCharge

// maxTaxes bounds what one account multiplies by the rows of its series.
const maxTaxes = 100

func (t TaxCharges) validate(invalid *Invalid) {
	const attribute = "financial_account_taxes_attributes"
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

// Scan implements sql.Scanner over a JSON list of charges.
func (t *TaxCharges) Scan(src any) error { return scanJSON(src, t) }
