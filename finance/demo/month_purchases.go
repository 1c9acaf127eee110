package demo

import (
	"iter"

	"bordero/finance"
)

// Purchases generates the purchases of the month, all in one invoice. They have a random source of their own, as the
// lines would differ otherwise. The value yielded is valid until the next one.
func (m *Month) Purchases() iter.Seq[*finance.CreditCardTransaction] {
	return func(yield func(*finance.CreditCardTransaction) bool) {
		r := m.random("purchases of " + m.month.String())
		for i := range int64(12) {
			t := m.purchase(r, m.month.Day(1+2*i))
			if !yield(&t) {
				return
			}
		}
	}
}

// invoice sums the purchases. Their invoice is due in the next month, so no line of this one pays it.
func (m *Month) invoice() {
	due := m.month.AddMonths(1).Day(*m.Card.ExpirationDay)
	m.Invoice = &finance.FinancialAccount{Kind: finance.Payable, Status: finance.Outstanding, DueDate: due,
		CompetencyMonth: finance.MonthOf(due)}
	for t := range m.Purchases() {
		m.Invoice.Amount += t.Amount
	}
}
