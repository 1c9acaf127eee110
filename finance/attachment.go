package finance

import (
	"time"

	"bordero/internal/messages"
)

// Names of the uploaded file and of the lists of records to attach it to.
const (
	AttachmentName         = "attachment"
	AttachmentIDList       = "attachment_id_list"
	AssociatedTransactions = "associated_financial_transaction_ids"
	AssociatedAccounts     = "associated_financial_account_ids"
)

// maxAttached bounds the records of one kind in one request.
const maxAttached = 1000

// Attachment is a private file of an entity. It may be attached to any number of the entity's
// transactions, financial accounts and sales.
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

	// The records it is attached to; in a new attachment, the ids that the client sent.
	AccountIDs     IDs
	TransactionIDs IDs
	SaleIDs        IDs
	Accounts       []FinancialAccount
	Transactions   []FinancialTransaction
	Sales          []Sale

	// VisibleTo has the families of these records; for an attachment without any, the families of
	// the records that it was detached from. Set when the attachment is locked.
	VisibleTo FamilyList
}

// Attachments are the files of one record, ordered by id.
type Attachments []Attachment

// Scan implements sql.Scanner for a JSON list of attachments.
func (a *Attachments) Scan(src any) error { return scanJSON(src, a) }

// IDs are the ids of records.
type IDs []int64

// Scan implements sql.Scanner for a JSON list of ids.
func (l *IDs) Scan(src any) error { return scanJSON(src, l) }

// Validate refuses a title longer than 255 characters, and a new file attached to more than 1,000
// transactions or 1,000 financial accounts.
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
		invalid.Add(attribute, messages.TooManyItems.With(maxAttached))
	}
}

// ValidateAttachments refuses a list of more than 1,000 attachments that a client sent. A stored one may
// be longer: the uploads to a record are not bounded.
func ValidateAttachments(ids IDs) error {
	var invalid Invalid
	validateAttached(&invalid, AttachmentIDList, ids)
	return invalid.Err()
}
