package api_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/paths"

	"github.com/lib/pq"
)

const visaDebit = `"payment_method":"debit","issuer":"visa",`

// Two months by cash, by hand: with interest, a fine, a discount, withheld tax, fees, an invoice with a refund, sales,
// a payment of two months, a transfer and a pair.
func TestAnIncomeStatementByCashByHand(t *testing.T) {
	t.Parallel()
	s := newServiceOn(t, "2026-05-02")
	below, other := s.newDepositAccount(t), s.newDepositAccount(t)
	category := func(name, fields string) int64 {
		return lastID(s.newCategory(t, fmt.Sprintf(`{"name":%q,%s}`, name, fields)))
	}
	costs, earned := category("Gastos", `"cost":true`), category("Ganhos", `"revenue":true`)
	flour := category("Farinha", fmt.Sprintf(`"cost":true,"parent_id":%d`, costs))
	account := func(kind finance.AccountKind, amount string, category int64) int64 {
		return lastID(s.newAccount(t, kind, fmt.Sprintf(`"due_date":"2026-04-10","competency_month":"2026-01",`+
			`"amount":%s,"category_id":%d`, amount, category)))
	}
	moved := func(kind, amount, day string) int64 { return lastID(s.newTransaction(t, below, kind, amount, day)) }
	reconcile := func(accounts, transactions []int64, adjustment string) {
		more := `,"settle_open":true`
		if adjustment != "" {
			more += fmt.Sprintf(`,"adjustments":[{"financial_account_id":%d,%s}]`, accounts[0], adjustment)
		}
		s.reconciles(t, accounts, transactions, more).want(t, 200)
	}
	reconcile(ids(account(finance.Receivable, "1000", earned)), ids(moved("Credit", "1030", "2026-03-10")),
		`"interest_amount":20,"ticket_amount":10`)
	reconcile(ids(account(finance.Receivable, "250.5", earned)), ids(moved("Credit", "240.5", "2026-04-02")),
		`"fee_amount":4,"withheld_tax_amount":6`)
	// Of 133.33 in March the flour has 99.99 and the largest part's cent, the rest 33.33.
	reconcile(ids(account(finance.Payable, "300", flour), account(finance.Payable, "100.01", costs)),
		ids(moved("Debit", "133.33", "2026-03-30"), moved("Debit", "266.68", "2026-04-03")), "")
	reconcile(ids(account(finance.Payable, "50", costs)), ids(moved("Debit", "45", "2026-04-30")),
		`"discount_amount":5`)
	reconcile(ids(account(finance.Payable, "9", costs)), ids(moved("Debit", "9", "2026-05-01")), "") // after the months

	card := s.newCard(t, 20, 28)
	for _, bought := range []string{`"amount":60,"category_id":%d`, `"amount":-10,"category_id":%d`, `"amount":20`} {
		if strings.Contains(bought, "%d") {
			bought = fmt.Sprintf(bought, flour)
		}
		s.call(t, "POST", card+"/transactions", document(`{"credit_card_transaction":{"occurred_at":"2026-03-25",`+
			bought+`,"description":"C"}}`)).want(t, 201)
	}
	invoice := query[int64](t, s, `SELECT id FROM financial_accounts WHERE credit_card_invoice_id IS NOT NULL`)
	reconcile(ids(invoice), ids(moved("Debit", "70.7", "2026-04-28")), `"interest_amount":0.7`)

	shop := s.newSaleAccount(t, `"consolidate":true`)
	s.newSaleRule(t, shop, visaDebit+`"fee_percentage":3,"days_to_liquidation":1`)
	for _, amount := range []string{"100", "50"} {
		s.newSale(t, shop, fmt.Sprintf(visaDebit+`"occurred_at":"2026-03-02","nominal_amount":%s,"category_id":%d`,
			amount, earned))
	}
	s.price(t, lastID(shop))
	received := query[int64](t, s, `SELECT id FROM financial_accounts WHERE sale_account_id IS NOT NULL`)
	reconcile(ids(received), ids(moved("Credit", "145.50", "2026-03-03")), "")

	s.call(t, "POST", below+"/financial_transactions", document(fmt.Sprintf(`{"financial_transaction":{"type":"Debit",`+
		`"amount":77,"occurred_at":"2026-03-04","transfer_deposit_account_id":%d}}`, lastID(other)))).want(t, 201)
	pair := lastID(s.newTransaction(t, other, finance.Credit, "31", "2026-03-06"))
	s.call(t, "POST", paths.Entity(s.EntityID)+"/transfers", document(fmt.Sprintf(`{"transfer":{`+
		`"debit_transaction_id":%d,"credit_transaction_id":%d}}`, moved("Debit", "31", "2026-03-05"),
		pair))).want(t, 201)
	s.exec(t, `UPDATE financial_transactions SET category_id = $1 WHERE id = $2`, costs,
		moved("Debit", "12.5", "2026-03-05"))

	address := paths.Entity(s.EntityID) + "/reports/income_statement%s?basis=cash&from=2026-03&to=2026-04"
	shown := func() (rows []string) {
		a := s.call(t, "GET", fmt.Sprintf(address, ".csv")).want(t, 200).rows(t, ',')[1:]
		for i := 0; i < len(a); i += 2 {
			rows = append(rows, strings.Join([]string{a[i][0], a[i][2], a[i][5], a[i][7], a[i+1][7]}, " "))
		}
		return rows
	}
	want := []string{
		"result Ganhos category 1150.0 250.5",
		"result Gastos category -145.83 -366.68",
		"result Farinha category -100.0 -250.0",
		"result  uncategorised 0.0 -20.0",
		"result  fees 0.0 -4.0",
		"result  interest 20.0 -0.7",
		"result  fines 10.0 0.0",
		"result  discounts 0.0 5.0",
		"result  withheld_tax 0.0 -6.0",
		"result  card_fees -4.5 0.0",
	}
	equal(t, shown(), want)
	s.exec(t, `UPDATE reconciles SET month = NULL`) // as the release before left them
	equal(t, shown(), want)

	for _, row := range s.incomeStatement(t, fmt.Sprintf(address, "")).Statement.Rows {
		for _, cell := range row.Cells {
			for _, l := range cell.Lists { // each has the records of its amount
				equal(t, len(s.call(t, "GET", l.Href[len(publicURL):]).all(t, "*")) > 0, true)
			}
		}
	}
	few := s.member(t, finance.Access{AllEntities: true, Denied: []string{"financial_transactions"}})
	s.call(t, "GET", fmt.Sprintf(address, ""), as(few)).want(t, 403)
}

// cashBooks are random books with reconciles of all shapes. Each record is of one of two centers, or is split between
// both.
type cashBooks struct {
	*service
	*rand.Rand
	below   string
	centers [2]int64
}

func newCashBooks(t *testing.T) *cashBooks {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	b := &cashBooks{service: newServiceOn(t, "2026-05-02"), Rand: rand.New(rand.NewPCG(seed, 0))}
	b.below = b.newDepositAccount(t)
	for i := range b.centers {
		b.centers[i] = lastID(b.newCenter(t, b.EntityID, fmt.Sprint("Z", i)))
	}
	for range 25 {
		b.reconcileAccounts(t)
	}
	b.payInvoices(t)
	b.receiveSales(t)
	for range 12 {
		b.move(t, b.cents()*finance.Amount(1-2*b.IntN(2)))
	}
	other := b.newDepositAccount(t)
	b.call(t, "POST", b.below+"/financial_transactions", document(fmt.Sprintf(`{"financial_transaction":{`+
		`"type":"Debit","amount":77,"occurred_at":"2026-02-04","transfer_deposit_account_id":%d}}`,
		lastID(other)))).want(t, 201)
	return b
}

func (b *cashBooks) cents() finance.Amount { return finance.Amount(1 + b.IntN(30000)) }
func (b *cashBooks) day() string {
	return fmt.Sprintf("2026-%02d-%02d", 1+b.IntN(4), 1+b.IntN(28))
}

// move makes a transaction of one of the centers.
func (b *cashBooks) move(t *testing.T, amount finance.Amount) int64 {
	t.Helper()
	kind := finance.Credit
	if amount < 0 {
		kind = finance.Debit
	}
	id := lastID(b.newTransaction(t, b.below, kind, amount.Abs().String(), b.day()))
	b.exec(t, `UPDATE financial_transactions SET classification_center_id = $1 WHERE id = $2`, b.centers[b.IntN(2)], id)
	return id
}

// split returns members of a record: its category and its center, or its two centers.
func (b *cashBooks) split(centers bool) string {
	category := ""
	if b.IntN(3) > 0 {
		category = fmt.Sprintf(`,"category_id":%d`, 1+b.IntN(4))
	}
	if !centers || b.IntN(2) == 0 {
		return fmt.Sprintf(`%s,"classification_center_id":%d`, category, b.centers[b.IntN(2)])
	}
	return fmt.Sprintf(`%s,"classification_center_classifications":[{"classification_center_id":%d,"percentage":30},`+
		`{"classification_center_id":%d,"percentage":70}]`, category, b.centers[1], b.centers[0])
}

// reconcileAccounts reconciles up to three accounts, some of them paid before with another amount than was due, with up
// to three transactions of four months.
func (b *cashBooks) reconcileAccounts(t *testing.T) {
	t.Helper()
	kind := []finance.AccountKind{finance.Payable, finance.Receivable}[b.IntN(2)]
	var accounts []int64
	var owed finance.Amount
	for range 1 + b.IntN(3) {
		amount, paid := b.cents(), ""
		total := amount
		if b.IntN(4) == 0 {
			total += b.cents()
			paid = fmt.Sprintf(`,"occurred_at":"2026-01-05","total_amount":%v`, total)
		}
		accounts = append(accounts, lastID(b.newAccount(t, kind, fmt.Sprintf(`"due_date":"2026-03-10","amount":%v%s%s`,
			amount, paid, b.split(true)))))
		owed += total
	}
	var adjustments string
	if b.IntN(2) == 0 {
		fee := b.cents()
		interest := fee + b.cents()
		if owed += interest + fee; kind == finance.Receivable {
			owed -= 2 * fee
		}
		adjustments = fmt.Sprintf(`,"adjustments":[{"financial_account_id":%d,"interest_amount":%v,"fee_amount":%v}]`,
			accounts[0], interest, fee)
	}
	b.reconcileWith(t, kind, accounts, owed, adjustments)
}

// reconcileWith reconciles accounts with up to three new transactions.
func (b *cashBooks) reconcileWith(t *testing.T, kind finance.AccountKind, accounts []int64, owed finance.Amount,
	more string) {
	t.Helper()
	var with []int64
	for left, n := owed, 1+b.IntN(3); left > 0; n-- {
		amount := left
		if n > 1 {
			amount = 1 + finance.Amount(b.Int64N(int64(left)))
		}
		left -= amount
		if kind == finance.Payable {
			with = append(with, b.move(t, -amount))
		} else {
			with = append(with, b.move(t, amount))
		}
	}
	b.reconciles(t, accounts, with, `,"settle_open":true`+more).want(t, 200)
}

// payInvoices pays the invoices of a card, one of them with another amount than its purchases.
func (b *cashBooks) payInvoices(t *testing.T) {
	t.Helper()
	card := b.newCard(t, 20, 28)
	for range 12 {
		b.buy(t, card, fmt.Sprintf(`"occurred_at":"2026-0%d-07","amount":%v,"description":"C"%s`, 1+b.IntN(2),
			30000+b.cents(), b.split(false)))
	}
	b.buy(t, card, `"occurred_at":"2026-01-09","amount":-10,"description":"E"`+b.split(false))
	for i, invoice := range b.of(t, "payable", "credit_card_invoice_id") {
		if i == 0 {
			b.call(t, "PUT", fmt.Sprintf("%s/%d/pay", paths.FinancialAccounts(b.EntityID, "payable"), invoice),
				document(`{"payable_account":{"occurred_at":"2026-02-10","total_amount":123.45}}`)).want(t, 200)
		}
		b.reconcileWith(t, finance.Payable, ids(invoice), query[finance.Amount](t, b.service, `SELECT
			coalesce(total_amount, amount) FROM financial_accounts WHERE id = $1`, invoice), "")
	}
}

// receiveSales receives the sales of a sale account: the account of one day with an amount other than the expected one.
func (b *cashBooks) receiveSales(t *testing.T) {
	t.Helper()
	shop := b.newSaleAccount(t, `"consolidate":true`)
	b.newSaleRule(t, shop, visaDebit+`"fee_percentage":3.17,"days_to_liquidation":1`)
	for range 12 {
		b.newSale(t, shop, fmt.Sprintf(visaDebit+`"occurred_at":"2026-02-%02d","nominal_amount":%v%s`, 3+b.IntN(2),
			b.cents(), b.split(true)))
	}
	b.price(t, lastID(shop))
	for i, received := range b.of(t, "receivable", "sale_account_id") {
		if i == 0 {
			b.call(t, "PUT", fmt.Sprintf("%s/%d/receive", paths.FinancialAccounts(b.EntityID, "receivable"), received),
				document(`{"receivable_account":{"occurred_at":"2026-02-10","total_amount":77.77}}`)).want(t, 200)
		}
		b.reconcileWith(t, finance.Receivable, ids(received), query[finance.Amount](t, b.service, `SELECT
			coalesce(total_amount, amount) FROM financial_accounts WHERE id = $1`, received), "")
	}
}

// of returns the accounts of a kind that have a column.
func (b *cashBooks) of(t *testing.T, kind, column string) []int64 {
	t.Helper()
	return query[pq.Int64Array](t, b.service, `SELECT array_agg(id ORDER BY id) FROM financial_accounts
		WHERE kind = $1 AND `+column+` IS NOT NULL`, kind)
}

// By cash the result of each month is the movement of the balances without transfers, to the cent, whether or not the
// months of reconciles are kept; the statements of all centers add up to the whole; and a reconcile that is undone
// leaves no trace.
func TestIncomeByCashIsTheMovementOfBalances(t *testing.T) {
	t.Parallel()
	b := newCashBooks(t)
	path := paths.Entity(b.EntityID) + "/reports/income_statement?basis=cash&from=2026-01&to=2026-04"
	result := func(query string) (months [4]finance.Amount) {
		s := b.incomeStatement(t, path+query)
		for i, cell := range s.Statement.Result {
			months[i] = cell.Amount
		}
		return months
	}
	payment := lastID(b.newTransaction(t, b.below, finance.Debit, "5", "2026-03-03"))
	b.exec(t, `UPDATE financial_transactions SET classification_center_id = $1 WHERE id = $2`, b.centers[0], payment)
	var moved [4]finance.Amount
	for i := range moved {
		moved[i] = query[finance.Amount](t, b.service, `SELECT coalesce(sum(amount), 0) FROM financial_transactions
			WHERE transfer_id IS NULL AND extract(month FROM occurred_at) = $1`, i+1)
	}
	equal(t, result(""), moved)
	first := result(fmt.Sprintf("&center_id=%d", b.centers[0]))
	second := result(fmt.Sprintf("&center_id=%d", b.centers[1]))
	for i := range moved {
		equal(t, first[i]+second[i], moved[i])
	}
	equal(t, first != moved && second != moved, true)

	body := b.call(t, "GET", path).want(t, 200).body
	made := b.reconciles(t, ids(lastID(b.newAccount(t, finance.Payable, `"due_date":"2026-03-10","amount":5,`+
		`"category_id":1`))), ids(payment), `,"settle_open":true`).want(t, 200)
	equal(t, b.call(t, "GET", path).want(t, 200).body == body, false)
	b.call(t, "DELETE", paths.Reconciles(b.EntityID)+"/"+made.at(t, "reconcile_id")).want(t, 200)
	equal(t, b.call(t, "GET", path).want(t, 200).body, body)

	b.exec(t, `UPDATE reconciles SET month = NULL`)
	equal(t, b.call(t, "GET", path).want(t, 200).body, body)
}

// A side of a transfer may be reconciled: alone it is in no statement by cash, and beside a payment that payment is.
func TestIncomeByCashLeavesOutReconciledSides(t *testing.T) {
	t.Parallel()
	s := newService(t)
	from, to := s.newDepositAccount(t), s.newDepositAccount(t)
	account := func(amount int) int64 {
		return lastID(s.newAccount(t, finance.Payable, fmt.Sprintf(`"due_date":"2026-03-10","amount":%d`, amount)))
	}
	side := func() int64 {
		return lastID(s.made(t, from+"/financial_transactions", fmt.Sprintf(`{"financial_transaction":{"amount":3,
			"type":"Debit","occurred_at":"2026-03-10","transfer_deposit_account_id":%d}}`, lastID(to))))
	}
	payment := lastID(s.newTransaction(t, from, finance.Debit, "5", "2026-03-10"))
	s.reconciles(t, ids(account(3)), ids(side()), `,"settle_open":true`).want(t, 200)
	s.reconciles(t, ids(account(8)), ids(side(), payment), `,"settle_open":true`).want(t, 200)
	path := paths.Entity(s.EntityID) + "/reports/income_statement?basis=cash&from=2026-03&to=2026-03"
	for range 2 {
		got := s.incomeStatement(t, path).Statement
		equal(t, got.Result[0].Amount, finance.Amount(-5_00))
		s.exec(t, `UPDATE reconciles SET month = NULL`)
	}
}
