package finance

import (
	"fmt"

	"bordero/internal/messages"
)

// What became of an item of a statement's file (OpenAPI: BankStatementItem), where the service asks for it; the others are outcomes of finance/statement.
const (
	ItemImported  = "imported"
	ItemDuplicate = "duplicate"
)

// BankStatementItem is one item of a statement's file, as the file has it, and
// what became of it.
type BankStatementItem struct {
	ID                     int64 // which of its file, counted from 1
	AccountID              int64
	BankStatementID        int64
	Line                   int64   // of the file, where it begins
	OccurredAt             *Date   // nil for an invalid date
	Amount                 *Amount // nil where it was not looked at
	Mark                   string  // of an instalment on a card, else ""
	Description            *string
	Document               *string
	FITID                  *string
	Outcome                string
	FinancialTransactionID *int64 // what it became; nil when that is gone
}

// Importable refuses what cannot be brought in by hand: all but an item that was
// ignored because one like it is known.
func (i *BankStatementItem) Importable() error {
	switch i.Outcome {
	case ItemDuplicate:
		return nil
	case ItemImported:
		return Refuse("outcome", messages.ItemImported)
	}
	return Refuse("outcome", fmt.Sprintf(messages.ItemNotDuplicatef, i.Outcome))
}
