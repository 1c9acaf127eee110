package demo

import (
	"bordero/finance"
)

// TrueIncome is a row of the income statement of the closed month. A category is without the categories below it.
type TrueIncome struct {
	Kind       string `json:"kind"`
	CategoryID int64  `json:"category_id"` // 0 in the rows of other kinds
	Amount     string `json:"amount"`
}

// income sums amounts by row.
type income map[TrueIncome]finance.Amount

func (sums income) add(kind string, category *int64, amount finance.Amount) {
	row := TrueIncome{Kind: kind, CategoryID: finance.OrZero(category)}
	if kind == finance.CategoryRow && category == nil {
		row.Kind = finance.UncategorisedRow
	}
	sums[row] += amount
}

// rows returns the rows that are not zero, in no order.
func (sums income) rows() (rows []TrueIncome) {
	for row, amount := range sums {
		if row.Amount = amount.String(); amount != 0 {
			rows = append(rows, row)
		}
	}
	return rows
}

// incomeStatements returns the rows of the month by basis.
func (m *Month) incomeStatements() map[string][]TrueIncome {
	return map[string][]TrueIncome{
		finance.ByCompetency: m.incomeByCompetency().rows(), finance.ByCash: m.incomeByCash().rows()}
}

func (m *Month) incomeByCompetency() income {
	sums := income{}
	for _, f := range m.Accounts {
		if f.CompetencyMonth == m.month {
			sums.add(finance.CategoryRow, f.CategoryID, signOf(f.Kind)*f.Amount)
		}
	}
	for _, l := range m.Lines {
		if l.New != nil {
			sums.add(finance.CategoryRow, l.New.CategoryID, l.Transaction.Amount)
		}
	}
	for s := range m.Sales(MonthSales) {
		if s.CompetencyMonth != m.month {
			continue
		}
		sums.add(finance.CategoryRow, s.CategoryID, s.TotalAmount)
		sums.add(finance.TaxesRow, nil, -s.TotalTaxes)
		if s.ReceivableAmount != nil {
			sums.add(finance.FeesRow, nil, *s.ReceivableAmount-s.TotalAmount)
		}
	}
	for t := range m.Purchases() {
		if finance.MonthOf(t.OccurredAt) == m.month {
			sums.add(finance.CategoryRow, t.CategoryID, -t.Amount)
		}
	}
	return sums
}

// incomeByCash sums the lines but transfers: what they paid, or their own category.
func (m *Month) incomeByCash() income {
	sums := income{}
	for _, l := range m.Lines {
		switch {
		case l.Other != nil:
		case l.New != nil:
			sums.add(finance.CategoryRow, l.New.CategoryID, l.Transaction.Amount)
		case l.Paid == nil:
			sums.add(finance.CategoryRow, l.Transaction.CategoryID, l.Transaction.Amount)
		}
		for _, p := range l.Paid {
			m.addPaid(sums, p)
		}
	}
	return sums
}

// addPaid adds what was paid of an account by its category or its sales, and beside it.
func (m *Month) addPaid(sums income, p Paid) {
	f, sign := p.Account, signOf(p.Account.Kind)
	rest := sign * p.total()
	beside := func(kind string, amount finance.Amount) {
		sums.add(kind, nil, amount)
		rest -= amount
	}
	beside(finance.InterestRow, sign*(finance.OrZero(f.InterestAmount)+finance.OrZero(p.InterestAmount)))
	beside(finance.FinesRow, sign*(finance.OrZero(f.TicketAmount)+finance.OrZero(p.TicketAmount)))
	beside(finance.DiscountsRow, -sign*(finance.OrZero(f.DiscountAmount)+finance.OrZero(p.DiscountAmount)))
	beside(finance.WithheldTaxRow, -sign*finance.OrZero(p.WithheldTaxAmount))
	beside(finance.FeesRow, -finance.OrZero(p.FeeAmount))
	if f.SaleAccountID == nil {
		sums.add(finance.CategoryRow, f.CategoryID, rest)
		return
	}
	for s := range m.Sales(MonthSales) {
		if s.EstimatedLiquidatedAt != nil && *s.EstimatedLiquidatedAt == f.DueDate {
			sums.add(finance.CategoryRow, s.CategoryID, s.TotalAmount)
			sums.add(finance.CardFeesRow, nil, *s.ReceivableAmount-s.TotalAmount)
		}
	}
}

func signOf(kind finance.AccountKind) finance.Amount {
	if kind == finance.Payable {
		return -1
	}
	return 1
}
