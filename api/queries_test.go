package api_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"bordero/api"
	"bordero/internal/tier"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// many has the statement that multiplies the records of a list, by the last part of the list's path.
var many = map[string]string{
	"entities": `INSERT INTO entities (account_id, name) SELECT id, 'E' || n FROM accounts, generate_series(1, 500) n`,
	"deposit_accounts": `INSERT INTO deposit_accounts (account_id, entity_id, name, deposit_account_type_id, currency_id)
		SELECT account_id, entity_id, name || n, 1, 1 FROM deposit_accounts, generate_series(1, 500) n`,
	"financial_transactions": `INSERT INTO financial_transactions (account_id, deposit_account_id, amount, occurred_at, currency_id)
		SELECT account_id, deposit_account_id, n, occurred_at, 1 FROM financial_transactions, generate_series(1, 500) n`,
	"bank_statements": `INSERT INTO bank_statements (account_id, deposit_account_id, file_key, file_file_name, file_content_type, file_file_size)
		SELECT account_id, deposit_account_id, 'k' || n, file_file_name, file_content_type, 1 FROM bank_statements, generate_series(1, 500) n`,
	"items": `WITH counted AS (UPDATE bank_statements SET items_count = 507)
		INSERT INTO ignored_items (account_id, bank_statement_id, number, line, mark, outcome)
		SELECT account_id, bank_statement_id, 7 + n, line, mark, outcome FROM ignored_items, generate_series(1, 500) n WHERE number = 3`,
	"payable_accounts": `INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, amount, competency_month)
		SELECT account_id, entity_id, kind, due_date, n, competency_month FROM financial_accounts, generate_series(1, 500) n`,
	"receivable_accounts": `INSERT INTO financial_account_taxes (account_id, financial_account_id, line, tax_id, amount)
		SELECT account_id, id, n, 1, 1 FROM financial_accounts, generate_series(1, 3) n`,
	"sale_accounts": `INSERT INTO sale_accounts (account_id, entity_id, name, provider, payment_methods)
		SELECT account_id, entity_id, name || n, provider, payment_methods FROM sale_accounts, generate_series(1, 500) n`,
	"rules": `INSERT INTO sale_rules (account_id, sale_account_id, payment_method, issuer, fixed_fee_amount)
		SELECT account_id, sale_account_id, payment_method, n, 1 FROM sale_rules, generate_series(1, 500) n`,
	"sales": `INSERT INTO sales (account_id, entity_id, sale_account_id, payment_method, occurred_at, competency_month, nominal_amount, total_amount)
		SELECT account_id, entity_id, sale_account_id, payment_method, occurred_at, competency_month, n, n FROM sales, generate_series(1, 500) n`,
	"attachments": `WITH made AS (
			INSERT INTO attachments (account_id, entity_id, file_key, attachment_file_name, attachment_content_type, attachment_file_size)
			SELECT account_id, entity_id, 'k' || n, attachment_file_name, attachment_content_type, 1 FROM attachments, generate_series(1, 500) n
			RETURNING account_id, id),
		accounts AS (INSERT INTO financial_account_attachments SELECT a.account_id, f.id, a.id FROM made a, (SELECT min(id) AS id FROM financial_accounts) f),
		transactions AS (INSERT INTO financial_transaction_attachments SELECT a.account_id, t.id, a.id FROM made a, (SELECT min(id) AS id FROM financial_transactions) t)
		INSERT INTO sale_attachments SELECT a.account_id, s.id, a.id FROM made a, (SELECT min(id) AS id FROM sales) s`,
	"reconciles": `INSERT INTO reconciles (account_id, entity_id, kind) SELECT account_id, entity_id, kind FROM reconciles, generate_series(1, 500) n`,
	"credit_cards": `INSERT INTO credit_cards (account_id, entity_id, name, flag)
		SELECT account_id, entity_id, name || n, flag FROM credit_cards, generate_series(1, 500) n`,
	"invoices": `INSERT INTO credit_card_invoices (account_id, credit_card_id, start_date, end_date, due_date)
		SELECT 1, 1, day, day, day FROM (SELECT date '1970-01-01' + n * 31 AS day FROM generate_series(1, 500) n) days`,
	":month": `INSERT INTO credit_card_transactions (account_id, credit_card_id, credit_card_invoice_id, amount, occurred_at)
		SELECT 1, 1, id, n, end_date FROM credit_card_invoices, generate_series(1, 500) n WHERE month = '2026-03-01'`,
	"people": `INSERT INTO people (account_id, name, customer, supplier) SELECT account_id, 'P' || n, true, true FROM people, generate_series(1, 500) n`,
	"categories": `INSERT INTO categories (account_id, name, full_name, cost, revenue)
		SELECT id, 'C' || n, 'C' || n, true, true FROM accounts, generate_series(1, 500) n`,
	"classification_centers": `INSERT INTO classification_centers (account_id, entity_id, name, cost_center, revenue_center)
		SELECT account_id, entity_id, name || n, true, true FROM classification_centers, generate_series(1, 500) n`,
	"custom_classifiers": `INSERT INTO custom_classifiers (account_id, name) SELECT account_id, name || n FROM custom_classifiers, generate_series(1, 500) n`,
	"values": `INSERT INTO custom_classifier_values (account_id, custom_classifier_id, value)
		SELECT account_id, custom_classifier_id, value || n FROM custom_classifier_values, generate_series(1, 500) n`,
	"webhooks": `INSERT INTO webhooks (account_id, entity_id, url, format, secret) SELECT account_id, entity_id, url, format, secret FROM webhooks, generate_series(1, 500) n`,
	"deliveries": `INSERT INTO deliveries (account_id, webhook_id, family, action, record_id) SELECT account_id, webhook_id, family, action, n
		FROM deliveries, generate_series(1, 500) n`,
}

// fixed has the paths that are not lists of an account's table, or are short lists of a user. The
// answer of suggestions is not an array and has its own test.
var fixed = []string{"suggestions", "accounts", "banks", "currencies", "taxes", "permissions", "new", "preview", "download", "deletion"}

func TestListsTakeTheSameStatementsWhateverTheirLength(t *testing.T) {
	t.Parallel()
	s, statements := metered(t)
	ids := s.records(t)
	for _, statement := range many {
		s.exec(t, statement)
	}
	s.exec(t, `INSERT INTO credit_card_billings SELECT account_id, id, '0001-01-01', '0001-01-01', 5, 15 FROM credit_cards WHERE id > 1`)
	for _, r := range api.Routes() {
		name := r.Path[strings.LastIndex(r.Path, "/")+1:]
		if name == "value" { // an alias of values
			name = "values"
		}
		if r.Method != "GET" || strings.HasPrefix(name, ":") && many[name] == "" || slices.Contains(fixed, name) {
			continue
		}
		if many[name] == "" {
			t.Errorf("%s: a list that this test makes no records of", r.Path)
			continue
		}
		count := func(size int) int64 {
			before := statements.Load()
			a := s.call(t, "GET", fmt.Sprintf("%s?per_page=%d", ids.path(r), size)).want(t, 200)
			if n := len(a.value(t).([]any)); n != size {
				t.Errorf("%s: %d records, want %d", r.Path, n, size)
			}
			return statements.Load() - before
		}
		count(1) // prepares the statements
		short, long := tier.Size(20, 50), tier.Size(100, 500)
		if few, lots := count(short), count(long); few != lots || few == 0 || few > 6 {
			t.Errorf("%s: %d statements for %d records, %d for %d", r.Path, few, short, lots, long)
		}
	}
}

// metered returns a service and the count of the statements that it sends to the database.
func metered(t *testing.T) (*service, *atomic.Int64) {
	t.Helper()
	direct := storagetest.DatabaseURL(t)
	statements := &atomic.Int64{}
	tapped := tap(t, direct, func(kind byte, body []byte) {
		// A connection discards its plans at intervals (internal/db/prepared.go), for no request.
		if kind == 'E' || kind == 'Q' && !bytes.HasPrefix(body, []byte("DISCARD")) {
			statements.Add(1)
		}
	}, func(byte, []byte) {})
	s := serve(t, storagetest.Open(t, tapped, storage.Options{}))
	s.db = storagetest.DB(t, direct)
	s.Tenant = storagetest.NewTenant(t, s.store)
	return s, statements
}
