package finance

import (
	"database/sql/driver"
	"encoding/json"
	"slices"

	"bordero/internal/messages"
)

// The values of a mapping's separator, decimal mark, order of dates and signs.
var (
	MappingSeparators  = []string{";", ",", "tab"}
	MappingDecimals    = []string{",", "."}
	MappingDateFormats = []string{"dd/mm/yyyy", "mm/dd/yyyy", "yyyy-mm-dd"}
	MappingAmountSigns = []string{"debit_negative", DebitPositive}
)

// DebitPositive is the sign of a table, as of a credit card, in which purchases are positive, and so is what is owed.
const DebitPositive = "debit_positive"

// StatementMapping tells how a bank writes its tables, if their header is none of the known ones (OpenAPI:
// DepositAccount). Date to Balance are names of the header; a nil one has no column. A nil Separator, Decimal or
// DateFormat comes from each file; a nil AmountSign is debit_negative.
type StatementMapping struct {
	Separator   *string `json:"separator,omitempty"`
	Decimal     *string `json:"decimal,omitempty"`
	DateFormat  *string `json:"date_format,omitempty"`
	Date        *string `json:"date,omitempty"`
	Amount      *string `json:"amount,omitempty"`      // with a sign; else Credit and Debit
	AmountSign  *string `json:"amount_sign,omitempty"` // of Amount and Balance; only with Amount
	Credit      *string `json:"credit,omitempty"`
	Debit       *string `json:"debit,omitempty"`
	Description *string `json:"description,omitempty"`
	Document    *string `json:"document,omitempty"`
	Balance     *string `json:"balance,omitempty"` // after each row
}

// Scan implements sql.Scanner for an object in JSON.
func (m *StatementMapping) Scan(src any) error { return scanJSON(src, m) }

// Value implements driver.Valuer as an object in JSON.
func (m StatementMapping) Value() (driver.Value, error) {
	text, err := json.Marshal(m)
	return string(text), err
}

// validate refuses a mapping without the columns of a movement.
func (m *StatementMapping) validate(invalid *Invalid) {
	for _, c := range []struct {
		name     string
		value    *string
		required bool
	}{
		{"date", m.Date, true}, {"amount", m.Amount, false}, {"credit", m.Credit, false}, {"debit", m.Debit, false},
		{"description", m.Description, true}, {"document", m.Document, false}, {"balance", m.Balance, false},
	} {
		if c.required && c.value == nil {
			invalid.Add("statement_mapping."+c.name, messages.Blank)
		}
		validateText(invalid, "statement_mapping."+c.name, c.value)
	}
	if (m.Amount == nil) == (m.Credit == nil) || (m.Credit == nil) != (m.Debit == nil) {
		invalid.Add("statement_mapping.amount", messages.NotMapped)
	}
	if m.AmountSign != nil && m.Amount == nil {
		invalid.Add("statement_mapping.amount", messages.Blank)
	}
	for _, c := range []struct {
		name   string
		value  *string
		values []string
	}{
		{"separator", m.Separator, MappingSeparators}, {"decimal", m.Decimal, MappingDecimals},
		{"date_format", m.DateFormat, MappingDateFormats}, {"amount_sign", m.AmountSign, MappingAmountSigns},
	} {
		if c.value != nil && !slices.Contains(c.values, *c.value) {
			invalid.Add("statement_mapping."+c.name, messages.NotOneOf(c.values))
		}
	}
}
