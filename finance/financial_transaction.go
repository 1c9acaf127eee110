package finance

import (
	"time"

	"bordero/internal/messages"
)

// Debit and Credit are the types of a transaction. The type always agrees with the sign of the
// amount.
const (
	Debit  = "Debit"
	Credit = "Credit"
)

// FinancialTransaction is a movement of money in a deposit account (OpenAPI:
// FinancialTransaction).
type FinancialTransaction struct {
	ID                  int64
	AccountID           int64
	DepositAccountID    int64
	ExternalID          *string
	Type                string
	Amount              Amount // negative for a debit
	OccurredAt          Date
	GUID                *string // the bank's id of the movement
	Document            *string
	OriginalDescription *string // as the bank wrote it
	EndToEndID          *string // of a Pix; this and the next three are read from the bank's text (finance/memo)
	Txid                *string // of the charge that a Pix paid
	CounterpartName     *string
	CounterpartDocument *string // a CPF or CNPJ without punctuation, perhaps masked
	SuggestedPersonID   *int64  // the only person with CounterpartDocument, of a transaction without a person
	UserDescription     *string
	Observation         *string
	BankStatementID     *int64
	CurrencyID          int64
	References
	TransferID               *int64 // the other side of a transfer; nil if not a transfer
	TransferDepositAccountID *int64 // the deposit account of the other side; nil if not a transfer
	PairID                   *int64 // the pair that makes it a transfer; nil if not a transfer, or typed as one
	ReconcileID              *int64 // nil if not reconciled
	ReconciledWith           Refs   // at most 20 of its financial accounts
	AttachmentIDs            IDs
	Bound                    bool // this or the other side of its transfer is reconciled
	CreatedAt                time.Time
	UpdatedAt                time.Time
}

// OtherSide returns the transaction in the other deposit account of a transfer that was typed as
// one: same day, texts and references, opposite amount. It changes and goes with t. It is nil if t
// is not a transfer, or a side of a pair. Its ID is 0 before the transfer is stored.
func (t *FinancialTransaction) OtherSide() *FinancialTransaction {
	if t.TransferDepositAccountID == nil || t.PairID != nil {
		return nil
	}
	other := *t
	other.ID, other.TransferID = 0, &t.ID
	if t.TransferID != nil {
		other.ID = *t.TransferID
	}
	other.DepositAccountID, other.TransferDepositAccountID = *t.TransferDepositAccountID, &t.DepositAccountID
	other.Amount, other.Type = -t.Amount, TypeOf(-t.Amount)
	return &other
}

// Validate refuses a transaction without a type, date or amount, a negative credit, and a
// transfer within one deposit account. It makes the amount of a debit negative; clients may omit
// the sign.
func (t *FinancialTransaction) Validate() error {
	var invalid Invalid
	validateText(&invalid, "external_id", t.ExternalID)
	switch t.Type {
	case Debit:
		t.Amount = -t.Amount.Abs()
	case Credit:
		if t.Amount < 0 {
			invalid.Add("amount", messages.NegativeCredit)
		}
	case "":
		invalid.Add("type", messages.Blank)
		invalid.Add("type", messages.NotOneOf([]string{Credit, Debit}))
	default:
		invalid.Add("type", messages.NotOneOf([]string{Credit, Debit}))
	}
	if t.Amount == 0 {
		invalid.Add("amount", messages.Zero)
	}
	if t.OccurredAt.IsZero() {
		invalid.Add("occurred_at", messages.Blank)
	}
	if SameID(t.TransferDepositAccountID, &t.DepositAccountID) {
		invalid.Add("transfer_deposit_account", messages.SameAccount)
	}
	validateText(&invalid, "document", t.Document)
	validateText(&invalid, "user_description", t.UserDescription)
	validateNote(&invalid, "observation", t.Observation)
	if t.ID == 0 {
		validateAttached(&invalid, AttachmentIDList, t.AttachmentIDs)
	}
	return invalid.Err()
}

// ValidateChange refuses a change to the amount, type or day of a reconciled transaction or
// transfer, and of a side of a pair.
func (t *FinancialTransaction) ValidateChange(before FinancialTransaction) error {
	switch {
	case t.Amount == before.Amount && t.OccurredAt == before.OccurredAt:
		return nil
	case t.Bound:
		return Refuse(Base, messages.TransactionReconciled)
	case t.PairID != nil:
		return Refuse(Base, messages.TransactionPaired)
	}
	return nil
}

// Removable refuses the deletion of a transaction if it or the other side of its transfer is
// reconciled.
func (t *FinancialTransaction) Removable() error {
	if t.Bound {
		return Refuse(Base, messages.TransactionReconciled)
	}
	return nil
}

// TypeOf returns the type that matches the sign of the amount.
func TypeOf(a Amount) string {
	if a < 0 {
		return Debit
	}
	return Credit
}
