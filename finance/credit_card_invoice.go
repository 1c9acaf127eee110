package finance

import (
	"fmt"

	"bordero/internal/messages"
)

// CreditCardInvoice groups the transactions of a card whose days are in its period. It exists
// only while it has transactions.
type CreditCardInvoice struct {
	ID           int64
	AccountID    int64
	CreditCardID int64
	InvoicePeriod
	Balance           Amount // the sum of its transactions
	TransactionsCount int64
	PayableAccountID  *int64 // nil unless the balance is positive
}

// InvoicePeriod is the calendar of an invoice. StartDate and EndDate, the closing day, are
// inclusive. An invoice is named after the month of its due date.
type InvoicePeriod struct{ StartDate, EndDate, DueDate Date }

// ErrInvoicePaid refuses a change to the transactions of an invoice that is paid or reconciled.
var ErrInvoicePaid = Refuse(Base, messages.InvoicePaid)

// AccountDescription returns the description of the invoice's payable account, cut to 255
// characters.
func (i *CreditCardInvoice) AccountDescription(card string) string {
	due := i.DueDate.t
	text := []rune(fmt.Sprintf(messages.InvoiceAccountf, messages.Months[due.Month()-1], due.Year(), card))
	return string(text[:min(len(text), maxText)])
}

// Billing gives the days of a card's invoices from a certain day on.
type Billing struct {
	StartsOn      Date  // first day of the first such invoice; zero for the start of the calendar
	FirstMonth    Month // the first month that may name such an invoice
	ClosingDay    int64
	ExpirationDay int64
}

// Billings are the billings of a card in order; each applies until the next begins. They alone
// determine the invoice of every day, so an invoice need not be stored before it has
// transactions. Periods cover every day, do not overlap, and each month names at most one
// (decision 0023).
type Billings []Billing

// After returns the billings after the card's days change. The new days apply from the first
// month after that of the last invoice; earlier billings still apply to earlier invoices. Without
// a last invoice the new days apply to all of the calendar. A last invoice at the end of the
// calendar is refused.
func (b Billings) After(last *InvoicePeriod, closingDay, expirationDay int64) (Billings, error) {
	next := Billing{ClosingDay: closingDay, ExpirationDay: expirationDay}
	if last == nil {
		return Billings{next}, nil
	}
	next.StartsOn, next.FirstMonth = last.EndDate.AddDays(1), MonthOf(last.DueDate).AddMonths(1)
	if next.FirstMonth.IsZero() {
		return b, Refuse("closing_day", messages.Unchangeable)
	}
	kept := len(b)
	for kept > 0 && !b[kept-1].StartsOn.Before(next.StartsOn) {
		kept--
	}
	return append(b[:kept:kept], next), nil
}

// Periods returns the invoice period of each day, in the order of the days. It refuses a day for
// which Period returns false.
func (b Billings) Periods(days []Date) ([]InvoicePeriod, error) {
	periods := make([]InvoicePeriod, len(days))
	for i, day := range days {
		var ok bool
		if periods[i], ok = b.Period(day); !ok {
			return nil, Refuse("occurred_at", messages.NotInRange)
		}
	}
	return periods, nil
}

// Period returns the invoice period of a day. ok is false for the first four months of the year
// 1, and if the invoice would be due after the year 9999.
func (b Billings) Period(day Date) (p InvoicePeriod, ok bool) {
	if day.IsZero() || MonthOf(day).AddMonths(-3).IsZero() {
		return p, false
	}
	ruling := b[0]
	for _, later := range b[1:] {
		if !day.Before(later.StartsOn) {
			ruling = later
		}
	}
	return ruling.period(day)
}

// period finds the first month that may name the day's invoice: one that does not close before
// the day.
func (b Billing) period(day Date) (p InvoicePeriod, ok bool) {
	month := MonthOf(day)
	if month.Before(b.FirstMonth) {
		month = b.FirstMonth
	}
	for b.closing(month).Before(day) {
		if month = month.AddMonths(1); month.IsZero() {
			return p, false
		}
	}
	p = InvoicePeriod{StartDate: b.StartsOn, EndDate: b.closing(month), DueDate: month.Day(b.ExpirationDay)}
	before := month.AddMonths(-1)
	if closed := b.closing(before); !before.Before(b.FirstMonth) && !closed.Before(b.StartsOn) {
		p.StartDate = closed.AddDays(1)
	}
	return p, true
}

// closing returns the closing day of the invoice due in the given month. It is in the month
// before if the expiration day is not after the closing day.
func (b Billing) closing(due Month) Date {
	if b.ExpirationDay <= b.ClosingDay {
		due = due.AddMonths(-1)
	}
	return due.Day(b.ClosingDay)
}

// Scan implements sql.Scanner for a JSON list of billings.
func (b *Billings) Scan(src any) error { return scanJSON(src, b) }
