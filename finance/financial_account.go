package finance

import (
	"time"

	"bordero/internal/messages"
)

// AccountKind is the kind of a financial account: payable or receivable.
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

// FinancialAccount is a bill that an entity has to pay or to receive. It is outstanding until
// OccurredAt, the day of the payment, is set; TotalAmount is then the amount paid or received.
type FinancialAccount struct {
	ID         int64
	AccountID  int64
	EntityID   int64
	ExternalID *string // of a series, only of the first
	Kind       AccountKind
	Status     int64
	References
	Series

	DueDate                  Date
	OccurredAt               *Date
	Amount                   Amount  // the nominal amount
	TicketAmount             *Amount // the fine
	InterestAmount           *Amount
	DiscountAmount           *Amount
	WithheldTaxAmount        *Amount // deducted by the payer; like the fee, set by an Adjustment only
	FeeAmount                *Amount // deducted from the sum received, or added to the sum paid
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
	NewInReconcile           bool   // made by its reconcile, which removes it when it is undone
	ReconciledWith           Refs   // at most 20 of its transactions
	SaleAccountID            *int64 // set if its amount is the sum of sales
	SalesCount               int64
	Sales                    Refs                  // at most 20 of its sales
	CustomClassifications    CustomClassifications // at first of the sale account, for one of sales
	CenterClassifications    CenterClassifications // as above
	CreditCardInvoiceID      *int64                // the invoice that the account pays; nil if absent
	Awaits                   *messages.Fault       // why a job has to end before it can be settled; nil otherwise
	AttachmentIDs            IDs
	CreatorID                *int64
	CreatedAt                time.Time
	UpdatedAt                time.Time
}

// StatusName returns the API's name of the status.
func (f *FinancialAccount) StatusName() string {
	switch {
	case f.Status == Reconciled:
		return "reconciled"
	case f.Kind == Payable:
		return [...]string{Outstanding: "unpaid", Settled: "paid"}[f.Status]
	}
	return [...]string{Outstanding: "unreceived", Settled: "received"}[f.Status]
}

// Due returns the amount to pay or receive: the nominal amount plus fine and interest, minus the
// discount.
func (f *FinancialAccount) Due() Amount {
	return f.Amount + OrZero(f.TicketAmount) + OrZero(f.InterestAmount) - OrZero(f.DiscountAmount)
}

// Validate refuses an account without a due date or amount, and sets the derived fields: the
// status, the competency month (the month of the due date, unless the client sent one), and the
// total of an account that was settled without one.
func (f *FinancialAccount) Validate() error {
	var invalid Invalid
	validateText(&invalid, "external_id", f.ExternalID)
	if f.CompetencyMonth.IsZero() {
		f.CompetencyMonth = MonthOf(f.DueDate)
	}
	if f.CompetencyMonth.IsZero() { // before due_date, whose message would suppress this one
		invalid.Add("competency_month", messages.Blank, "due_date")
	}
	if f.DueDate.IsZero() {
		invalid.Add("due_date", messages.NotDate)
	}
	validateDate(&invalid, "occurred_at", f.OccurredAt)
	validateDate(&invalid, "document_emission_date", f.DocumentEmissionDate)
	validateText(&invalid, "description", f.Description)
	validateText(&invalid, "document", f.Document)
	validateNote(&invalid, "observation", f.Observation)
	f.validateAmounts(&invalid)
	f.Taxes.validate(&invalid, "financial_account_taxes_attributes")
	f.CustomClassifications.validate(&invalid)
	f.CenterClassifications.validate(&invalid)
	f.validateSeries(&invalid)
	if f.ID == 0 {
		validateAttached(&invalid, AttachmentIDList, f.AttachmentIDs)
	}
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
		if OrZero(a.amount) < 0 {
			invalid.Add(a.attribute, messages.Negative)
		}
	}
	switch due := f.Due(); {
	case due < 0 && (f.Amount > 0 || f.SaleAccountID != nil):
		invalid.Add("discount_amount", messages.DiscountTooLarge, "amount", "ticket_amount", "interest_amount")
	// A day's sales may sum up to more, until they are received.
	case due > MaxAmount && (f.SaleAccountID == nil || f.OccurredAt != nil && f.TotalAmount == nil),
		OrZero(f.TotalAmount) > MaxAmount:
		invalid.Add("total_amount", messages.TooLarge)
	}
}

// Settle marks an outstanding account as paid or received. TotalAmount and OccurredAt must be
// set; an account that is not outstanding is refused.
func (f *FinancialAccount) Settle() error {
	if err := f.in(Outstanding, messages.AlreadySettled); err != nil {
		return err
	}
	if f.Awaits != nil {
		return Refuse(Base, f.Awaits)
	}
	var invalid Invalid
	if f.TotalAmount == nil {
		invalid.Add("total_amount", messages.Blank)
	}
	if f.OccurredAt == nil || f.OccurredAt.IsZero() {
		invalid.Add("occurred_at", messages.Blank)
	}
	f.validateAmounts(&invalid)
	f.Status = Settled
	return invalid.Err()
}

// AccountSettlement is the payment or the receipt of one of many accounts (OpenAPI: SettledAccount).
type AccountSettlement struct {
	AccountID                int64
	OccurredAt               *Date
	TotalAmount              *Amount // nil for the amount due
	ExpectedDepositAccountID *int64  // nil leaves that of the account
}

// SettleBy is Settle with the values of a settlement.
func (f *FinancialAccount) SettleBy(s AccountSettlement) error {
	f.OccurredAt, f.TotalAmount = s.OccurredAt, s.TotalAmount
	if s.TotalAmount == nil {
		due := f.Due()
		f.TotalAmount = &due
	}
	if s.ExpectedDepositAccountID != nil {
		f.ExpectedDepositAccountID = s.ExpectedDepositAccountID
	}
	return f.Settle()
}

// SettleOn pays or receives an outstanding account, by the amount due. Others stay as they are.
func (f *FinancialAccount) SettleOn(day Date) {
	if f.Status == Outstanding {
		due := f.Due()
		f.Status, f.OccurredAt, f.TotalAmount = Settled, &day, &due
	}
}

// Reopen makes a settled account outstanding again. It refuses any other account.
func (f *FinancialAccount) Reopen() error {
	if err := f.in(Settled, messages.NotSettled); err != nil {
		return err
	}
	f.Status, f.OccurredAt, f.TotalAmount = Outstanding, nil, nil
	return nil
}

// in returns nil if the account has the given status. Otherwise it refuses with the fault, or with
// another for a reconciled account.
func (f *FinancialAccount) in(status int64, otherwise *messages.Fault) error {
	switch f.Status {
	case status:
		return nil
	case Reconciled:
		return Refuse(Base, messages.AccountReconciled)
	}
	return Refuse(Base, otherwise)
}

// Derived refuses a change to the amount, due date or existence of an account that follows from
// other records, which the error names. It is nil for other accounts.
func (f *FinancialAccount) Derived() error {
	switch {
	case f.CreditCardInvoiceID != nil:
		return Refuse(Base, messages.OfInvoice)
	case f.SaleAccountID != nil:
		return Refuse(Base, messages.AccountOfSales)
	}
	return nil
}

// Removable refuses the deletion of a reconciled or derived account.
func (f *FinancialAccount) Removable() error {
	if f.Status == Reconciled {
		return Refuse(Base, messages.AccountReconciled)
	}
	return f.Derived()
}

// ValidateChange refuses a change to the amount or due date of a derived account, and to the amounts,
// dates and deposit account of a reconciled one: undoing the reconciliation restores these.
func (f *FinancialAccount) ValidateChange(before FinancialAccount) error {
	if f.Amount != before.Amount || f.DueDate != before.DueDate {
		if err := before.Derived(); err != nil {
			return err
		}
	}
	if before.Awaits != nil && f.Status != before.Status {
		return Refuse(Base, before.Awaits)
	}
	if before.Status == Reconciled &&
		(f.figures() != before.figures() || !SameID(f.ExpectedDepositAccountID, before.ExpectedDepositAccountID)) {
		return Refuse(Base, messages.AccountReconciled)
	}
	return nil
}

// Moved reports whether the status, the day of payment or the total differ from before.
func (f *FinancialAccount) Moved(before FinancialAccount) bool {
	now, then := f.figures(), before.figures()
	return f.Status != before.Status || now.occurred != then.occurred || now.total != then.total
}

type figures struct {
	due, occurred                             Date
	amount, ticket, interest, discount, total Amount
	totalled                                  bool // distinguishes a total of zero from a missing one
}

func (f *FinancialAccount) figures() figures {
	var occurred Date
	if f.OccurredAt != nil {
		occurred = *f.OccurredAt
	}
	return figures{f.DueDate, occurred, f.Amount, OrZero(f.TicketAmount), OrZero(f.InterestAmount),
		OrZero(f.DiscountAmount), OrZero(f.TotalAmount),
		f.TotalAmount != nil}
}
