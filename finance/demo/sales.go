package demo

import (
	"iter"
	"math/rand/v2"
	"strconv"
	"strings"

	"bordero/finance"
)

// Outlet is a place where a company sells: a sale account and its rules.
type Outlet struct {
	Account finance.SaleAccount
	Rules   []finance.SaleRule

	weight int
	ways   []way
}

// way is a way to pay at an outlet. rule is the index of its rule, -1 if no rule matches.
type way struct {
	weight         int
	method, issuer string
	rule           int
}

// fees are the terms of a rule.
type fees struct {
	percentage finance.Percentage
	fixed      finance.Amount
	days       int64
	working    bool // paid only from Monday to Friday
}

// outlets returns the outlets that every company has.
func outlets(account int64) []*Outlet {
	cards := &Outlet{weight: 60, Account: finance.SaleAccount{AccountID: account, Name: "Cielo", Provider: "cielo",
		Consolidate: true}}
	cards.take(22, "credit", "Visa", fees{2_4900, 0, 30, true})
	cards.take(20, "credit", "MasterCard", fees{2_4900, 0, 30, true})
	cards.take(8, "credit", "Elo", fees{2_9900, 0, 30, true})
	cards.take(20, "debit", "Visa", fees{1_3900, 0, 1, true})
	cards.take(15, "debit", "MasterCard", fees{1_3900, 0, 1, true})
	cards.take(15, "parcelled", "Visa", fees{3_7900, 0, 30, true})
	counter := &Outlet{weight: 37, Account: finance.SaleAccount{AccountID: account, Name: "Caixa da loja",
		Provider: "stone", Consolidate: true}}
	counter.take(80, "pix", "", fees{9900, 0, 0, false})
	counter.take(16, "voucher", "Alelo", fees{5_5000, 0, 14, true})
	counter.takeUnruled(4, "cash")
	shop := &Outlet{weight: 3, Account: finance.SaleAccount{AccountID: account, Name: "Loja virtual",
		Provider: "pagseguro"}}
	shop.take(1, "billet", "", fees{0, 3_49, 2, true})
	return []*Outlet{cards, counter, shop}
}

// take adds a way to pay and its rule.
func (o *Outlet) take(weight int, method, issuer string, f fees) {
	rule := finance.SaleRule{AccountID: o.Account.AccountID, PaymentMethod: method, DaysToLiquidation: f.days}
	if issuer != "" {
		rule.Issuer = &issuer
	}
	if f.percentage > 0 {
		rule.FeePercentage = &f.percentage
	}
	if f.fixed > 0 {
		rule.FixedFeeAmount = &f.fixed
	}
	if f.working {
		_ = rule.Weekdays.UnmarshalText([]byte("1,2,3,4,5"))
	}
	o.takeUnruled(weight, method)
	o.ways[len(o.ways)-1].issuer, o.ways[len(o.ways)-1].rule = issuer, len(o.Rules)
	o.Rules = append(o.Rules, rule)
}

// takeUnruled adds a way to pay without a rule.
func (o *Outlet) takeUnruled(weight int, method string) {
	o.ways = append(o.ways, way{weight, method, "", -1})
	if !o.Account.AcceptsMethod(method) {
		o.Account.PaymentMethods = strings.TrimPrefix(o.Account.PaymentMethods+","+method, ",")
	}
}

// Sales generates n sales in order of day, with the prices that their rules give. Sales due
// before today are liquidated. The value yielded is valid until the next one.
func (c *Company) Sales(n int) iter.Seq[*finance.Sale] {
	return func(yield func(*finance.Sale) bool) {
		r := c.random("sales")
		for i := range n {
			s := c.sale(r, i, c.day(i, n).Date)
			if !yield(&s) {
				return
			}
		}
	}
}

func (c *Company) sale(r *rand.Rand, i int, day finance.Date) finance.Sale {
	o := pickWeighted(r, c.Outlets, func(o *Outlet) int { return o.weight })
	w := pickWeighted(r, o.ways, func(w way) int { return w.weight })
	document, product := "NF "+strconv.Itoa(1000+i), pick(r, texts["products"])
	s := finance.Sale{
		AccountID: c.Entity.AccountID, EntityID: c.Entity.ID, SaleAccountID: o.Account.ID, PaymentMethod: w.method,
		OccurredAt:      day,
		CompetencyMonth: finance.MonthOf(day), Document: &document, Description: &product,
		NominalAmount: between(r, 4_90, 350_00),
	}
	if w.issuer != "" {
		code := strconv.Itoa(10_000_000 + r.IntN(90_000_000))
		s.Issuer, s.ProviderCode = &w.issuer, &code
	}
	if w.method == "parcelled" {
		number, count := int64(1+i%3), int64(3)
		s.InstallmentNumber, s.InstallmentCount = &number, &count
	}
	if r.IntN(3) == 0 {
		s.PersonID = &c.People[c.somebody(r, false)].ID
		s.CategoryID = c.category("Receitas de vendas / Venda de produtos")
		s.ClassificationCenterID = &c.Centers[r.IntN(len(c.Centers))].ID
	}
	if r.IntN(20) == 0 {
		discount := s.NominalAmount / 10
		s.DiscountAmount = &discount
	}
	s.TotalAmount = finance.TotalOf(&s)
	if r.IntN(50) == 0 { // 9 is ISS
		s.TotalTaxes = s.TotalAmount * 5 / 100
		s.Taxes = finance.TaxCharges{{TaxID: 9, Amount: s.TotalTaxes}}
	}
	s.CustomClassifications = c.classified(r, 10, s.TotalAmount)
	if w.rule >= 0 {
		c.price(&s, &o.Rules[w.rule])
	}
	return s
}

// price prices the sale by the rule, and liquidates it if it was due before then.
func (c *Company) price(s *finance.Sale, rule *finance.SaleRule) {
	p := rule.Price(s.TotalAmount, s.OccurredAt)
	s.Status, s.SaleRuleID, s.FeePercentage, s.FixedFeeAmount = finance.SalePriced, &rule.ID, rule.FeePercentage,
		rule.FixedFeeAmount
	s.FeePercentageAmount, s.ReceivableAmount, s.DaysToLiquidation = p.FeePercentageAmount, &p.ReceivableAmount,
		&rule.DaysToLiquidation
	s.EstimatedLiquidatedAt, s.LiquidationWeekday = &p.EstimatedLiquidatedAt, p.LiquidationWeekday
	if p.EstimatedLiquidatedAt.Before(c.liquidated) {
		s.Status, s.LiquidatedAt = finance.SaleLiquidated, &p.EstimatedLiquidatedAt
	}
}
