package faults

import (
	"fmt"
	"net/http"

	"bordero/internal/paths"
)

// shops creates sales in a sale account with a rule, which prices them, and edits the rule,
// which prices them again.
type shops struct {
	*client
	shop, rule record
	fee        int // tenths of a percent
	sales      []record
}

func (s *shops) round() {
	switch n := s.rand.IntN(40); {
	case s.shop.id == 0 || s.rule.id == 0:
		s.open()
	case n < 16 || len(s.sales) == 0:
		s.sell()
	case n < 18:
		s.sellMany()
	case n < 25:
		s.change()
	case n < 30:
		s.takeBack()
	case n < 35:
		s.edit()
	case n < 39:
		var page []struct{}
		s.get("list sales", fmt.Sprintf("%s/sales?search%%5Bsale_account_id%%5D=%d", paths.Entity(s.entity), s.shop.id),
			&page)
	default:
		s.close()
	}
}

// open creates the sale account, and then its rule.
func (s *shops) open() {
	var ok bool
	if s.shop.id == 0 {
		shop := record{marker: s.mark("")}
		shop.id, ok = s.post("create a sale account", "/sale_accounts", "sale_account", map[string]any{
			"entity_id": s.entity, "name": shop.marker,
			"provider": "cielo", "payment_methods": "pix,cash", "consolidate": s.rand.IntN(2) == 0})
		if ok {
			s.ledger.record("sale accounts", shop.marker, "")
			s.shop, s.sales = shop, nil
		}
		return
	}
	rule := record{marker: s.shop.marker}
	s.fee = 5 + 10*s.rand.IntN(50)
	rule.id, ok = s.post("create a sale rule", paths.SaleAccount(s.shop.id)+"/rules", "sale_rule", map[string]any{
		"payment_method": "pix", "fee_percentage": s.percentage(), "days_to_liquidation": 30})
	if ok {
		s.ledger.record("sale rules", s.shop.marker, s.percentage())
		s.rule = rule
	}
}

func (s *shops) percentage() string { return fmt.Sprintf("%d.%d", s.fee/10, s.fee%10) }

// record stores a sale in the ledger. There is a rule for pix and none for cash.
func (s *shops) record(sale record, status int64) {
	s.ledger.record("sales", sale.marker, fmt.Sprintf("%s %d", cents(sale.amount), status))
}

func (s *shops) sell() {
	sale := record{marker: s.mark(s.shop.marker), amount: s.money() + 100}
	fields := map[string]any{"sale_account_id": s.shop.id, "payment_method": "pix",
		"nominal_amount": sale.amount.String(),
		"occurred_at":    fmt.Sprintf("2026-03-%02d", 1+s.rand.IntN(5)), "description": sale.marker}
	status := int64(1)
	if s.rand.IntN(8) == 0 {
		fields["payment_method"], status = "cash", 0
	}
	var ok bool
	if sale.id, ok = s.post("create a sale", paths.Entity(s.entity)+"/sales", "sale", fields); ok {
		s.record(sale, status)
		if status == 1 {
			s.sales = append(s.sales, sale)
		}
	}
}

func (s *shops) change() {
	sale := &s.sales[s.drawRecord(s.sales)]
	changed := record{sale.id, s.mark(s.shop.marker), s.money() + 100}
	if s.put("change a sale", paths.Sale(s.entity, sale.id), "", "sale", map[string]any{
		"nominal_amount": changed.amount.String(), "description": changed.marker}, changed.marker) {
		s.ledger.drop("sales", sale.marker)
		*sale = changed
		s.record(changed, 1)
	}
}

func (s *shops) takeBack() {
	i := s.drawRecord(s.sales)
	if s.remove("delete a sale", paths.Sale(s.entity, s.sales[i].id)) {
		s.ledger.drop("sales", s.sales[i].marker)
		s.sales = append(s.sales[:i], s.sales[i+1:]...)
	}
}

// edit changes the rule, which prices all sales again.
func (s *shops) edit() {
	before := s.fee
	s.fee = 5 + 10*((before/10+1+s.rand.IntN(48))%50)
	if s.put("edit a sale rule", paths.SaleRule(s.shop.id, s.rule.id), "", "sale_rule", map[string]any{
		"fee_percentage": s.percentage(), "apply_rules": 1}, `"fee_percentage":"`+s.percentage()+`"`) {
		s.ledger.record("sale rules", s.shop.marker, s.percentage())
	} else {
		s.fee = before
	}
}

func (s *shops) close() {
	if s.remove("delete a sale account", paths.SaleAccount(s.shop.id)) {
		s.ledger.dropBelow("sale accounts", s.shop.marker)
		s.ledger.drop("sale rules", s.shop.marker)
		s.shop, s.rule = record{}, record{}
	}
}

// cards creates credit card purchases, at once and in installments.
type cards struct {
	*client
	card      record
	purchases []record
}

func (c *cards) round() {
	switch n := c.rand.IntN(30); {
	case c.card.id == 0:
		card := record{marker: c.mark("")}
		var ok bool
		if card.id, ok = c.post("create a credit card", paths.CreditCards(c.entity), "credit_card", map[string]any{
			"name": card.marker, "flag": "Visa", "closing_day": 20, "expiration_day": 28}); ok {
			c.ledger.record("credit cards", card.marker, "20")
			c.card, c.purchases = card, nil
		}
	case n < 14 || len(c.purchases) == 0:
		c.buy()
	case n < 17:
		c.installments()
	case n < 22:
		c.change()
	case n < 28:
		i := c.drawRecord(c.purchases)
		if c.remove("delete a purchase", paths.CreditCardTransaction(c.entity, c.card.id, c.purchases[i].id)) {
			c.ledger.drop("card transactions", c.purchases[i].marker)
			c.purchases = append(c.purchases[:i], c.purchases[i+1:]...)
		}
	case n < 29 && c.rand.IntN(2) == 0:
		c.days()
	case n < 29:
		var page []struct{}
		c.get("read an invoice", paths.CreditCardInvoice(c.entity, c.card.id, "2026-03"), &page)
	default:
		if c.remove("delete a credit card", paths.CreditCard(c.entity, c.card.id)) {
			c.ledger.dropBelow("credit cards", c.card.marker)
			c.card = record{}
		}
	}
}

// days gives the card other days, which a job applies to its open invoices.
func (c *cards) days() {
	closing := 1 + c.rand.IntN(20)
	if c.put("change the days of a card", paths.CreditCard(c.entity, c.card.id), "", "credit_card", map[string]any{
		"closing_day": closing, "expiration_day": closing + 8}, fmt.Sprintf(`"closing_day":%d,`, closing)) {
		c.ledger.record("credit cards", c.card.marker, fmt.Sprint(closing))
	}
}

func (c *cards) purchase(fields map[string]any) (p record, ok bool) {
	p = record{marker: c.mark(c.card.marker), amount: c.money()}
	fields["amount"], fields["description"] = p.amount.String(), p.marker
	fields["occurred_at"] = fmt.Sprintf("2026-%02d-%02d", 1+c.rand.IntN(3), 1+c.rand.IntN(28))
	p.id, ok = c.post("buy by card", paths.CreditCardTransactions(c.entity, c.card.id), "credit_card_transaction",
		fields)
	return p, ok
}

func (c *cards) buy() {
	if p, ok := c.purchase(map[string]any{}); ok {
		c.ledger.record("card transactions", p.marker, cents(p.amount))
		c.purchases = append(c.purchases, p)
	}
}

// installments creates a purchase in three installments, and may delete them all again.
func (c *cards) installments() {
	const n = 3
	p, ok := c.purchase(map[string]any{"number_of_parcels": n})
	if !ok {
		return
	}
	gone := c.rand.IntN(3) == 0 && c.remove("delete installments", paths.CreditCardTransaction(c.entity, c.card.id,
		p.id)+"/recurrence")
	for parcel := 1; parcel <= n && !gone; parcel++ {
		c.ledger.record("card transactions", fmt.Sprintf("%s/%d", p.marker, parcel), cents(p.amount))
	}
}

func (c *cards) change() {
	p := &c.purchases[c.drawRecord(c.purchases)]
	changed := record{p.id, c.mark(c.card.marker), c.money()}
	if c.put("change a purchase", paths.CreditCardTransaction(c.entity, c.card.id, p.id), "", "credit_card_transaction",
		map[string]any{
			"amount": changed.amount.String(), "description": changed.marker}, changed.marker) {
		c.ledger.drop("card transactions", p.marker)
		c.ledger.record("card transactions", changed.marker, cents(changed.amount))
		*p = changed
	}
}

// branch creates an entity with some records of every kind, and deletes it while work below it
// goes on.
func (c *client) branch() {
	name := c.mark("")
	id, ok := c.post("create an entity", "/entities", "entity", map[string]any{"name": name})
	if !ok {
		return
	}
	c.ledger.record("entities", name, "")
	there := newClient(c.harness, c.tenant, id, name, c.rand)
	there.subscribe()
	for range 3 {
		for _, round := range append(there.desk, there.office[3:7]...) {
			round()
		}
	}
	(&imports{client: there}).leaveOne()
	r := request{what: "delete an entity", method: http.MethodDelete, path: paths.Entity(id) + "?force_destroy=true"}
	a, again := c.ask(r)
	if a.Status != http.StatusAccepted && !(again && a.Status == http.StatusNotFound) {
		c.t.Errorf("%s: %d %s", r.what, a.Status, a.Body)
		return
	}
	c.ledger.dropBelow("entities", name)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deleted = append(c.deleted, id)
}
