package finance

import (
	"time"

	"bordero/internal/messages"
)

// Debit and Credit are the types of a transaction. The sign of its amount and
// its type always say the same.
const (
	Debit  = "Debit"
	Credit = "Credit"
)

// FinancialTransaction is one movement of a deposit account (spec.md,
// Reconciliation output; wire.md, section 9).
type FinancialTransaction struct {
	ID                  int64
	AccountID           int64
	DepositAccountID    int64
	Type                string
	Amount              Amount // negative for a debit
	OccurredAt          Date
	GUID                *string // the bank's own id of the movement
	Document            *string
	OriginalDescription *string // as the bank wrote it
	UserDescription     *string
	Observation         *string
	BankStatementID     *int64
	CurrencyID          int64
	CreatedAt           time.Time
	UpdatedAt           time.Time
}

// Validate refuses a transaction without type, date or amount, and gives the
// amount the sign of the type: clients send either sign.
func (t *FinancialTransaction) Validate() error {
	var invalid Invalid
	switch t.Type {
	case Debit:
		t.Amount = -t.Amount.Abs()
	case Credit:
		t.Amount = t.Amount.Abs()
	case "":
		invalid.Add("type", messages.Blank)
		invalid.Add("type", messages.NotInList)
	default:
		invalid.Add("type", messages.NotInList)
	}
	if t.Amount == 0 {
		invalid.Add("amount", messages.Zero)
	}
	if t.OccurredAt.IsZero() {
		invalid.Add("occurred_at", messages.Blank)
	}
	validateText(&invalid, "document", t.Document)
	validateText(&invalid, "user_description", t.UserDescription)
	return invalid.Err()
}

// TypeOf is the type that the sign of the amount says.
func TypeOf(a Amount) string {
	if a < 0 {
		return Debit
	}
	return Credit
}
