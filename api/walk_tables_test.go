package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/paths"
)

// The tables of this file are what the walks over the routes need to know of each resource.

// records are the ids that replace the parameters of paths, by parameter (see parameter).
type records map[string]int64

// records makes one record of each kind in an entity, with the tenant's token. The deposit account
// is a cash register, so that every route accepts it.
func (s *service) records(t testing.TB) records {
	t.Helper()
	account := s.newDepositAccount(t, register)
	statement := s.call(t, "POST", account+"/bank_statements", parts(file("a.ofx", ofx))).want(t, http.StatusCreated)
	classifier := s.newClassifier(t, "Obra "+account)
	s.finishImport(t, lastID(statement.header.Get("Location")))
	saleAccount := s.newSaleAccount(t, `"payment_methods":"credit,pix"`)
	card := s.newCard(t, 5, 15)
	debit := s.newTransaction(t, account, finance.Debit, "7", "2026-03-04")
	credit := s.newTransaction(t, s.newDepositAccount(t), finance.Credit, "7", "2026-03-06")
	category := lastID(s.newCategory(t, fmt.Sprintf(`{"name":"Trigo %s"}`, account)))
	webhook := s.subscribe(t, `"url":"https://hooks.example.com","format":"json"`)
	return records{
		"entity_id": s.EntityID, "deposit_account_id": lastID(account),
		"financial_transaction_id": lastID(s.newTransaction(t, account, finance.Debit, "1.5", "2026-03-04")),
		"bank_statement_id":        lastID(statement.header.Get("Location")),
		"bank_statement_item_id":   2, // a duplicate
		"payable_account_id":       lastID(s.newAccount(t, finance.Payable, `"due_date":"2026-03-04","amount":10`)),
		"receivable_account_id": lastID(s.newAccount(t, finance.Receivable,
			`"due_date":"2026-03-04","amount":10`)),
		"attachment_id":          lastID(s.newAttachment(t)),
		"reconcile_id":           s.newReconcile(t, account),
		"transfer_id":            s.newPair(t, debit, credit),
		"reconciliation_rule_id": lastID(s.newReconciliationRule(t, `"text_contains":["tarifa"],"new_account":{}`)),
		"budget_id": lastID(s.newBudget(t, fmt.Sprintf(`"month":"2026-03","category_id":%d,"amount":10`,
			category))),
		"sale_account_id": lastID(saleAccount),
		"sale_rule_id": lastID(s.newSaleRule(t, saleAccount,
			`"payment_method":"pix","fixed_fee_amount":1`)),
		"sale_id": lastID(
			s.newSale(t, saleAccount, `"payment_method":"pix","nominal_amount":10,"occurred_at":"2026-03-04"`)),
		"credit_card_id": lastID(card),
		"credit_card_transaction_id": lastID(s.buy(t, card, `"amount":10,"occurred_at":"2026-03-04",`+
			`"number_of_parcels":2`)),
		"person_id":                  lastID(s.newPerson(t, `{"name":"Moinho"}`)),
		"category_id":                category,
		"classification_center_id":   lastID(s.newCenter(t, s.EntityID, "Loja")),
		"custom_classifier_id":       lastID(classifier),
		"custom_classifier_value_id": lastID(s.newValue(t, classifier, "Reforma")),
		"value":                      lastID(s.newValue(t, classifier, "Mudança")),
		"member_id": lastID(s.made(t, "/members", fmt.Sprintf(`{"member":{"email":"m%d@example.com"}}`,
			lastID(account)))),
		"token_id":            lastID(s.made(t, "/tokens", `{"token":{"name":"ERP"}}`)),
		"webhook_id":          lastID(webhook),
		"webhook_delivery_id": lastID(s.newDelivery(t, webhook)),
		"tax_id":              1, "bank_id": 1, "currency_id": 1,
	}
}

// permissions are the permissions that a route needs: of the first pattern that matches its method and path. A route
// that no pattern matches needs none.
var permissions = []struct{ routes, needed string }{
	{`/income_statement$`, "payable_accounts receivable_accounts credit_cards"},
	// The accounts of the example of a reconciliation do not exist, so they might be of either kind.
	{`^(POST|PUT|DELETE) .*/reconciliation_rules|^POST .*/reconciles$`,
		"financial_transactions payable_accounts receivable_accounts"},
	{`/:reconcile_id$`, "financial_transactions payable_accounts"}, // of payable accounts
	{`financial_transactions|bank_statements|/reconcil|/transfers|/balance_proofs$`, "financial_transactions"},
	// The deposit account has a reconciliation of payable accounts.
	{`^DELETE .*/:deposit_account_id$`, "financial_transactions payable_accounts"},
	{`/payable_accounts|/aging$`, "payable_accounts"}, // the walks ask for the aging of payable accounts
	{`/receivable_accounts|/sale`, "receivable_accounts"},
	{`^DELETE .*/:credit_card_id$`, "credit_cards payable_accounts"},
	{`/credit_cards`, "credit_cards"},
	{`/budgets`, "budgets"},
	{`/cash_flow$`, "cash_flows"},
}

// neededFor returns the permissions that a route needs.
func neededFor(r api.Route) []string {
	for _, p := range permissions {
		if regexp.MustCompile(p.routes).MatchString(r.Method + " " + r.Path) {
			return strings.Fields(p.needed)
		}
	}
	return nil
}

// many has the statement that multiplies the records of a list, by the last part of the list's path.
var many = map[string]string{
	"entities": `INSERT INTO entities (account_id, name) SELECT id, 'E' || n FROM accounts, generate_series(1, 500) n`,
	"deposit_accounts": `INSERT INTO deposit_accounts (account_id, entity_id, name, deposit_account_type_id,
		currency_id)
		SELECT account_id, entity_id, name || n, 1, 1 FROM deposit_accounts, generate_series(1, 500) n`,
	"sessions": `INSERT INTO register_sessions (account_id, deposit_account_id, opened_at, closed_at)
		SELECT account_id, id, now(), now() FROM deposit_accounts, generate_series(1, 500) n
			WHERE deposit_account_type_id = 8`,
	"financial_transactions": `INSERT INTO financial_transactions (account_id, deposit_account_id, amount, occurred_at,
		currency_id)
		SELECT account_id, deposit_account_id, n, occurred_at, 1 FROM financial_transactions,
			generate_series(1, 500) n`,
	"bank_statements": `INSERT INTO bank_statements (account_id, deposit_account_id, file_key, file_file_name,
		file_content_type, file_file_size)
		SELECT account_id, deposit_account_id, 'k' || n, file_file_name, file_content_type, 1
		FROM (SELECT * FROM bank_statements ORDER BY id LIMIT 1) b, generate_series(1, 500) n`,
	"balance_proofs": `INSERT INTO bank_statements (account_id, deposit_account_id, file_key, file_file_name,
		file_content_type, file_file_size, event_status,
			ledger_balance, ledger_balance_on)
		SELECT account_id, deposit_account_id, 'p' || n, 'a.ofx', 'x', 1, 'success', n, date '2026-01-01' + n % 4
		FROM (SELECT * FROM bank_statements ORDER BY id LIMIT 1) b, generate_series(1, 500) n`,
	"items": `WITH counted AS (UPDATE bank_statements SET items_count = 507)
		INSERT INTO ignored_items (account_id, bank_statement_id, number, line, mark, outcome)
		SELECT account_id, bank_statement_id, 7 + n, line, mark, outcome FROM ignored_items, generate_series(1, 500) n
			WHERE number = 3`,
	"payable_accounts": `INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, amount,
		competency_month)
		SELECT account_id, entity_id, kind, due_date, n, competency_month FROM financial_accounts,
			generate_series(1, 500) n`,
	"receivable_accounts": `INSERT INTO financial_account_taxes (account_id, financial_account_id, line, tax_id, amount)
		SELECT account_id, id, n, 1, 1 FROM financial_accounts, generate_series(1, 3) n`,
	"sale_accounts": `INSERT INTO sale_accounts (account_id, entity_id, name, provider, payment_methods)
		SELECT account_id, entity_id, name || n, provider, payment_methods FROM sale_accounts,
			generate_series(1, 500) n`,
	"rules": `INSERT INTO sale_rules (account_id, sale_account_id, payment_method, issuer, fixed_fee_amount)
		SELECT account_id, sale_account_id, payment_method, n, 1 FROM sale_rules, generate_series(1, 500) n`,
	"sales": `INSERT INTO sales (account_id, entity_id, sale_account_id, payment_method, occurred_at, competency_month,
		nominal_amount, total_amount)
		SELECT account_id, entity_id, sale_account_id, payment_method, occurred_at, competency_month, n, n FROM sales,
			generate_series(1, 500) n`,
	"attachments": `WITH made AS (
			INSERT INTO attachments (account_id, entity_id, file_key, attachment_file_name, attachment_content_type,
				attachment_file_size)
			SELECT account_id, entity_id, 'k' || n, attachment_file_name, attachment_content_type, 1 FROM attachments,
				generate_series(1, 500) n
			RETURNING account_id, id),
		-- A tenth of them, all of one record each: every record that an attachment names shows all of its own.
		named AS (SELECT * FROM made WHERE id % 10 = 0),
		accounts AS (INSERT INTO financial_account_attachments SELECT a.account_id, f.id, a.id FROM named a,
			(SELECT min(id) AS id FROM financial_accounts) f),
		transactions AS (INSERT INTO financial_transaction_attachments SELECT a.account_id, t.id, a.id FROM named a,
			(SELECT min(id) AS id FROM financial_transactions) t)
		INSERT INTO sale_attachments SELECT a.account_id, s.id, a.id FROM named a, (SELECT min(id) AS id FROM sales) s`,
	"reconciliation_rules": `INSERT INTO reconciliation_rules (account_id, entity_id, name, position, new_account,
		match)
		SELECT account_id, entity_id, name || n, n, true, false FROM reconciliation_rules, generate_series(1, 500) n`,
	"budgets": `INSERT INTO budgets (account_id, entity_id, month, category_id, amount)
		SELECT account_id, entity_id, month + n * interval '1 month', category_id, n FROM budgets,
			generate_series(1, 500) n`,
	"reconciles": `INSERT INTO reconciles (account_id, entity_id, kind) SELECT account_id, entity_id, kind
		FROM reconciles, generate_series(1, 500) n`,
	"transfers": `WITH debits AS (
			INSERT INTO financial_transactions (account_id, deposit_account_id, amount, occurred_at, currency_id)
			SELECT t.account_id, t.deposit_account_id, -7, t.occurred_at, 1 FROM financial_transactions t
				JOIN transfers p ON p.debit_transaction_id = t.id, generate_series(1, 500)
			RETURNING account_id, id),
		credits AS (
			INSERT INTO financial_transactions (account_id, deposit_account_id, amount, occurred_at, currency_id)
			SELECT t.account_id, t.deposit_account_id, 7, t.occurred_at, 1 FROM financial_transactions t
				JOIN transfers p ON p.credit_transaction_id = t.id, generate_series(1, 500)
			RETURNING id)
		INSERT INTO transfers (account_id, entity_id, debit_transaction_id, credit_transaction_id)
		SELECT d.account_id, p.entity_id, d.id, c.id FROM transfers p, (SELECT *, row_number() OVER () AS n
			FROM debits) d JOIN (SELECT *, row_number() OVER () AS n FROM credits) c USING (n)`,
	"transactions": `INSERT INTO credit_card_transactions (account_id, credit_card_id, credit_card_invoice_id, amount,
		occurred_at)
		SELECT account_id, credit_card_id, credit_card_invoice_id, n, occurred_at
		FROM (SELECT * FROM credit_card_transactions ORDER BY id LIMIT 1) p, generate_series(1, 500) n`,
	"credit_cards": `INSERT INTO credit_cards (account_id, entity_id, name, flag)
		SELECT account_id, entity_id, name || n, flag FROM credit_cards, generate_series(1, 500) n`,
	"invoices": `INSERT INTO credit_card_invoices (account_id, credit_card_id, start_date, end_date, due_date)
		SELECT 1, 1, day, day, day FROM (SELECT date '1970-01-01' + n * 31 AS day FROM generate_series(1, 500) n) days`,
	":month": `INSERT INTO credit_card_transactions (account_id, credit_card_id, credit_card_invoice_id, amount,
		occurred_at)
		SELECT 1, 1, id, n, end_date FROM credit_card_invoices, generate_series(1, 500) n WHERE month = '2026-03-01'`,
	"people": `INSERT INTO people (account_id, name, customer, supplier) SELECT account_id, 'P' || n, true, true
		FROM people, generate_series(1, 500) n`,
	"categories": `INSERT INTO categories (account_id, name, full_name, cost, revenue)
		SELECT id, 'C' || n, 'C' || n, true, true FROM accounts, generate_series(1, 500) n`,
	"classification_centers": `INSERT INTO classification_centers (account_id, entity_id, name, cost_center,
		revenue_center)
		SELECT account_id, entity_id, name || n, true, true FROM classification_centers, generate_series(1, 500) n`,
	"custom_classifiers": `INSERT INTO custom_classifiers (account_id, name) SELECT account_id, name || n
		FROM custom_classifiers, generate_series(1, 500) n`,
	"values": `INSERT INTO custom_classifier_values (account_id, custom_classifier_id, value)
		SELECT account_id, custom_classifier_id, value || n FROM custom_classifier_values, generate_series(1, 500) n`,
	"members": `WITH made AS (INSERT INTO users (email) SELECT 'u' || n || '@example.com' FROM generate_series(1, 500) n
			RETURNING id)
		INSERT INTO memberships (account_id, user_id, administrator) SELECT a.id, made.id, false FROM accounts a, made`,
	"tokens": `INSERT INTO tokens (sha256, user_id, account_id, prefix, name)
		SELECT sha256(convert_to(concat_ws(' ', account_id, user_id, n), 'UTF8')), user_id, account_id, 'abcdef',
			'T' || n FROM (SELECT * FROM tokens ORDER BY id LIMIT 1) t, generate_series(1, 500) n`,
	"webhooks": `INSERT INTO webhooks (account_id, entity_id, url, format, secret) SELECT account_id, entity_id, url,
		format, secret FROM webhooks, generate_series(1, 500) n`,
	"deliveries": `INSERT INTO deliveries (account_id, webhook_id, family, action, record_id) SELECT account_id,
		webhook_id, family, action, n
		FROM deliveries, generate_series(1, 500) n`,
}

// fill makes at least n records for each list, of those of s.records.
func (s *service) fill(t testing.TB, n int) {
	t.Helper()
	size := strings.NewReplacer("500)", fmt.Sprintf("%d)", n), "507", strconv.Itoa(7+n))
	for _, name := range slices.Sorted(maps.Keys(many)) { // each after those whose rows it multiplies
		s.exec(t, size.Replace(many[name]))
	}
	s.exec(t, `INSERT INTO credit_card_billings SELECT account_id, id, '0001-01-01', '0001-01-01', 5, 15
		FROM credit_cards WHERE id > 1`)
	s.exec(t, `ANALYZE`) // the lists' plans would be those of empty tables
}

// spelled has each function of internal/paths for the ids of numbered.
var spelled = map[string]string{
	"Entity":                 paths.Entity(11),
	"DepositAccounts":        paths.DepositAccounts(11),
	"DepositAccount":         paths.DepositAccount(11, 12),
	"FinancialTransactions":  paths.FinancialTransactions(11, 12),
	"FinancialTransaction":   paths.FinancialTransaction(11, 12, 13),
	"RoutedStatements":       paths.RoutedStatements(11),
	"BankStatements":         paths.BankStatements(11, 12),
	"BankStatement":          paths.BankStatement(11, 12, 14),
	"FinancialAccounts":      paths.FinancialAccounts(11, "payable"),
	"FinancialAccount":       paths.FinancialAccount(11, "receivable", 20),
	"Reconciles":             paths.Reconciles(11),
	"Reconcile":              paths.Reconcile(11, 21),
	"Transfers":              paths.Transfers(11),
	"Transfer":               paths.Transfer(11, 30),
	"ReconciliationRules":    paths.ReconciliationRules(11),
	"ReconciliationRule":     paths.ReconciliationRule(11, 31),
	"Budgets":                paths.Budgets(11),
	"Budget":                 paths.Budget(11, 32),
	"SaleAccount":            paths.SaleAccount(24),
	"SaleRule":               paths.SaleRule(24, 25),
	"Sale":                   paths.Sale(11, 26),
	"CreditCards":            paths.CreditCards(11),
	"CreditCard":             paths.CreditCard(11, 22),
	"CreditCardInvoices":     paths.CreditCardInvoices(11, 22),
	"CreditCardInvoice":      paths.CreditCardInvoice(11, 22, "2026-03"),
	"CreditCardTransactions": paths.CreditCardTransactions(11, 22),
	"CreditCardTransaction":  paths.CreditCardTransaction(11, 22, 23),
	"Person":                 paths.Person(15),
	"Category":               paths.Category(16),
	"ClassificationCenter":   paths.ClassificationCenter(17),
	"CustomClassifier":       paths.CustomClassifier(18),
	"CustomClassifierValue":  paths.CustomClassifierValue(18, 19),
	"Attachments":            paths.Attachments(11),
	"Attachment":             paths.Attachment(11, 27),
	"Token":                  paths.Token(33),
	"Member":                 paths.Member(34),
	"Webhook":                paths.Webhook(28),
	"WebhookDelivery":        paths.WebhookDelivery(28, 29),
}

// numbered are the ids of the paths in spelled.
var numbered = records{"entity_id": 11, "deposit_account_id": 12, "financial_transaction_id": 13,
	"bank_statement_id": 14,
	"person_id":         15, "category_id": 16, "classification_center_id": 17, "custom_classifier_id": 18,
	"custom_classifier_value_id": 19, "receivable_account_id": 20,
	"reconcile_id": 21, "credit_card_id": 22, "credit_card_transaction_id": 23, "sale_account_id": 24,
	"sale_rule_id": 25, "sale_id": 26, "attachment_id": 27,
	"webhook_id": 28, "webhook_delivery_id": 29, "transfer_id": 30, "reconciliation_rule_id": 31, "budget_id": 32,
	"token_id": 33, "member_id": 34}
