package faults

import (
	"fmt"
	"net/http"

	"bordero/e2e/e2etest"
	"bordero/finance"
	"bordero/internal/paths"
)

// contacts creates, renames and deletes people and categories.
type contacts struct {
	*client
	people, categories []record
}

func (c *contacts) round() {
	if c.rand.IntN(2) == 0 {
		c.people = c.next("people", "person", "/people", map[string]any{"customer": true}, c.people)
	} else {
		c.categories = c.next("categories", "category", "/categories", map[string]any{"cost": true}, c.categories)
	}
}

func (c *contacts) next(family, root, path string, fields map[string]any, all []record) []record {
	marker := c.mark("")
	fields["name"] = marker
	if len(all) < 3 || c.rand.IntN(2) == 0 {
		if id, ok := c.post("create a "+root, path, root, fields); ok {
			c.ledger.record(family, marker, "")
			all = append(all, record{id: id, marker: marker})
		}
		return all
	}
	i := c.drawRecord(all)
	one := fmt.Sprintf("%s/%d", path, all[i].id)
	if c.rand.IntN(3) > 0 {
		if c.put("rename a "+root, one, "", root, map[string]any{"name": marker}, marker) {
			c.ledger.drop(family, all[i].marker)
			c.ledger.record(family, marker, "")
			all[i].marker = marker
		}
		return all
	}
	if c.remove("delete a "+root, one) {
		c.ledger.drop(family, all[i].marker)
		all = append(all[:i], all[i+1:]...)
	}
	return all
}

// books changes a deposit account and tracks its balance.
type books struct {
	*client
	account      record // its amount is the balance
	transactions []record
}

func (b *books) round() {
	switch n := b.rand.IntN(40); {
	case b.account.id == 0:
		b.open()
	case n < 14 || len(b.transactions) == 0:
		b.enter()
	case n < 16:
		b.enterMany()
	case n < 22:
		b.change()
	case n < 28:
		b.strike()
	case n < 31:
		b.mustRefuse("enter a transaction of nothing", paths.FinancialTransactions(b.entity, b.account.id),
			"financial_transaction", map[string]any{
				"type": finance.Credit, "amount": "0", "occurred_at": "2026-01-02",
				"user_description": b.mark(b.account.marker)})
	case n < 39:
		b.check()
	default:
		b.close()
	}
}

// open creates a deposit account with an initial balance.
func (b *books) open() {
	a := record{marker: b.mark(""), amount: b.money()}
	var ok bool
	a.id, ok = b.post("open a deposit account", paths.DepositAccounts(b.entity), "deposit_account", map[string]any{
		"name": a.marker, "deposit_account_type_id": 1, "initial_balance": a.amount.String()})
	if ok {
		b.account, b.transactions = a, nil
		b.balance(0)
	}
}

// balance records a change of the balance.
func (b *books) balance(by finance.Amount) {
	b.account.amount += by
	b.ledger.record("deposit accounts", b.account.marker, cents(b.account.amount))
}

// check compares the balance of the API with the expected one, while other work goes on.
func (b *books) check() {
	var got struct {
		DepositAccount e2etest.DepositAccount `json:"deposit_account"`
	}
	if b.get("read a balance", paths.DepositAccount(b.entity, b.account.id), &got) &&
		got.DepositAccount.Balance != b.account.amount {
		b.t.Errorf("the balance of %s is %s, want %s", b.account.marker, got.DepositAccount.Balance, b.account.amount)
	}
}

func (b *books) enter() {
	t, ok := b.transaction(b.account, b.money()*finance.Amount(1-2*b.rand.Int64N(2)))
	if ok {
		b.transactions = append(b.transactions, t)
		b.balance(t.amount)
	}
}

// transaction creates a transaction of the signed amount.
func (c *client) transaction(account record, amount finance.Amount) (t record, ok bool) {
	t = record{marker: c.mark(account.marker), amount: amount}
	fields := map[string]any{"type": finance.Credit, "amount": amount.Abs().String(), "occurred_at": "2026-01-02",
		"user_description": t.marker}
	if amount < 0 {
		fields["type"] = finance.Debit
	}
	if t.id, ok = c.post("enter a transaction", paths.FinancialTransactions(c.entity, account.id),
		"financial_transaction", fields); ok {
		c.ledger.record("transactions", t.marker, cents(amount))
	}
	return t, ok
}

func (b *books) change() {
	t := &b.transactions[b.drawRecord(b.transactions)]
	amount := t.amount.Abs() + b.money()
	if t.amount < 0 {
		amount = -amount
	}
	marker := b.mark(b.account.marker)
	path := paths.FinancialTransaction(b.entity, b.account.id, t.id)
	if b.put("change a transaction", path, "", "financial_transaction", map[string]any{"amount": amount.Abs().String(),
		"user_description": marker}, marker) {
		b.ledger.drop("transactions", t.marker)
		b.ledger.record("transactions", marker, cents(amount))
		b.balance(amount - t.amount)
		t.amount, t.marker = amount, marker
	}
}

func (b *books) strike() {
	i := b.drawRecord(b.transactions)
	t := b.transactions[i]
	if b.remove("delete a transaction", paths.FinancialTransaction(b.entity, b.account.id, t.id)) {
		b.ledger.drop("transactions", t.marker)
		b.transactions = append(b.transactions[:i], b.transactions[i+1:]...)
		b.balance(-t.amount)
	}
}

func (b *books) close() {
	if b.remove("delete a deposit account", paths.DepositAccount(b.entity, b.account.id)) {
		b.ledger.dropBelow("deposit accounts", b.account.marker)
		b.account = record{}
	}
}

// bills creates payable and receivable accounts. Random ones are paid, and reconciled with
// transactions of a deposit account of its own.
type bills struct {
	*client
	account record
}

func (b *bills) round() {
	if b.account.id == 0 {
		own := books{client: b.client}
		own.open()
		b.account = own.account
		return
	}
	if b.rand.IntN(8) == 0 {
		b.payMany()
		return
	}
	kind, settled, settle, undo, sign := "payable", "paid", "/pay", "/undo_payment", finance.Amount(-1)
	if b.rand.IntN(2) == 0 {
		kind, settled, settle, undo, sign = "receivable", "received", "/receive", "/undo_receivement", 1
	}
	root := kind + "_account"
	bill := record{marker: b.mark(""), amount: b.money()}
	keep := func(status int) {
		b.ledger.record("accounts", bill.marker, fmt.Sprintf("%s %d %s", kind, status, cents(bill.amount)))
	}
	var ok bool
	bill.id, ok = b.post("create a "+kind+" account", paths.FinancialAccounts(b.entity, kind), root, map[string]any{
		"due_date": "2026-03-04", "amount": bill.amount.String(), "description": bill.marker})
	if !ok {
		return
	}
	keep(1)
	path := paths.FinancialAccount(b.entity, kind, bill.id)
	drawn := b.rand.IntN(6)
	if drawn == 0 {
		if b.remove("delete a "+kind+" account", path) {
			b.ledger.drop("accounts", bill.marker)
		}
		return
	}
	if drawn == 1 || !b.put("settle a "+kind+" account", path, settle, root, map[string]any{
		"total_amount": bill.amount.String(), "occurred_at": "2026-03-05"}, `"status_name":"`+settled+`"`) {
		return
	}
	keep(2)
	if drawn > 2 {
		b.reconcile(bill, sign, keep, drawn == 3)
	} else if b.put("undo a settlement", path, undo, root, map[string]any{}, `"status_name":"un`) {
		keep(1)
	}
}

// reconcile reconciles a paid account with a transaction, and may undo that. Sometimes it tries a
// transaction of another amount, which must be refused.
func (b *bills) reconcile(bill record, sign finance.Amount, keep func(status int), undo bool) {
	wrong := b.rand.IntN(5) == 0
	amount := bill.amount
	if wrong {
		amount++
	}
	t, ok := b.transaction(b.account, sign*amount)
	if !ok {
		return
	}
	b.account.amount += t.amount
	b.ledger.record("deposit accounts", b.account.marker, cents(b.account.amount))
	r := request{what: "reconcile", method: http.MethodPost, path: paths.Reconciles(b.entity),
		contentType: "application/json",
		body: fmt.Appendf(nil,
			`{"selected_financial_account_ids":[%d],"selected_financial_transaction_ids":[%d]}`, bill.id, t.id)}
	a, _ := b.ask(r)
	if want := map[bool]int{false: http.StatusOK, true: http.StatusUnprocessableEntity}[wrong]; a.Status != want {
		b.t.Errorf("reconcile: %d, want %v", want, e2etest.Refused{Answer: a})
		return
	}
	if wrong {
		return
	}
	keep(3)
	b.ledger.record("reconciles", bill.marker, "1")
	var made struct {
		ID int64 `json:"reconcile_id"`
	}
	if undo && b.read(a, &made) && b.remove("undo a reconcile", paths.Reconcile(b.entity, made.ID)) {
		keep(2)
		b.ledger.drop("reconciles", bill.marker)
	}
}
