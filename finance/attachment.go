package finance

import (
	"fmt"
	"time"

	"bordero/internal/messages"
)

// What an upload is called, and the lists of what a file is attached to.
const (
	AttachmentName         = "attachment"
	AttachmentIDList       = "attachment_id_list"
	AssociatedTransactions = "associated_financial_transaction_ids"
	AssociatedAccounts     = "associated_financial_account_ids"
)

// maxAttached bounds what one request attaches.
const maxAttached = 1000

// Attachment is a private file of an entity, which may be attached to any number
// of its transactions, financial accounts and sales.
type Attachment struct {
	ID                    int64
	AccountID             int64
	EntityID              int64
	Title                 *string
	FileKey               string // in object storage
	AttachmentFileName    string
	AttachmentContentType string
	AttachmentFileSize    int64 // bytes
	CreatedAt             time.Time
	UpdatedAt             time.Time

	// What it is attached to: of a new one the ids are those that were sent.
	AccountIDs     IDs
	TransactionIDs IDs
	SaleIDs        IDs
	Accounts       []FinancialAccount
	Transactions   []FinancialTransaction
	Sales          []Sale
}

// Attachments are the files of one record, in the order of their ids.
type Attachments []Attachment

// Scan implements sql.Scanner over a JSON list of attachments.
func (a *Attachments) Scan(src any) error { return scanJSON(src, a) }

// IDs are the ids of records, in their order.
type IDs []int64

// Scan implements sql.Scanner over a JSON list of ids.
func (l *IDs) Scan(src any) error { return scanJSON(src, l) }

// Validate refuses a title beyond 255 characters, and a new file that is attached
// to more than 1,000 records of a kind.
func (a *Attachment) Validate() error {
	var invalid Invalid
	validateText(&invalid, "title", a.Title)
	if a.ID == 0 {
		validateAttached(&invalid, AssociatedTransactions, a.TransactionIDs)
		validateAttached(&invalid, AssociatedAccounts, a.AccountIDs)
	}
	return invalid.Err()
}

func validateAttached(invalid *Invalid, attribute string, ids IDs) {
	if len(ids) > maxAttached {
		invalid.Add(attribute, fmt.Sprintf(messages.TooManyItemsf, maxAttached))
	}
}
