package finance

import (
	"bordero/internal/messages"
)

// Outcomes of an item (OpenAPI: BankStatementItem) that the service tests for. finance/statement
// defines all of them.
const (
	ItemImported  = "imported"
	ItemDuplicate = "duplicate"
)

// BankStatementItem is one item of a statement's file, as written there, and its outcome.
type BankStatementItem struct {
	ID                     int64 // its number in the file, counted from 1
	AccountID              int64
	BankStatementID        int64
	Line                   int64   // where the item begins in the file
	OccurredAt             *Date   // nil for an invalid date
	Amount                 *Amount // nil if it was not read
	Mark                   string  // "3/10" for a card installment, else ""
	Description            *string
	Document               *string
	FITID                  *string
	Outcome                string
	Suspect                bool   // a duplicate by its day and amount alone, or one that Replaces a transaction
	Folded                 bool   // its texts were removed
	Replaces               *int64 // the transaction that the source has restated with this item
	FinancialTransactionID *int64 // the transaction made of the item; nil without one, or if it was deleted
}

// Importable refuses the manual import of any item except one that was ignored as a duplicate.
func (i *BankStatementItem) Importable() error {
	switch i.Outcome {
	case ItemDuplicate:
		if i.Folded {
			return Refuse(Base, messages.ItemFolded)
		}
		return nil
	case ItemImported:
		return Refuse("outcome", messages.ItemImported)
	}
	return Refuse("outcome", messages.ItemNotImported.With(i.Outcome))
}
