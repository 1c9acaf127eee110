package finance

import (
	"time"

	"bordero/internal/messages"
)

// AccountKind tells what an entity has to pay from what it has to receive.
type AccountKind string

// The kinds of financial accounts.
const (
	Payable    AccountKind = "payable"
	Receivable AccountKind = "receivable"
)

// Statuses of a financial account.
const (
	Outstanding = 1
	Settled     = 2 // paid or received
	Reconciled  = 3
)

// FinancialAccount is something that an entity has to pay or to receive. It is
// outstanding until OccurredAt says when that happened; TotalAmount is then what
// was paid or received.
type FinancialAccount struct {
	ID        int64
	AccountID int64
	EntityID  int64
	Kind      AccountKind
	Status    int64
	References
	Series

	DueDate                  Date
	OccurredAt               *Date
	Amount                   Amount  // also called nominal amount
	TicketAmount             *Amount // the fine
	InterestAmount           *Amount
	DiscountAmount           *Amount
	TotalAmount              *Amount
	CompetencyMonth          Month
	Description              *string
	Document                 *string
	DocumentEmissionDate     *Date
	Observation              *string
	Remind                   bool
	RemindedAt               *time.Time
	ExpectedDepositAccountID *int64
	Taxes                    TaxCharges
	ReconcileID              *int64
	ReconciledWith           Refs   // the transactions, at most 20 of them
	SaleAccountID            *int64 // of the sales that it is the sum of; nil for none
	SalesCount               int64
	Sales                    Refs                  // at most 20 of them
	CustomClassifications    CustomClassifications // of the sale account
	CenterClassifications    CenterClassifications // of the sale account
	CreditCardInvoiceID      *int64                // the invoice that it is to pay; nil for none
	AttachmentIDs            IDs
	CreatorID                *int64
	CreatedAt                time.Time
	UpdatedAt                time.Time
}

// StatusName is what the status is called.
func (f *FinancialAccount) StatusName() string {
	switch {
	case f.Status == Reconciled:
		return "reconciled"
	case f.Kind == Payable:
		return [...]string{Outstanding: "unpaid", Settled: "paid"}[f.Status]
	}
	return [...]string{Outstanding: "unreceived", Settled: "received"}[f.Status]
}

// Due is what is to be paid or received: the amount with fine and interest, less
// the discount.
func (f *FinancialAccount) Due() Amount {
	return f.Amount + orNone(f.TicketAmount) + orNone(f.InterestAmount) - orNone(f.DiscountAmount)
}

func orNone(a *Amount) Amount {
	if a == nil {
		return 0
	}
	return *a
}

// Validate refuses an account without due date or amount, and gives it what
// follows from the rest: the competency month (that of the due date, unless one
// was sent), the status, and the total of one that was settled without saying it.
func (f *FinancialAccount) Validate() error {
	var invalid Invalid
	if f.DueDate.IsZero() {
		invalid.Add("due_date", messages.NotDate)
	} else if f.CompetencyMonth.IsZero() {
		f.CompetencyMonth = MonthOf(f.DueDate)
	}
	if f.CompetencyMonth.IsZero() {
		invalid.Add("competency_month", messages.Blank)
	}
	validateText(&invalid, "description", f.Description)
	validateText(&invalid, "document", f.Document)
	f.validateAmounts(&invalid)
	f.Taxes.validate(&invalid, "financial_account_taxes_attributes")
	f.validateSeries(&invalid)
	validateAttached(&invalid, AttachmentIDList, f.AttachmentIDs)
	if f.Status == Reconciled {
		return invalid.Err()
	}
	f.Status = Settled
	if f.OccurredAt == nil {
		f.Status, f.TotalAmount = Outstanding, nil
	} else if f.TotalAmount == nil {
		due := f.Due()
		f.TotalAmount = &due
	}
	return invalid.Err()
}

func (f *FinancialAccount) validateAmounts(invalid *Invalid) {
	if f.Amount <= 0 && f.SaleAccountID == nil {
		invalid.Add("amount", messages.NotPositive)
	}
	for _, a := range []struct {
		attribute string
		amount    *Amount
	}{
		{"ticket_amount", f.TicketAmount}, {"interest_amount", f.InterestAmount}, {"discount_amount", f.DiscountAmount},
		{"total_amount", f.TotalAmount},
	} {
		if orNone(a.amount) < 0 {
			invalid.Add(a.attribute, messages.Negative)
		}
	}
	switch due := f.Due(); {
	case due < 0 && (f.Amount > 0 || f.SaleAccountID != nil):
		invalid.Add("discount_amount", messages.DiscountTooLarge)
	case due > MaxAmount:
		invalid.Add("total_amount", messages.TooLarge)
	}
}

// Settle pays or receives an outstanding account, whose total and day have been
// set.
func (f *FinancialAccount) Settle() error {
	if err := f.in(Outstanding, messages.AlreadySettled); err != nil {
		return err
	}
	var invalid Invalid
	if f.TotalAmount == nil {
		invalid.Add("total_amount", messages.Blank)
	}
	if f.OccurredAt == nil {
		invalid.Add("occurred_at", messages.Blank)
	}
	f.validateAmounts(&invalid)
	f.Status = Settled
	return invalid.Err()
}

// Reopen takes back that an account was paid or received.
func (f *FinancialAccount) Reopen() error {
	if err := f.in(Settled, messages.NotSettled); err != nil {
		return err
	}
	f.Status, f.OccurredAt, f.TotalAmount = Outstanding, nil, nil
	return nil
}

// in refuses a status that is another, with the text where it is not that of a
// reconciled account.
func (f *FinancialAccount) in(status int64, otherwise string) error {
	switch f.Status {
	case status:
		return nil
	case Reconciled:
		return Refuse(Base, messages.AccountReconciled)
	}
	return Refuse(Base, otherwise)
}

// Derived tells whether amount, due date and existence of the account follow from
// other records, so that no request changes them here: it is then the sentence that
// names those records.
func (f *FinancialAccount) Derived() error {
	switch {
	case f.CreditCardInvoiceID != nil:
		return Refuse(Base, messages.OfInvoice)
	case f.SaleAccountID != nil:
		return Refuse(Base, messages.AccountOfSales)
	}
	return nil
}

// Removable refuses the deletion of a reconciled account, and of a derived one.
func (f *FinancialAccount) Removable() error {
	if f.Status == Reconciled {
		return Refuse(Base, messages.AccountReconciled)
	}
	return f.Derived()
}

// Keeps refuses a change of what a reconciliation rests on, the amounts and dates
// of a reconciled account, and of amount and due date of a derived one.
func (f *FinancialAccount) Keeps(before FinancialAccount) error {
	if f.Amount != before.Amount || f.DueDate != before.DueDate {
		if err := before.Derived(); err != nil {
			return err
		}
	}
	if before.Status == Reconciled && f.figures() != before.figures() {
		return Refuse(Base, messages.AccountReconciled)
	}
	return nil
}

// Moved tells whether it was settled, or opened again, or otherwise than before.
func (f *FinancialAccount) Moved(before FinancialAccount) bool {
	now, then := f.figures(), before.figures()
	return f.Status != before.Status || now.occurred != then.occurred || now.total != then.total
}

type figures struct {
	due, occurred                             Date
	amount, ticket, interest, discount, total Amount
	totalled                                  bool // nothing is a total, too
}

func (f *FinancialAccount) figures() figures {
	var occurred Date
	if f.OccurredAt != nil {
		occurred = *f.OccurredAt
	}
	return figures{f.DueDate, occurred, f.Amount, orNone(f.TicketAmount), orNone(f.InterestAmount), orNone(f.DiscountAmount), orNone(f.TotalAmount),
		f.TotalAmount != nil}
}
