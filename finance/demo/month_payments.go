package demo

import (
	"bordero/finance"
)

// ways are the sections of texts.txt that a customer, and a supplier, pays by.
var (
	received = []string{"pix received", "pix received", "boleto received", "ted received"}
	sent     = []string{"pix sent", "boleto paid", "boleto paid", "ted sent"}
)

// customers pay 80 receivable accounts. Three in four pay the amount due; the others pay early with
// a discount, late with fine and interest, less a tax that they withhold, or less the bank's fee.
func (m *Month) customers() {
	for range 80 {
		p, due, amount := m.person(false), m.r.IntN(len(m.days)), between(m.r, 150_00, 6_000_00)
		f := m.account(finance.Receivable, p, amount, m.day(due), "goods sold")
		way, paid, late := pick(m.r, received), Paid{Account: f}, m.r.IntN(3)-1
		switch m.r.IntN(16) {
		case 0:
			paid.DiscountAmount, late = percent(amount, 5), -3
		case 1:
			paid.TicketAmount, paid.InterestAmount, late = percent(amount, 2), percent(amount, 1), 4
		case 2:
			paid.WithheldTaxAmount = percent(amount, 2)
		case 3:
			way, paid.FeeAmount = "boleto received", percent(amount, 1)
		}
		m.paid(p, way, due+late, paid)
	}
}

// suppliers are paid 60 payable accounts, with the differences that customers have.
func (m *Month) suppliers() {
	for range 60 {
		p, due, amount := m.person(true), m.r.IntN(len(m.days)), between(m.r, 90_00, 9_000_00)
		f := m.account(finance.Payable, p, amount, m.day(due), "flour bought")
		way, paid, late := pick(m.r, sent), Paid{Account: f}, m.r.IntN(3)-1
		switch m.r.IntN(16) {
		case 0:
			paid.DiscountAmount, late = percent(amount, 3), -4
		case 1:
			paid.TicketAmount, paid.InterestAmount, late = percent(amount, 2), percent(amount, 1), 3
		case 2:
			paid.WithheldTaxAmount = percent(amount, 11)
		case 3:
			way, paid.FeeAmount = "ted sent", percent(amount, 1)
		}
		m.paid(p, way, due+late, paid)
	}
}

// paid adds a payment on the n-th day. One in four accounts was marked as paid before.
func (m *Month) paid(of *finance.Person, way string, n int, paid ...Paid) {
	day := m.day(n)
	if m.r.IntN(4) == 0 {
		paid = settled(day, paid)
	}
	m.payment(of, way, day, paid...)
}

// severalAtOnce are lines that pay two to four accounts of one person, one of them with a discount.
func (m *Month) severalAtOnce() {
	for i := range 10 {
		kind, ways, what := finance.Payable, sent, "packaging bought"
		if i%2 == 0 {
			kind, ways, what = finance.Receivable, received, "monthly fees"
		}
		p, due := m.person(kind == finance.Payable), 2+m.r.IntN(len(m.days)-4)
		var paid []Paid
		for range 2 + m.r.IntN(3) {
			paid = append(paid, Paid{Account: m.account(kind, p, between(m.r, 60_00, 2_000_00), m.day(due-m.r.IntN(3)),
				what)})
		}
		if i == 0 {
			paid[0].DiscountAmount = percent(paid[0].Account.Amount, 5)
		}
		m.payment(p, pick(m.r, ways), m.day(due), paid...)
	}
}

// salaries are equal amounts on one day, to different people.
func (m *Month) salaries() {
	for i := range 12 {
		p := m.person(false)
		f := m.account(finance.Payable, p, []finance.Amount{1_850_00, 1_850_00, 2_400_00}[i%3], m.day(4), "wages")
		m.payment(p, "salary", m.day(4), Paid{Account: f})
	}
}

// twins are two payments of equal amount on one day that differ by their documents; and two of equal
// amount and document, which differ by the person alone.
func (m *Month) twins() {
	for i := range 10 {
		day, amount := 3+m.r.IntN(len(m.days)-6), between(m.r, 200_00, 3_000_00)
		first, second := m.person(true), m.person(true)
		one := m.account(finance.Payable, first, amount, m.day(day), "packaging bought")
		other := m.account(finance.Payable, second, amount, m.day(day), "packaging bought")
		if i%2 == 0 {
			other.Document = one.Document
		}
		m.payment(first, "boleto paid", m.day(day), Paid{Account: one})
		m.payment(second, "boleto paid", m.day(day), Paid{Account: other})
	}
}

// lookalikes are payments beside an unpaid account that is almost the right one: a cent
// off, a similar document, or a month later.
func (m *Month) lookalikes() {
	for i := range 18 {
		p, day, amount := m.person(false), 1+m.r.IntN(len(m.days)-2), between(m.r, 120_00, 2_500_00)
		f := m.account(finance.Receivable, p, amount, m.day(day), "orders sold")
		beside := m.account(finance.Receivable, p, amount, m.day(day), "orders sold")
		switch i % 3 {
		case 0:
			beside.Amount++
		case 1:
			beside.PersonID = &m.person(false).ID
			similar := *f.Document + "1"
			beside.Document = &similar
		case 2:
			beside.DueDate = f.DueDate.AddDays(finance.SuggestionWindow + 1)
		}
		m.payment(p, pick(m.r, received), m.day(day), Paid{Account: f})
	}
}

// lateFees adds monthly fees. The customer pays the previous month's fee, out of the window, while
// the next one, of the same amount, stays due.
func (m *Month) lateFees() {
	for range 4 {
		p, day, amount := m.person(false), 2+m.r.IntN(len(m.days)-4), between(m.r, 200_00, 900_00)
		before := m.account(finance.Receivable, p, amount, m.day(day).AddDays(-25), "monthly fees")
		m.account(finance.Receivable, p, amount, m.day(day).AddDays(5), "monthly fees")
		m.payment(p, "pix received", m.day(day), Paid{Account: before})
	}
}

// unpaid are accounts that no line pays.
func (m *Month) unpaid() {
	for i := range 24 {
		if i%2 == 0 {
			m.account(finance.Payable, m.person(true), between(m.r, 90_00, 4_000_00), m.day(i), "supplies bought")
		} else {
			m.account(finance.Receivable, m.person(false), between(m.r, 90_00, 4_000_00), m.day(i), "goods sold")
		}
	}
}

// person returns a random supplier or customer.
func (m *Month) person(supplier bool) *finance.Person { return &m.People[m.somebody(m.r, supplier)] }

// percent returns so many per cent of an amount.
func percent(a finance.Amount, n int64) *finance.Amount {
	part := a * finance.Amount(n) / 100
	return &part
}
