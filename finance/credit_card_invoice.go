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

// Refusals of a change to the transactions of an invoice: ErrInvoicePaid of one that is paid, ErrInvoiceReconciled of
// one that is reconciled too.
var (
	ErrInvoicePaid       = Refuse(Base, messages.InvoicePaid)
	ErrInvoiceReconciled = Refuse(Base, messages.InvoiceReconciled)
)

// AccountDescription returns the description of the invoice's payable account, cut to 255
// characters.
func (i *CreditCardInvoice) AccountDescription(card string) string {
	text := []rune(i.accountDescription(card))
	return string(text[:min(len(text), maxText)])
}

// AccountPrefix returns the beginning of AccountDescription, before the name of the card.
func (p InvoicePeriod) AccountPrefix() string { return p.accountDescription("") }

func (p InvoicePeriod) accountDescription(card string) string {
	due := p.DueDate.t
	return fmt.Sprintf(messages.InvoiceAccountf, messages.Months[due.Month()-1], due.Year(), card)
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

// BillingAfter returns the billing with new days from the day after the last invoice that keeps its
// period. Its first month is after the month of that invoice. Without one the new days apply to all
// of the calendar. A last invoice at the end of the calendar is refused.
func BillingAfter(last *InvoicePeriod, closingDay, expirationDay int64) (Billing, error) {
	next := Billing{ClosingDay: closingDay, ExpirationDay: expirationDay}
	if last == nil {
		return next, nil
	}
	next.StartsOn, next.FirstMonth = last.EndDate.AddDays(1), MonthOf(last.DueDate).AddMonths(1)
	if next.FirstMonth.IsZero() {
		return next, Refuse("closing_day", messages.NotInRange)
	}
	return next, nil
}

// Then returns the billings with next from its first day on. Earlier billings still apply to earlier
// invoices.
func (b Billings) Then(next Billing) Billings {
	kept := len(b)
	for kept > 0 && !b[kept-1].StartsOn.Before(next.StartsOn) {
		kept--
	}
	return append(b[:kept:kept], next)
}

// DayOfPurchases sums up the transactions of a card on one day.
type DayOfPurchases struct {
	Day   Date
	Sum   Sum
	Count int64
}

// Redate dates open invoices of a card anew, and returns the invoices that the days of its purchases
// then have, each with its sum. Both lists are in order of time, and so the invoices keep their ids:
// the first has the first id, and invoices beyond the open ones have none. The ids of open invoices
// that are left without purchases are returned too. It refuses a day that has no invoice, and a sum
// beyond MaxAmount.
func (b Billings) Redate(open []CreditCardInvoice, days []DayOfPurchases) (dated []CreditCardInvoice, left []int64,
	err error) {
	tooLarge := false
	for _, d := range days {
		period, ok := b.Period(d.Day)
		if !ok {
			return nil, nil, Refuse("closing_day", messages.NotInRange)
		}
		if n := len(dated); n == 0 || dated[n-1].InvoicePeriod != period {
			i := CreditCardInvoice{InvoicePeriod: period}
			if n < len(open) {
				i.ID = open[n].ID
			}
			dated = append(dated, i)
		}
		sum, ok := d.Sum.Amount()
		i := &dated[len(dated)-1]
		i.Balance, i.TransactionsCount = i.Balance+sum, i.TransactionsCount+d.Count
		tooLarge = tooLarge || !ok
	}
	for _, i := range dated { // a refund on a later day may lower a sum
		tooLarge = tooLarge || i.Balance.Abs() > MaxAmount
	}
	if tooLarge {
		return nil, nil, Refuse("closing_day", messages.InvoiceTooLarge)
	}
	for _, i := range open[min(len(open), len(dated)):] {
		left = append(left, i.ID)
	}
	return dated, left, nil
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

// Scan implements sql.Scanner for a JSON object of a billing.
func (b *Billing) Scan(src any) error { return scanJSON(src, b) }

// Scan implements sql.Scanner for a JSON list of billings.
func (b *Billings) Scan(src any) error { return scanJSON(src, b) }
