package finance

import (
	"fmt"

	"bordero/internal/messages"
)

// CreditCardInvoice gathers the transactions of a card whose days are of its
// period. One without transactions is not kept.
type CreditCardInvoice struct {
	ID           int64
	AccountID    int64
	CreditCardID int64
	InvoicePeriod
	Balance           Amount // the sum of its transactions
	TransactionsCount int64
	PayableAccountID  *int64 // while the sum is above zero
}

// InvoicePeriod is what the calendar says of an invoice: it holds the days from
// start to end, the closing day, both included. The month of the due date is its
// name.
type InvoicePeriod struct{ StartDate, EndDate, DueDate Date }

// ErrInvoicePaid refuses a change of the transactions of an invoice that is paid or
// reconciled.
var ErrInvoicePaid = Refuse(Base, messages.InvoicePaid)

// AccountDescription is the text of the invoice's payable account, cut to the
// length that it may have.
func (i *CreditCardInvoice) AccountDescription(card string) string {
	due := i.DueDate.t
	text := []rune(fmt.Sprintf(messages.InvoiceAccountf, messages.Months[due.Month()-1], due.Year(), card))
	return string(text[:min(len(text), maxText)])
}

// Billing says which days rule the invoices of a card from a day on.
type Billing struct {
	StartsOn      Date  // the first day of the first such invoice; zero for the beginning of the calendar
	FirstMonth    Month // the first that may name such an invoice
	ClosingDay    int64
	ExpirationDay int64
}

// Billings are those of a card in their order: each rules until the next begins.
// From them alone follows the invoice of every day, so that invoices need not be
// kept before they have transactions, wherever in the calendar those come: periods
// neither overlap nor leave a day out, and no month names two (decision
// 0023).
type Billings []Billing

// After are the billings that there are once other days have been given to the
// card: they rule from the first month after that of the last invoice, those before
// rule its past. Where there is no invoice there is no past. A last invoice at the
// end of the calendar is refused.
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

// Periods are those of the invoices of the days, in the order of the days. A day
// whose invoice the calendar does not have, at either end of it, is refused.
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

// Period is that of the invoice of a day. ok is false for the first four months of the
// year 1, and where the invoice would be due after the year 9999.
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

// period looks for the first month that may name the invoice of the day, one that
// is not closed before the day.
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

// closing is the last day of the invoice that is due in the month: it is closed in
// the month before when it cannot be due in the same.
func (b Billing) closing(due Month) Date {
	if b.ExpirationDay <= b.ClosingDay {
		due = due.AddMonths(-1)
	}
	return due.Day(b.ClosingDay)
}

// Scan implements sql.Scanner over a JSON list of billings.
func (b *Billings) Scan(src any) error { return scanJSON(src, b) }
