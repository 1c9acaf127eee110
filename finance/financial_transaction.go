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

// FinancialTransaction is one movement of a deposit account (OpenAPI:
// FinancialTransaction).
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
	References
	TransferID               *int64 // the other side of a transfer, in
	TransferDepositAccountID *int64 // this deposit account; both nil for no transfer
	ReconcileID              *int64 // nil for one that is not reconciled
	AttachmentIDs            IDs
	Bound                    bool // it or the other side of its transfer is reconciled
	CreatedAt                time.Time
	UpdatedAt                time.Time
}

// OtherSide is the transaction in the other deposit account of a transfer: the same
// day, texts and references, the opposite amount. It is nil for no transfer, and
// has no ID before the transfer is kept.
func (t *FinancialTransaction) OtherSide() *FinancialTransaction {
	if t.TransferDepositAccountID == nil {
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

// Validate refuses a transaction without type, date or amount, and a transfer
// within one deposit account, and gives the amount of a debit its sign, which clients
// send or not. A credit that is negative contradicts itself.
func (t *FinancialTransaction) Validate() error {
	var invalid Invalid
	switch t.Type {
	case Debit:
		t.Amount = -t.Amount.Abs()
	case Credit:
		if t.Amount < 0 {
			invalid.Add("amount", messages.NegativeCredit)
		}
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
	if SameID(t.TransferDepositAccountID, &t.DepositAccountID) {
		invalid.Add("transfer_deposit_account", messages.SameAccount)
	}
	validateText(&invalid, "document", t.Document)
	validateText(&invalid, "user_description", t.UserDescription)
	validateAttached(&invalid, AttachmentIDList, t.AttachmentIDs)
	return invalid.Err()
}

// Keeps refuses a change of what a reconciliation rests on: amount, type and day.
func (t *FinancialTransaction) Keeps(before FinancialTransaction) error {
	if t.Bound && (t.Amount != before.Amount || t.OccurredAt != before.OccurredAt) {
		return Refuse(Base, messages.TransactionReconciled)
	}
	return nil
}

// Removable refuses the deletion of a reconciled transaction, and of the other side
// of one.
func (t *FinancialTransaction) Removable() error {
	if t.Bound {
		return Refuse(Base, messages.TransactionReconciled)
	}
	return nil
}

// TypeOf is the type that the sign of the amount says.
func TypeOf(a Amount) string {
	if a < 0 {
		return Debit
	}
	return Credit
}
