package api_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// classify adds sales and purchases to the books, and categories, people, centers and values to all records, of
// which many are split among centers and values. Some of these are being deleted.
func (b *flowBooks) classify(t *testing.T, r *rand.Rand) {
	t.Helper()
	ids := strings.NewReplacer("{account}", fmt.Sprint(b.AccountID), "{entity}", fmt.Sprint(b.EntityID),
		"{seed}", fmt.Sprint(r.Float64()))
	b.exec(t, ids.Replace(`SELECT setseed({seed});
	INSERT INTO categories (account_id, id, parent_id, name, full_name, revenue, cost) VALUES
		({account}, 9001, NULL, 'A', 'A', true, true), ({account}, 9002, 9001, 'B', 'A > B', true, true),
		({account}, 9003, 9002, 'C', 'A > B > C', true, true), ({account}, 9004, 9001, 'D', 'A > D', true, true),
		({account}, 9005, NULL, 'E', 'E', true, true);
	INSERT INTO people (account_id, id, name, customer, supplier)
		SELECT {account}, n, 'P' || n, true, true FROM generate_series(9001, 9003) n;
	INSERT INTO classification_centers (account_id, entity_id, id, name, cost_center, revenue_center, deleted_at)
		SELECT {account}, {entity}, n, 'Z' || n, true, true, CASE n WHEN 9004 THEN now() END
		FROM generate_series(9001, 9004) n;
	INSERT INTO custom_classifiers (account_id, id, name) VALUES ({account}, 9001, 'Canal'), ({account}, 9002, 'Obra');
	INSERT INTO custom_classifier_values (account_id, id, custom_classifier_id, value, deleted_at)
		SELECT {account}, n, 9001 + n % 2, 'V' || n, CASE n WHEN 9008 THEN now() END FROM generate_series(9001, 9008) n;

	INSERT INTO sale_accounts (account_id, entity_id, name, provider, payment_methods)
		SELECT account_id, id, 'T', 'cielo', '{credit}' FROM entities WHERE account_id = {account};
	INSERT INTO sales (account_id, entity_id, sale_account_id, status, payment_method, occurred_at, competency_month,
			nominal_amount, total_amount, total_taxes, financial_account_id, receivable_amount, estimated_liquidated_at,
			liquidated_at)
		SELECT a.account_id, a.entity_id, a.id, k.status, 'credit', date '2026-01-20' + n * 3,
			date '2026-01-01' + make_interval(months => n % 4), n * 13.37, n * 14.01, n * 0.37,
			CASE WHEN k.status > 0 THEN (SELECT min(id) FROM financial_accounts WHERE kind = 'receivable') END,
			CASE WHEN k.status > 0 THEN n * 12.99 END, CASE WHEN k.status > 0 THEN date '2026-05-01' END,
			CASE WHEN k.status > 1 THEN date '2026-05-01' END
		FROM sale_accounts a, generate_series(1, 30) n, LATERAL (SELECT n % 3 AS status) k;
	INSERT INTO credit_cards (account_id, entity_id, name, flag, deleted_at)
		SELECT account_id, id, 'K' || n, 'Visa', CASE n WHEN 3 THEN now() END
		FROM entities, generate_series(1, 3) n WHERE account_id = {account};
	INSERT INTO credit_card_billings SELECT account_id, id, '0001-01-01', '0001-01-01', 5, 15 FROM credit_cards;
	INSERT INTO credit_card_invoices (account_id, credit_card_id, start_date, end_date, due_date)
		SELECT account_id, id, '2026-02-06', '2026-03-05', '2026-03-15' FROM credit_cards;
	INSERT INTO credit_card_transactions (account_id, credit_card_id, credit_card_invoice_id, amount, occurred_at)
		SELECT account_id, credit_card_id, id, CASE n % 4 WHEN 0 THEN -n ELSE n END * 7.77, start_date + n
		FROM credit_card_invoices, generate_series(1, 25) n;`))
	for _, table := range []string{"financial_transactions", "financial_accounts", "sales",
		"credit_card_transactions"} {
		b.exec(t, ids.Replace(`SELECT setseed({seed}); UPDATE `+table+` SET
			category_id = nullif(9001 + floor(random() * 6)::int, 9006),
			person_id = nullif(9001 + floor(random() * 4)::int, 9004),
			classification_center_id = nullif(9001 + floor(random() * 4)::int, 9004)`))
	}
	for _, parts := range []struct{ of, what, by, last, whole string }{
		{"financial_account", "custom", "custom_classifier_value_id", "9008", "amount"},
		{"financial_account", "center", "classification_center_id", "9004", "amount"},
		{"sale", "custom", "custom_classifier_value_id", "9008", "total_amount"},
		{"sale", "center", "classification_center_id", "9004", "total_amount"},
		{"credit_card_transaction", "custom", "custom_classifier_value_id", "9008", "abs(amount)"},
	} {
		split := strings.NewReplacer("{of}", parts.of, "{what}", parts.what, "{by}", parts.by, "{last}", parts.last,
			"{whole}", parts.whole)
		b.exec(t, ids.Replace(split.Replace(`SELECT setseed({seed});
			INSERT INTO {of}_{what}_classifications (account_id, {of}_id, {by}, amount, percentage)
			SELECT account_id, id, 9001 + floor(random() * ({last} - 9000))::int,
				CASE WHEN way < 0.5 THEN round(CAST({whole} * random() AS numeric), 2) END,
				CASE WHEN way BETWEEN 0.5 AND 0.9 THEN (ARRAY[33.3333, 50, 25, 0.0001, 100])[1 + n] END
			FROM (SELECT f.*, n, random() AS way FROM {of}s f, generate_series(0, 4) n WHERE random() < 0.35
				ORDER BY id, random()) f`)))
	}
}
