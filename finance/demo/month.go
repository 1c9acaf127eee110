package demo

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"bordero/finance"
)

// The deposit accounts of a Month, as indexes of its Banks.
const (
	cards = iota // where the acquirer pays
	checking
	savings
)

// MonthSales is the number of card sales of a Month, from the month before to its end.
const MonthSales = 500

// Month is one month of a company's books that is still open: bank lines as they were imported,
// payable and receivable accounts, and the truth about both. The caller stores it and sets its ids
// before Generate, as with a Company. The caller then stores the generated records; their ids
// appear in its Truth.
type Month struct {
	*Company
	Lines           []*Line                     // in order of day
	Accounts        []*finance.FinancialAccount // some of them unpaid
	SaleReceivables []*finance.FinancialAccount // receivable accounts of the card sales, which the sales open
	Invoice         *finance.FinancialAccount   // payable account of the purchases, which the purchases open

	beside   []*finance.FinancialAccount // as SaleReceivables, due in another month
	month    finance.Month
	days     []finance.Date // Monday to Friday
	r        *rand.Rand
	document int
}

// Line is a line of a bank statement and its true meaning: the accounts that it paid, a side of a
// transfer, or a movement without an account yet. A line without any of these does not belong in
// the books of the month.
type Line struct {
	Movement // of which only the transaction is set
	Paid     []Paid
	Other    *Line
	New      *finance.FinancialAccount // its category and description
}

// Paid is an account that a line paid, and the difference between the payment and the amount due.
type Paid struct {
	Account *finance.FinancialAccount
	finance.Adjustment
}

// NewMonth generates the company of the month, without its lines and accounts.
func NewMonth(account int64, month finance.Month, seed uint64) *Month {
	first, last := month.Day(1), month.AddMonths(1).Day(1).AddDays(-1)
	m := &Month{Company: NewCompany(account, 80, seed, last), month: month, document: 1000}
	m.Outlets = m.Outlets[:1]
	m.liquidated = first
	m.calendar = slices.DeleteFunc(m.calendar, func(d date) bool { return d.month < Months-2 })
	m.r = m.random("month " + month.String())
	m.Banks, m.Statements = nil, nil
	for i, name := range texts["month accounts"] {
		kind, bank, initial := int64([]int{finance.Checking, finance.Checking, finance.Investment}[i]), int64(341),
			between(m.r, 90_000_00, 190_000_00)
		m.Banks = append(m.Banks, finance.DepositAccount{
			AccountID: account, Name: name, DepositAccountTypeID: &kind, BankAccountID: &bank, CurrencyID: finance.BRL,
			InitialBalance: &initial,
		})
		m.Statements = append(m.Statements, finance.BankStatement{
			AccountID: account, FileFileName: "extrato-" + month.String() + ".ofx",
			FileContentType: "application/x-ofx", FileFileSize: 1,
		})
	}
	for d := first; !d.After(last); d = d.AddDays(1) {
		if d.Weekday() != time.Saturday && d.Weekday() != time.Sunday {
			m.days = append(m.days, d)
		}
	}
	return m
}

// Generate generates the lines, and the accounts that they paid or did not.
func (m *Month) Generate() {
	for _, part := range []func(){
		m.customers, m.suppliers, m.severalAtOnce, m.salaries, m.twins, m.lookalikes, m.lateFees, m.unpaid, m.transfers,
		m.bankFees, m.cardSales, m.strays, m.invoice,
	} {
		part()
	}
	slices.SortStableFunc(m.Lines, func(a, b *Line) int {
		return a.Transaction.OccurredAt.Compare(b.Transaction.OccurredAt)
	})
	for i, l := range m.Lines {
		guid := fmt.Sprintf("%s%05d", strings.ReplaceAll(l.Transaction.OccurredAt.String(), "-", ""), i)
		l.Transaction.GUID = &guid
	}
}

// day returns a day from Monday to Friday: the n-th, or the nearest that the month has.
func (m *Month) day(n int) finance.Date { return m.days[min(max(n, 0), len(m.days)-1)] }

// account adds an outstanding account of the person, with a document of its own. what names the
// section of texts.txt with its category and description.
func (m *Month) account(kind finance.AccountKind, of *finance.Person, amount finance.Amount, due finance.Date,
	what string) *finance.FinancialAccount {
	m.document += 1 + m.r.IntN(9)
	category, about, document := texts[what][0], texts[what][1], fmt.Sprintf("NF %d", m.document)
	f := &finance.FinancialAccount{
		AccountID: m.Entity.AccountID, EntityID: m.Entity.ID, Kind: kind, Status: finance.Outstanding, DueDate: due,
		CompetencyMonth: finance.MonthOf(due), Amount: amount, Description: &about, Document: &document,
	}
	f.CategoryID, f.PersonID = m.category(category), &of.ID
	if m.r.IntN(2) == 0 {
		f.ExpectedDepositAccountID = &m.Banks[checking].ID
	}
	m.Accounts = append(m.Accounts, f)
	return f
}

// payment adds the line of the checking account that paid the accounts, of one kind and person.
func (m *Month) payment(of *finance.Person, way string, day finance.Date, paid ...Paid) *Line {
	var sum finance.Amount
	for _, p := range paid {
		sum += p.total()
	}
	if paid[0].Account.Kind == finance.Payable {
		sum = -sum
	}
	l := m.line(checking, day, sum, m.written(way, of, day, paid[0].Account))
	if strings.Contains(way, "boleto") {
		digits := strings.TrimPrefix(*paid[0].Account.Document, "NF ")
		l.Transaction.Document = &digits
	}
	l.Paid = paid
	return l
}

// line adds a line of a deposit account.
func (m *Month) line(bank int, day finance.Date, amount finance.Amount, written string) *Line {
	l := &Line{}
	l.Transaction = finance.FinancialTransaction{
		AccountID: m.Entity.AccountID, DepositAccountID: m.Banks[bank].ID, BankStatementID: &m.Statements[bank].ID,
		Amount:     amount,
		OccurredAt: day, OriginalDescription: &written, CurrencyID: finance.BRL,
	}
	m.Lines = append(m.Lines, l)
	return l
}

// written returns the bank's text for a payment: one of the texts of the way to pay.
func (m *Month) written(way string, of *finance.Person, day finance.Date, f *finance.FinancialAccount) string {
	name, number := []rune(strings.ToUpper(of.Name)), *of.FederationSubscriptionNumber
	masked := "***" + number[3:len(number)-2] + "**"
	var document string
	if f != nil {
		document = strings.TrimPrefix(*f.Document, "NF ")
	}
	return strings.NewReplacer(
		"{person}", string(name), "{short}", string(name[:min(len(name), 18)]), "{number}", number, "{masked}", masked,
		"{digits}", strings.NewReplacer(".", "", "-", "", "/", "").Replace(number), "{document}", document,
		"{day}", short(day), "{pix}", m.endToEndID(day),
	).Replace(pick(m.r, texts[way]))
}

// endToEndID returns the id of a Pix of the day.
func (m *Month) endToEndID(day finance.Date) string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	var end strings.Builder
	for range 11 {
		end.WriteByte(letters[m.r.IntN(len(letters))])
	}
	return fmt.Sprintf("E%08d%s%02d%02d%s", pick(m.r, []int{60746948, 60701190, 18236120, 360305}),
		strings.ReplaceAll(day.String(), "-", ""),
		8+m.r.IntN(12), m.r.IntN(60), end.String())
}

// total returns the sum that was paid of the account.
func (p Paid) total() finance.Amount {
	if p.Account.TotalAmount != nil {
		return *p.Account.TotalAmount
	}
	q := finance.Reconciling{SettleOpen: true}
	if p.adjusted() {
		p.FinancialAccountID = p.Account.ID
		q.Adjustments = []finance.Adjustment{p.Adjustment}
	}
	r := finance.Reconcile{Accounts: []finance.FinancialAccount{*p.Account},
		Transactions: []finance.FinancialTransaction{{}}}
	_ = q.Apply(&r) // fails where an adjustment exceeds the account; never here
	return *r.Accounts[0].TotalAmount
}

func (p Paid) adjusted() bool {
	return p.Adjustment != finance.Adjustment{FinancialAccountID: p.FinancialAccountID}
}

// settled marks the accounts as paid by hand before the statement came: the total has all that the
// payment differed by.
func settled(day finance.Date, paid []Paid) []Paid {
	for i, p := range paid {
		total := p.total()
		p.Account.Status, p.Account.OccurredAt, p.Account.TotalAmount = finance.Settled, &day, &total
		paid[i] = Paid{Account: p.Account}
	}
	return paid
}

// Truth returns the true meaning of each line. The ids of lines and accounts must be set.
func (m *Month) Truth() Truth {
	t := Truth{EntityID: m.Entity.ID, Month: m.month.String(), From: m.month.Day(1).String(),
		To: m.month.Day(31).String(), Rules: m.Rules(), Sums: m.sums()}
	for _, b := range m.Banks {
		t.DepositAccountIDs = append(t.DepositAccountIDs, b.ID)
	}
	paid := map[*finance.FinancialAccount]bool{}
	for _, l := range m.Lines {
		for _, p := range l.Paid {
			paid[p.Account] = true
		}
		t.Lines = append(t.Lines, trueLine(l))
	}
	for _, f := range m.Accounts {
		if !paid[f] {
			t.UnpaidAccountIDs = append(t.UnpaidAccountIDs, f.ID)
		}
	}
	t.UnpaidAccountIDs = append(t.UnpaidAccountIDs, m.Invoice.ID)
	slices.Sort(t.UnpaidAccountIDs)
	slices.SortFunc(t.Lines, func(a, b TrueLine) int { return cmp.Compare(a.TransactionID, b.TransactionID) })
	return t
}
