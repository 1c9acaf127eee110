package demo

import (
	"strconv"
	"strings"

	"bordero/finance"
)

// short returns a day as banks write it.
func short(day finance.Date) string { return day.String()[8:] + "/" + day.String()[5:7] }

// transfers move money between the company's own accounts; some arrive a day later.
func (m *Month) transfers() {
	for i := range 12 {
		from, to, out, in := cards, checking, "TRANSF ENTRE CONTAS PROPRIAS", "TRANSF RECEBIDA MESMA TITULARIDADE"
		switch i % 4 {
		case 2:
			from, to, out, in = checking, savings, "APLICACAO AUT MAIS", "APLICACAO RECEBIDA"
		case 3:
			from, to, out, in = savings, checking, "RESGATE ENVIADO", "RESGATE APLIC AUT MAIS"
		}
		amount, day := between(m.r, 5, 80)*100_00, m.r.IntN(len(m.days)-1)
		here := m.line(from, m.day(day), -amount, out)
		here.Other = m.line(to, m.day(day+i%2), amount, in)
		here.Other.Other = here
	}
}

// bankFee is a line of the section bank fees of texts.txt.
type bankFee struct {
	kind, category, written, rule string
	least, most                   finance.Amount
	times                         int
}

func bankFees() (all []bankFee) {
	for _, line := range texts["bank fees"] {
		part := strings.Split(line, " | ")
		b := bankFee{kind: part[0], category: part[1], written: part[2], rule: part[5]}
		least, most, _ := strings.Cut(part[3], " ")
		_ = b.least.UnmarshalText([]byte(least)) // a test reads all lines
		_ = b.most.UnmarshalText([]byte(most))
		b.times, _ = strconv.Atoi(part[4])
		all = append(all, b)
	}
	return all
}

// bankFees adds the fees and interest of the bank, which have no account yet.
func (m *Month) bankFees() {
	for _, b := range bankFees() {
		for i := range b.times {
			amount, bank := between(m.r, b.least, b.most), checking
			if b.kind == finance.Debit {
				amount = -amount
			} else {
				bank = savings
			}
			day := m.day(i * len(m.days) / b.times)
			l := m.line(bank, day, amount, strings.ReplaceAll(b.written, "{day}", short(day)))
			about := described(b.category)
			l.New = &finance.FinancialAccount{Amount: amount.Abs(), Description: &about}
			l.New.CategoryID = m.category(b.category)
		}
	}
}

// described returns the description of accounts of a category: its name without the parent's.
func described(category string) string {
	_, name, _ := strings.Cut(category, finance.CategorySeparator)
	return name
}

// cardSales adds the daily payments of the acquirer, who withholds the rent of its terminal on one
// day in six.
func (m *Month) cardSales() {
	days := map[finance.Date]*finance.FinancialAccount{}
	for s := range m.Sales(MonthSales) {
		day := *s.EstimatedLiquidatedAt // each way to pay has a rule
		f := days[day]
		if f == nil {
			f = &finance.FinancialAccount{Kind: finance.Receivable, Status: s.Status, DueDate: day,
				CompetencyMonth: finance.MonthOf(day), OccurredAt: s.LiquidatedAt,
				SaleAccountID: &m.Outlets[0].Account.ID}
			f.ExpectedDepositAccountID = &m.Banks[cards].ID
			if days[day] = f; finance.MonthOf(day) != m.month {
				m.beside = append(m.beside, f)
			}
		}
		f.Amount += *s.ReceivableAmount
		if s.LiquidatedAt != nil {
			f.TotalAmount = &f.Amount
		}
	}
	for i, day := range m.days {
		f := days[day]
		if f == nil {
			continue
		}
		m.SaleReceivables = append(m.SaleReceivables, f)
		paid := Paid{Account: f}
		if rent := finance.Amount(89_90); i%6 == 5 && f.Amount > rent {
			paid.FeeAmount = &rent
		}
		l := m.line(cards, day, paid.total(), "CIELO VENDAS "+short(day))
		l.Paid = []Paid{paid}
	}
}

// strays are lines that belong to nothing.
func (m *Month) strays() {
	for i, written := range texts["strays"] {
		amount, day := between(m.r, 20_00, 900_00), m.day(m.r.IntN(len(m.days)))
		if i == len(texts["strays"])-1 {
			amount = -amount
		}
		m.line(checking, day, amount, strings.ReplaceAll(written, "{day}", short(day)))
	}
}
