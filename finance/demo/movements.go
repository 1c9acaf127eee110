package demo

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strconv"
	"strings"

	"bordero/finance"
)

// Movement is a bank transaction and, for some, the financial account that it paid in full.
type Movement struct {
	Transaction finance.FinancialTransaction // refers to one of Banks and one of Statements
	Account     *finance.FinancialAccount    // nil for most
	Reconciled  bool                         // Transaction and Account are reconciled with each other
}

// kind is one line of the section movements of texts.txt.
type kind struct {
	weight            int
	category          string
	written, about    string
	least, most       finance.Amount
	namesPerson, bill bool
}

func readKinds() (kinds []kind) {
	for _, line := range texts["movements"] {
		part := strings.Split(line, " | ")
		least, most, _ := strings.Cut(part[4], " ")
		k := kind{category: part[1], written: part[2], about: part[3],
			namesPerson: strings.Contains(part[2], "{person}")}
		k.weight, _ = strconv.Atoi(part[0])
		_ = k.least.UnmarshalText([]byte(least)) // a test reads all lines
		_ = k.most.UnmarshalText([]byte(most))
		k.bill = k.about != "-"
		if k.least > k.most {
			k.least, k.most = k.most, k.least
		}
		kinds = append(kinds, k)
	}
	return kinds
}

// One movement in ten has an account; three in four of these are reconciled. One account is
// outstanding for every forty movements.
const (
	oneAccountOf, reconciledOf, oneOpenOf = 10, 4, 40
)

// Movements generates n movements in order of day. The value yielded is valid until the next one.
func (c *Company) Movements(n int) iter.Seq[*Movement] {
	return func(yield func(*Movement) bool) {
		r := c.random("movements")
		for i := range n {
			m := c.movement(r, i, c.day(i, n))
			if !yield(&m) {
				return
			}
		}
	}
}

func (c *Company) movement(r *rand.Rand, i int, day date) (m Movement) {
	k := pickWeighted(r, c.kinds, func(k kind) int { return k.weight })
	bank := []int{0, 0, 0, 1, 1, 2}[r.IntN(6)]
	document := strconv.Itoa(100_000 + i%900_000)
	written := strings.ReplaceAll(k.written, "{document}", document)
	guid := fmt.Sprintf("%s%07d", strings.ReplaceAll(day.String(), "-", ""), i%10_000_000)
	t := &m.Transaction
	*t = finance.FinancialTransaction{
		AccountID: c.Entity.AccountID, DepositAccountID: c.Banks[bank].ID,
		BankStatementID: &c.Statements[bank*Months+day.month].ID,
		Amount:          between(r, k.least, k.most), OccurredAt: day.Date, GUID: &guid, Document: &document,
		CurrencyID: finance.BRL,
	}
	if k.namesPerson {
		p := &c.People[c.somebody(r, k.least < 0)]
		written = strings.ReplaceAll(written, "{person}", strings.ToUpper(p.Name))
		t.PersonID = &p.ID
	}
	t.OriginalDescription = &written
	if r.IntN(2) == 0 { // the other half is not classified yet
		t.CategoryID = c.category(k.category)
		t.ClassificationCenterID = &c.Centers[r.IntN(len(c.Centers))].ID
	}
	if k.bill && r.IntN(oneAccountOf) == 0 {
		m.Reconciled = r.IntN(reconciledOf) > 0
		m.Account = c.paidBy(r, t, k, m.Reconciled)
	}
	return m
}

// paidBy generates the account that the transaction paid, due on the same day or up to three days
// earlier.
func (c *Company) paidBy(r *rand.Rand, t *finance.FinancialTransaction, k kind,
	reconciled bool) *finance.FinancialAccount {
	f := c.account(r, t.Amount, t.OccurredAt.AddDays(-max(0, r.IntN(8)-4)), k)
	total := t.Amount.Abs()
	f.Status, f.OccurredAt, f.TotalAmount = finance.Settled, &t.OccurredAt, &total
	if reconciled {
		f.Status = finance.Reconciled
	}
	f.PersonID, f.ClassificationCenterID, f.Document, f.ExpectedDepositAccountID = t.PersonID, t.ClassificationCenterID,
		t.Document, &t.DepositAccountID
	return f
}

// account generates an outstanding account. One in three is of the month before it is due.
func (c *Company) account(r *rand.Rand, signed finance.Amount, due finance.Date, k kind) *finance.FinancialAccount {
	f := &finance.FinancialAccount{
		AccountID: c.Entity.AccountID, EntityID: c.Entity.ID, Kind: finance.Receivable, Status: finance.Outstanding,
		DueDate: due, CompetencyMonth: finance.MonthOf(due), Amount: signed.Abs(), Description: &k.about,
	}
	if signed < 0 {
		f.Kind = finance.Payable
	}
	if r.IntN(3) == 0 {
		f.CompetencyMonth = f.CompetencyMonth.AddMonths(-1)
	}
	f.CategoryID, f.CustomClassifications = c.category(k.category), c.classified(r, 3, f.Amount)
	return f
}

// classified classifies one in so many amounts as a whole, by a value of the classifier.
func (c *Company) classified(r *rand.Rand, oneOf int, whole finance.Amount) finance.CustomClassifications {
	if r.IntN(oneOf) > 0 {
		return nil
	}
	v := &c.Values[r.IntN(len(c.Values))]
	return finance.CustomClassifications{
		{CustomClassifierID: c.Classifier.ID, ValueID: v.ID, Name: v.Value, Amount: &whole}}
}

// Open generates the accounts that are still outstanding beside n movements: of each kind every third is late, by up
// to four months. Of the others the payable ones are due within the next two months and the receivable ones a month
// later, so that the money is least between now and then.
func (c *Company) Open(n int) iter.Seq[*finance.FinancialAccount] {
	return func(yield func(*finance.FinancialAccount) bool) {
		r := c.random("open accounts")
		of := map[bool]int{} // how many, by whether they are payable
		for range n / oneOpenOf {
			k := pickWeighted(r, c.kinds, func(k kind) int { return k.weight })
			if !k.bill {
				continue
			}
			payable, due := k.least < 0, r.IntN(60)
			if !payable {
				due += 30
			}
			if n := of[payable]; n%3 == 0 {
				due = -1 - (n/3*31+r.IntN(10))%120 // one of each month before the next of the first
			}
			of[payable]++
			f := c.account(r, between(r, k.least, k.most), c.today().AddDays(due), k)
			f.PersonID = &c.People[c.somebody(r, payable)].ID
			if r.IntN(3) > 0 {
				f.ExpectedDepositAccountID = &c.Banks[r.IntN(len(c.Banks))].ID
			}
			if r.IntN(3) > 0 {
				f.ClassificationCenterID = c.center(r, payable)
			}
			if !yield(f) {
				return
			}
		}
	}
}

// somebody returns the index of a random supplier or customer.
func (c *Company) somebody(r *rand.Rand, supplier bool) int {
	for {
		if i := r.IntN(len(c.People)); c.People[i].Supplier == supplier {
			return i
		}
	}
}

// center returns the id of a random center of cost or of revenue.
func (c *Company) center(r *rand.Rand, cost bool) *int64 {
	for {
		if z := &c.Centers[r.IntN(len(c.Centers))]; cost && z.CostCenter || !cost && z.RevenueCenter {
			return &z.ID
		}
	}
}

// category returns the id of the category, or nil if the account has no category of that name.
func (c *Company) category(fullName string) *int64 {
	id, ok := c.Categories[fullName]
	if !ok {
		return nil
	}
	return &id
}

// pickWeighted picks one of all with probability proportional to its weight.
func pickWeighted[T any](r *rand.Rand, all []T, weight func(T) int) T {
	sum := 0
	for _, one := range all {
		sum += weight(one)
	}
	at := r.IntN(sum)
	for _, one := range all {
		if at -= weight(one); at < 0 {
			return one
		}
	}
	panic("unreachable: at is less than the sum")
}
