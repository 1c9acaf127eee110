package faults

import (
	"encoding/json"
	"fmt"
	"net/http"

	"bordero/e2e/e2etest"
	"bordero/finance"
	"bordero/internal/paths"
)

// item is an item of a batch, and the status that its result must have.
type item struct {
	fields map[string]any
	status int
}

// batch sends items, each below the root, and returns the ids of their records. Each result must have its status.
func (c *client) batch(what, path, root string, updates bool, items []item) (ids []int64, ok bool) {
	document, all := map[string]any{}, make([]any, len(items))
	if updates {
		document["on_conflict"] = "update"
	}
	for i, one := range items {
		all[i] = map[string]any{root: one.fields}
	}
	document["items"] = all
	return c.results(what, path, root, document, items)
}

// results sends a document with items under one Idempotency-Key.
func (c *client) results(what, path, root string, document map[string]any, items []item) (ids []int64, ok bool) {
	body, _ := json.Marshal(document) // of texts and numbers
	a, _ := c.ask(request{what: what, method: http.MethodPost, path: path, contentType: "application/json", body: body})
	var got struct {
		Results []struct {
			Status int
			Body   map[string]struct{ ID int64 }
		}
	}
	if a.Status != http.StatusOK || !c.read(a, &got) || len(got.Results) != len(items) {
		c.t.Errorf("%s: %v", what, e2etest.Refused{Answer: a})
		return nil, false
	}
	for i, result := range got.Results {
		if result.Status != items[i].status {
			c.t.Errorf("%s: item %d has %d, want %d: %s", what, i, result.Status, items[i].status, a.Body)
			return nil, false
		}
		ids = append(ids, result.Body[root].ID)
	}
	return ids, true
}

// customers are people whom an ERP sends every day, by external ids: known ones with other names, and new ones.
type customers struct {
	*client
	names []string // by the number in their external ids
}

func (c *customers) round() {
	known, added := len(c.names), 1+c.rand.IntN(5)
	var items []item
	names := append([]string{}, c.names...)
	send := func(n, status int) {
		names[n] = c.mark("")
		items = append(items, item{map[string]any{"name": names[n], "external_id": fmt.Sprintf("%s/%d", c.prefix, n)},
			status})
	}
	for n := range known {
		if c.rand.IntN(4) == 0 {
			send(n, http.StatusOK)
		}
	}
	for n := known; n < known+added && n < 40; n++ {
		names = append(names, "")
		send(n, http.StatusCreated)
	}
	if c.rand.IntN(2) == 0 { // the others stay
		items = append(items, item{map[string]any{"name": ""}, http.StatusUnprocessableEntity})
	}
	if len(items) == 0 {
		return
	}
	if _, ok := c.batch("send people", "/people/batch", "person", true, items); !ok {
		return
	}
	for n, name := range names {
		if n < known && name == c.names[n] {
			continue
		}
		if n < known {
			c.ledger.drop("people", c.names[n])
		}
		c.ledger.record("people", name, "")
	}
	c.names = names
}

// plans are the budgets of a category, sent as a whole each time.
type plans struct {
	*client
	category record
	known    map[string]bool // months
}

func (p *plans) round() {
	if p.category.id == 0 {
		category := record{marker: p.mark("")}
		var ok bool
		if category.id, ok = p.post("create a category", "/categories", "category",
			map[string]any{"name": category.marker, "cost": true}); ok {
			p.ledger.record("categories", category.marker, "")
			p.category, p.known = category, map[string]bool{}
		}
		return
	}
	var items []item
	amounts := map[string]finance.Amount{}
	for range 1 + p.rand.IntN(6) {
		month := fmt.Sprintf("2026-%02d", 1+p.rand.IntN(12))
		if _, twice := amounts[month]; twice {
			continue
		}
		amounts[month] = p.money()
		status := http.StatusCreated
		if p.known[month] {
			status = http.StatusOK
		}
		items = append(items, item{map[string]any{"month": month, "category_id": p.category.id,
			"amount": amounts[month].String()}, status})
	}
	if _, ok := p.batch("send budgets", paths.Budgets(p.entity)+"/batch", "budget", true, items); ok {
		for month, amount := range amounts {
			p.known[month] = true
			p.ledger.record("budgets", p.category.marker+"/"+month, cents(amount))
		}
	}
}

// enterMany enters transactions in a batch.
func (b *books) enterMany() {
	var items []item
	var all []record
	for range 2 + b.rand.IntN(6) {
		t := record{marker: b.mark(b.account.marker), amount: b.money()}
		all = append(all, t)
		items = append(items, item{map[string]any{"type": finance.Credit, "amount": t.amount.String(),
			"occurred_at": "2026-01-02", "user_description": t.marker, "external_id": t.marker}, http.StatusCreated})
	}
	ids, ok := b.batch("enter transactions", paths.FinancialTransactions(b.entity, b.account.id)+"/batch",
		"financial_transaction", false, items)
	if !ok {
		return
	}
	for i, t := range all {
		t.id = ids[i]
		b.ledger.record("transactions", t.marker, cents(t.amount))
		b.transactions = append(b.transactions, t)
		b.balance(t.amount)
	}
}

// sellMany creates sales in a batch, which the rule prices.
func (s *shops) sellMany() {
	var items []item
	var all []record
	for range 2 + s.rand.IntN(6) {
		sale := record{marker: s.mark(s.shop.marker), amount: s.money() + 100}
		all = append(all, sale)
		items = append(items, item{map[string]any{"sale_account_id": s.shop.id, "payment_method": "pix",
			"nominal_amount": sale.amount.String(), "occurred_at": "2026-03-02", "description": sale.marker},
			http.StatusCreated})
	}
	ids, ok := s.batch("create sales", paths.Entity(s.entity)+"/sales/batch", "sale", false, items)
	if !ok {
		return
	}
	for i, sale := range all {
		sale.id = ids[i]
		s.record(sale, 1)
		s.sales = append(s.sales, sale)
	}
}

// payMany creates payable accounts in a batch, and pays them in another one.
func (b *bills) payMany() {
	var items, payments []item
	var all []record
	for range 2 + b.rand.IntN(4) {
		bill := record{marker: b.mark(""), amount: b.money()}
		all = append(all, bill)
		items = append(items, item{map[string]any{"due_date": "2026-03-04", "amount": bill.amount.String(),
			"description": bill.marker}, http.StatusCreated})
	}
	at := paths.FinancialAccounts(b.entity, "payable")
	ids, ok := b.batch("create payable accounts", at+"/batch", "payable_account", false, items)
	if !ok {
		return
	}
	keep := func(status int) {
		for _, bill := range all {
			b.ledger.record("accounts", bill.marker, fmt.Sprintf("payable %d %s", status, cents(bill.amount)))
		}
	}
	keep(1)
	settle := make([]any, len(ids)) // the items of payments have no root
	for i, id := range ids {
		payments = append(payments, item{map[string]any{"id": id, "occurred_at": "2026-03-05"}, http.StatusOK})
		settle[i] = payments[i].fields
	}
	document := map[string]any{"items": settle}
	if _, ok := b.results("pay many", at+"/pay_many", "payable_account", document, payments); ok {
		keep(2)
	}
}
