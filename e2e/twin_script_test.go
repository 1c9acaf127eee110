package e2e

import (
	"fmt"
	"strings"

	"bordero/e2e/e2etest"
	"bordero/internal/paths"
	"bordero/internal/testkit"
	"bordero/internal/tier"
)

// twinSize is the number of records of each kind.
var twinSize = tier.Size(12, 120)

// script sends the requests of a client to a twin, and has the ids of the records that they made.
type script struct {
	*twin
	entity, payables, receivables string // paths

	supplier, customer  int64
	rent, food, flour   int64 // categories; flour is below food
	north, south        int64 // centers
	books, bank, table  int64 // deposit accounts; only those of books and table are reconciled by the worker
	bills, claims       []int64
	note                int64
	first, again, other int64 // statements of books
	confirmed, refused  int64 // previews of table
	shop, market, pix   int64 // sale accounts, of which shop consolidates, and a rule of market
}

type fields = map[string]any

// scenes are the parts of the script. At the end of each, all work that it asked for is done, because the next scene
// depends on it.
func (w *twin) scenes() []func() {
	s := &script{twin: w, entity: paths.Entity(w.Entity), payables: paths.FinancialAccounts(w.Entity, "payable"),
		receivables: paths.FinancialAccounts(w.Entity, "receivable")}
	return []func(){s.subscribe, s.records, s.statements, s.confirmation, s.byHand, s.sales, s.rules, s.receipts,
		s.cards, s.deletions, s.redelivery}
}

func (s *script) subscribe() {
	for _, hook := range []fields{
		{"url": s.receiver.URL + "/all", "format": "json", "secret": strings.Repeat("a", 24)},
		{"url": s.receiver.URL + "/some", "format": "xml", "secret": strings.Repeat("b", 24),
			"events": []string{"sales.*", "bank_statements.*"}},
	} {
		hook["entity_id"] = s.Entity
		s.hooks = append(s.hooks, s.post("/integrations/webhooks", "webhook", hook))
	}
}

func (s *script) records() {
	people := s.batch("/people", "person", fields{"name": "Moinho", "supplier": true, "external_id": "p1"},
		fields{"name": "Hotel", "customer": true, "external_id": "p2"})
	s.supplier, s.customer = people[0], people[1]
	s.rent = s.post("/categories", "category", fields{"name": "Aluguel da loja", "cost": true})
	s.food = s.post("/categories", "category", fields{"name": "Insumos", "cost": true})
	s.flour = s.post("/categories", "category", fields{"name": "Farinhas", "cost": true, "parent_id": s.food})
	center := func(name string) int64 {
		return s.post("/classification_centers", "classification_center", fields{"name": name, "entity_id": s.Entity,
			"cost_center": true, "revenue_center": true})
	}
	s.north, s.south = center("Norte"), center("Sul")
	account := func(name string, automatic bool) int64 {
		return s.post(paths.DepositAccounts(s.Entity), "deposit_account", fields{"name": name,
			"deposit_account_type_id": 1, "automatic_reconciliation": automatic})
	}
	s.books, s.bank, s.table = account("Principal", true), account("Pluggy", false), account("Planilha", true)
	for _, rule := range []fields{
		{"name": "Tarifas", "text_contains": []string{"tarifa"},
			"new_account": fields{"description": "Tarifa", "category_id": s.flour}},
		{"name": "Moinho", "text_contains": []string{"moinho"}, "match": fields{"days": 5, "person_id": s.supplier}},
	} {
		rule["automatic"] = true
		s.post(paths.ReconciliationRules(s.Entity), "reconciliation_rule", rule)
	}
	var bills, claims []fields
	for n := range twinSize {
		bill := fields{"description": fmt.Sprint("Farinha ", n), "document": fmt.Sprint("NF ", 1000+n),
			"due_date": march(n), "amount": money(1000 + n), "category_id": []int64{s.rent, s.food, s.flour}[n%3],
			"classification_center_id": []int64{s.north, s.south}[n%2]}
		if n%4 == 3 { // only its rule finds it
			delete(bill, "document")
			bill["person_id"] = s.supplier
		}
		bills = append(bills, bill)
		claims = append(claims, fields{"description": fmt.Sprint("Festa ", n), "document": fmt.Sprint("R ", 5000+n),
			"due_date": march(n), "amount": money(5000 + n), "person_id": s.customer})
	}
	s.bills = s.batch(s.payables, "payable_account", bills...)
	s.claims = s.batch(s.receivables, "receivable_account", claims...)
	for n, name := range []string{"nota", "boleto", "contrato"} {
		s.note = s.upload(paths.Attachments(s.Entity), "attachment", "attachment", name+".txt",
			strings.Repeat(name, 100), "title", name)
		s.put(paths.FinancialAccount(s.Entity, "payable", s.bills[n]), "payable_account", fields{
			"attachment_id_list": []int64{s.note}})
	}
	s.batch(paths.Budgets(s.Entity), "budget", fields{"month": "2026-03", "category_id": s.food, "amount": "500"},
		fields{"month": "2026-04", "category_id": s.flour, "amount": "50"})
}

// statements uploads a file, the same one again with other ids and texts, one with known and new items, one that is cut
// off, and previews. The last two bills and claims stay open.
func (s *script) statements() {
	var items, later []string
	for n := range twinSize - 2 {
		paid := fmt.Sprintf("%s -%s A%d %d PAGAMENTO", march(n), money(1000+n), n, 1000+n)
		if n%4 == 3 {
			paid = fmt.Sprintf("%s -%s A%d - PIX MOINHO %d", march(n), money(1000+n), n, n)
		}
		items = append(items, paid, fmt.Sprintf("%s %s B%d %d RECEBIMENTO", march(n), money(5000+n), n, 5000+n),
			fmt.Sprintf("%s -2.50 C%d - TARIFA PIX %d", march(n), n, n))
		later = append(later, paid, fmt.Sprintf("%s -0.%d D%d - CAFE", march(n), 10+n, n))
	}
	twice := []string{"2026-03-02 -7.00 E1 - PADOCA", "2026-03-02 -7.00 E2 - PADOCA"}
	items, later = append(items, twice...), append(later, twice...)
	later = append(later, "2026-03-02 -7.00 E3 - PADOCA", "2090-01-01 -1.00 F1 - AGENDADO", "2026-03-05 0.00 F2 - NADA")
	s.first = s.statement(s.books, "marco.ofx", ofx("100.00", items...))
	s.again = s.statement(s.books, "outra vez.ofx", strings.NewReplacer("<FITID>", "<FITID>Z", "PIX", "pagamento pix").
		Replace(ofx("100.00", items...)))
	s.statement(s.books, "mais.ofx", ofx("90.00", later...))
	s.statement(s.books, "cortado.ofx", strings.TrimSuffix(ofx("1.00", items...), "</OFX>\n"))
	s.statement(s.bank, "itens.json", pluggy("a 02 10 INICIO", "b 10 -50 PIX ANA", "c 20 7 FIM", "d 25 9 MAIS"))
	s.confirmed = s.statement(s.table, "tabela.csv", nubank(0, twinSize), "preview", "true")
	s.refused = s.statement(s.table, "desistência.csv", nubank(5, twinSize), "preview", "true")
}

// confirmation confirms a preview after another file has brought a part of it, and uploads restated and suspect items.
func (s *script) confirmation() {
	s.statement(s.table, "antes.csv", nubank(twinSize/2, twinSize))
	s.imported(s.table)
	s.send("POST", paths.BankStatement(s.Entity, s.table, s.confirmed)+"/confirm", "", nil)
	s.statement(s.bank, "outra.json", pluggy("a 02 10 INICIO", "b 12 -55 PIX ANA", "c 20 7 FIM", "d 25 9 MAIS"))
	s.other = s.statement(s.books, "textos.ofx", ofx("3.00", "2026-03-02 -7.00 X1 - FEIRA",
		"2026-03-02 -7.00 X2 - FEIRA", march(0)+" -0.10 X3 - CHA", "2026-03-03 -900.00 X4 - TARIFA EXTRA"))
	s.put(paths.DepositAccount(s.Entity, s.books), "deposit_account", fields{"description": "A primeira"})
}

// byHand imports suspects, undoes imports, pairs a transfer, and reconciles an account and undoes that.
func (s *script) byHand() {
	s.send("POST", paths.BankStatement(s.Entity, s.books, s.other)+"/import_suspects", "", nil)
	s.send("POST", paths.BankStatement(s.Entity, s.books, s.first)+"/opening_balance", "", nil)
	s.remove(paths.BankStatement(s.Entity, s.books, s.again))
	s.remove(paths.BankStatement(s.Entity, s.table, s.refused))
	entered := s.batch(paths.FinancialTransactions(s.Entity, s.bank), "financial_transaction",
		fields{"type": "Debit", "amount": "30", "occurred_at": march(8), "user_description": "para a planilha"},
		fields{"type": "Credit", "amount": "12.34", "occurred_at": march(8), "user_description": "bolo"},
		fields{"type": "Credit", "amount": "70", "occurred_at": march(9), "user_description": "outro"})
	arrived := s.post(paths.FinancialTransactions(s.Entity, s.table), "financial_transaction", fields{"type": "Credit",
		"amount": "30", "occurred_at": march(8), "user_description": "do banco"})
	s.post(s.entity+"/transfers", "transfer", fields{"debit_transaction_id": entered[0],
		"credit_transaction_id": arrived})
	cake := s.post(s.receivables, "receivable_account", fields{"description": "Bolo", "due_date": march(8),
		"amount": "12.34"})
	s.put(paths.FinancialAccount(s.Entity, "receivable", cake)+"/receive", "receivable_account", fields{
		"total_amount": "12.34", "occurred_at": march(8)})
	answer := s.send("POST", paths.Reconciles(s.Entity), "", fields{"selected_financial_account_ids": []int64{cake},
		"selected_financial_transaction_ids": entered[1:2]})
	var made struct {
		ID int64 `json:"reconcile_id"`
	}
	s.decode(answer.Body, &made)
	s.remove(paths.Reconcile(s.Entity, made.ID))
	s.put(paths.FinancialTransaction(s.Entity, s.bank, entered[2]), "financial_transaction", fields{"amount": "71",
		"category_id": s.flour})
}

// sales come in batches, in two accounts.
func (s *script) sales() {
	account := func(name string, consolidate bool) int64 {
		id := s.post("/sale_accounts", "sale_account", fields{"entity_id": s.Entity, "name": name, "provider": "cielo",
			"payment_methods": "pix,cash,credit,debit", "consolidate": consolidate, "category_id": s.flour})
		s.pix = s.post(paths.SaleAccount(id)+"/rules", "sale_rule", fields{"payment_method": "pix",
			"fee_percentage": "0.9", "days_to_liquidation": 1})
		s.post(paths.SaleAccount(id)+"/rules", "sale_rule", fields{"payment_method": "credit", "issuer": "Visa",
			"fee_percentage": "2.5", "fixed_fee_amount": "0.39", "days_to_liquidation": 30})
		return id
	}
	s.shop, s.market = account("Loja", true), account("Feira", false)
	for b := range 4 {
		var all []fields
		for n := range twinSize {
			sale := fields{"sale_account_id": []int64{s.shop, s.market}[n%2], "person_id": s.customer,
				"payment_method": []string{"pix", "credit", "cash"}[n%3], "nominal_amount": money(1500 + n),
				"occurred_at": march(n % 5), "description": fmt.Sprintf("Venda %d.%d", b, n),
				"classification_center_id": []int64{s.north, s.south}[b%2]}
			if n%3 == 1 {
				sale["issuer"] = "Visa"
			}
			all = append(all, sale)
		}
		s.batch(s.entity+"/sales", "sale", all...)
	}
	s.post(s.entity+"/sales", "sale", fields{"sale_account_id": s.shop, "payment_method": "credit", "issuer": "Visa",
		"nominal_amount": "100", "occurred_at": march(1), "installment_count": 3, "description": "Em três"})
}

// rules change while sales come.
func (s *script) rules() {
	s.put(paths.SaleRule(s.market, s.pix), "sale_rule", fields{"fee_percentage": "1.1", "apply_rules": 1})
	s.post(paths.SaleAccount(s.shop)+"/rules", "sale_rule", fields{"payment_method": "cash", "fee_percentage": "0",
		"days_to_liquidation": 0, "apply_rules": 1})
	for n := range twinSize / 4 {
		s.post(s.entity+"/sales", "sale", fields{"sale_account_id": []int64{s.shop, s.market}[n%2],
			"payment_method": "pix", "nominal_amount": money(700 + n), "occurred_at": march(9),
			"description": fmt.Sprint("Tarde ", n)})
	}
}

// receipts receives accounts of sales, and reopens one.
func (s *script) receipts() {
	_, all := s.pages(s.receivables)
	var received []string
	for _, account := range all {
		if number(account["sale_account_id"]) == s.shop && len(received) < 3 {
			path := paths.FinancialAccount(s.Entity, "receivable", number(account["id"]))
			s.put(path+"/receive", "receivable_account", fields{"total_amount": account["amount"],
				"occurred_at": "2026-04-09"})
			received = append(received, path)
		}
	}
	s.put(received[0]+"/undo_receivement", "receivable_account", fields{})
}

// cards gives a card other days, and the market consolidated accounts.
func (s *script) cards() {
	card := s.post(paths.CreditCards(s.Entity), "credit_card", fields{"name": "Visa", "flag": "Visa", "closing_day": 20,
		"expiration_day": 28})
	for n := range twinSize / 2 {
		s.post(paths.CreditCardTransactions(s.Entity, card), "credit_card_transaction", fields{"amount": money(300 + n),
			"occurred_at": march(n), "description": fmt.Sprint("Compra ", n), "number_of_parcels": 1 + n%3,
			"category_id": s.flour})
	}
	s.put(paths.CreditCard(s.Entity, card), "credit_card", fields{"closing_day": 10, "expiration_day": 18})
	s.put(paths.SaleAccount(s.market), "sale_account", fields{"consolidate": true})
}

// deletions removes accounts, and then what other records refer to, which changes them.
func (s *script) deletions() {
	s.remove(paths.FinancialAccount(s.Entity, "receivable", s.claims[twinSize-1]))
	s.remove(paths.FinancialAccount(s.Entity, "payable", s.bills[twinSize-1]))
	s.remove(paths.Category(s.flour))
	s.remove(paths.ClassificationCenter(s.south))
	s.remove(paths.Person(s.supplier))
	s.remove(paths.Attachment(s.Entity, s.note))
}

// redelivery sends notifications again, also of records that are being removed.
func (s *script) redelivery() {
	s.remove(paths.SaleAccount(s.market))
	s.remove(paths.DepositAccount(s.Entity, s.bank))
	s.send("POST", paths.Webhook(s.hooks[1])+"/deliveries/redeliver?search[event]=sales.created", "", nil)
	s.send("POST", paths.Webhook(s.hooks[0])+"/deliveries/redeliver?search[event]=people.created", "", nil)
}

// statement uploads a bank's file and returns the statement's id.
func (s *script) statement(account int64, name, content string, texts ...string) int64 {
	s.t.Helper()
	s.imported(account)
	return s.upload(paths.BankStatements(s.Entity, account), "bank_statement", "file", name, content, texts...)
}

// imported waits until all files of an account are imported: while a failed import waits for its next attempt, a later
// one would go first, and have the items that both of them bring.
func (s *script) imported(account int64) {
	s.t.Helper()
	testkit.Eventually(s.t, "an account's files are imported", func() bool {
		return e2etest.Value[bool](s.t, s.DB, `SELECT NOT EXISTS (SELECT FROM jobs WHERE kind = 'import_statement'
			AND key = $1)`, fmt.Sprint("deposit_account:", account))
	})
}
