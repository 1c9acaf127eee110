package storagetest

import (
	"context"
	"database/sql"
	"fmt"

	"bordero/jobs"
)

// Execer is a database, or a transaction with settings of its own.
type Execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Contents inserts below an entity records of every kind that it can have, about 16 n rows,
// which pass `bordero verify`. files are the keys of the file of its bank statement and of
// its attachment; Contents makes up missing keys. It runs once per entity.
func Contents(ctx context.Context, db Execer, account, entity int64, n int, files ...string) error {
	keys := []string{fmt.Sprintf("xx/%d-statement", entity), fmt.Sprintf("xx/%d-attachment", entity)}
	copy(keys, files)
	for _, query := range []string{contents, webhook} {
		if _, err := db.ExecContext(ctx, fmt.Sprintf(query, account, entity, n, keys[0], keys[1],
			jobs.PriceSalesKind.Name, jobs.PriceSalesKind.Queue, jobs.ApplyCardDaysKind.Name,
			jobs.ApplyCardDaysKind.Queue)); err != nil {
			return err
		}
		if len(files) == 1 && files[0] == NoWebhook {
			break
		}
	}
	return nil
}

// NoWebhook, as the only element of files, leaves the webhook out.
const NoWebhook = "no webhook"

const contents = `DO $do$
DECLARE
  a bigint := %[1]d; e bigint := %[2]d; n int := %[3]d;
  bank bigint; cash bigint; statement bigint; preview bigint; center bigint; category bigint; person bigint; classifier
	bigint; v bigint;
  acquirer bigint; card bigint; file bigint; base bigint; reconciled int := n / 10 + 1; days int := 30;
BEGIN
  INSERT INTO categories (account_id, name, full_name, revenue, cost) VALUES (a, 'C' || e, 'C' || e, true, true)
	RETURNING id INTO category;
  INSERT INTO people (account_id, name, customer, supplier) VALUES (a, 'P', true, true) RETURNING id INTO person;
  INSERT INTO custom_classifiers (account_id, name) VALUES (a, 'K' || e) RETURNING id INTO classifier;
  INSERT INTO custom_classifier_values (account_id, custom_classifier_id, value) VALUES (a, classifier, 'V')
	RETURNING id INTO v;
  INSERT INTO classification_centers (account_id, entity_id, name, cost_center, revenue_center)
	VALUES (a, e, 'Z', true, true) RETURNING id INTO center;
  INSERT INTO deposit_accounts (account_id, entity_id, name, deposit_account_type_id, currency_id)
	VALUES (a, e, 'Banco', 1, 1) RETURNING id INTO bank;
  INSERT INTO deposit_accounts (account_id, entity_id, name, deposit_account_type_id, currency_id)
	VALUES (a, e, 'Caixa', 8, 1) RETURNING id INTO cash;
  INSERT INTO register_sessions (account_id, deposit_account_id, opened_at) VALUES (a, cash, now());

  INSERT INTO bank_statements (account_id, deposit_account_id, file_key, file_file_name, file_content_type,
	file_file_size, event_status,
      event_finished_at, imported_items_count, duplicate_items_ignored_count, items_count)
    VALUES (a, bank, '%[4]s', 'a.ofx', 'x', 1, 'success', now(), n, n + 1, 2 * n + 1) RETURNING id INTO statement;
  INSERT INTO balance_proofs (account_id, deposit_account_id, bank_statement_id, status) VALUES (a, bank, statement,
	'agrees');
  INSERT INTO statement_proofs (account_id, deposit_account_id, bank_statement_id, status)
	VALUES (a, bank, statement, 'agrees');
  SELECT coalesce(max(id), 0) INTO base FROM financial_transactions;
  INSERT INTO financial_transactions (account_id, deposit_account_id, amount, occurred_at, currency_id,
	bank_statement_id, guid)
    SELECT a, bank, -1, date '2026-01-01' + i %% 300, 1, statement, i::text FROM generate_series(1, n) i;
  INSERT INTO imported_items (account_id, deposit_account_id, day, amount, ordinal, bank_statement_id, number, line,
	financial_transaction_id)
    SELECT a, bank, date '2026-01-01' + i %% 300, -1, i / 300 + 1, statement, i, i, base + i
	FROM generate_series(1, n) i;
  INSERT INTO ignored_items (account_id, bank_statement_id, number, line, mark, outcome)
    SELECT a, statement, n + i, i, '', 'duplicate' FROM generate_series(1, n) i;
  INSERT INTO folded_items (account_id, bank_statement_id, outcome, first, numbers, lines, days, amounts, marks)
    VALUES (a, statement, 'duplicate', 2 * n + 1, ARRAY[2 * n + 1], ARRAY[1], ARRAY[date '2026-01-01'], ARRAY[-1],
	'{""}');
  INSERT INTO bank_statements (account_id, deposit_account_id, file_key, file_file_name, file_content_type,
	file_file_size, event_status,
      event_finished_at, imported_items_count, items_count, preview_until)
    VALUES (a, bank, '%[4]s-preview', 'b.ofx', 'x', 1, 'previewed', now(), n, n, now() + interval '7 days')
	RETURNING id INTO preview;
  INSERT INTO previewed_items (account_id, bank_statement_id, number, line, day, amount, mark, outcome)
    SELECT a, preview, i, i, date '2026-01-01' + i %% 300, -2, '', 'imported' FROM generate_series(1, n) i;
  INSERT INTO financial_transactions (account_id, deposit_account_id, amount, occurred_at, currency_id, category_id,
	person_id, classification_center_id)
    SELECT a, bank, 1, date '2026-01-01' + i %% 300, 1, category, person, center FROM generate_series(1, n) i;
  SELECT max(id) INTO base FROM financial_transactions;
  INSERT INTO financial_transactions (id, account_id, deposit_account_id, amount, occurred_at, currency_id,
	transfer_id, transfer_deposit_account_id)
    SELECT base + i, a, CASE i %% 2 WHEN 1 THEN bank ELSE cash END, CASE i %% 2 WHEN 1 THEN -3 ELSE 3 END,
	date '2026-02-01', 1,
      base + i + CASE i %% 2 WHEN 1 THEN 1 ELSE -1 END, CASE i %% 2 WHEN 1 THEN cash ELSE bank END
    FROM generate_series(1, 2 * reconciled) i;
  INSERT INTO financial_transactions (id, account_id, deposit_account_id, amount, occurred_at, currency_id)
    SELECT base + 2 * reconciled + i, a, CASE i %% 2 WHEN 1 THEN bank ELSE cash END, CASE i %% 2 WHEN 1 THEN -4
	ELSE 4 END, date '2026-02-01' + i %% 2, 1
    FROM generate_series(1, 2 * reconciled) i;
  INSERT INTO transfers (account_id, entity_id, debit_transaction_id, credit_transaction_id)
    SELECT a, e, base + 2 * reconciled + 2 * i - 1, base + 2 * reconciled + 2 * i FROM generate_series(1, reconciled) i;
  UPDATE financial_transactions t SET pair_id = p.id, transfer_id = o.id,
	transfer_deposit_account_id = o.deposit_account_id
    FROM transfers p, financial_transactions o
    WHERE p.account_id = a AND p.entity_id = e AND t.account_id = a AND o.account_id = a
      AND (t.id, o.id) IN ((debit_transaction_id, credit_transaction_id),
	(credit_transaction_id, debit_transaction_id));
  PERFORM setval('financial_transactions_id_seq', base + 4 * reconciled);

  INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, amount, competency_month, category_id,
	classification_center_id,
      person_id, expected_deposit_account_id)
    SELECT a, e, 'payable', date '2026-01-01' + i %% 300, 10, '2026-01-01', category, center, person, bank
	FROM generate_series(1, n) i;
  INSERT INTO financial_account_taxes (account_id, financial_account_id, line, tax_id, amount)
    SELECT a, id, 1, 1, 1 FROM financial_accounts WHERE account_id = a AND entity_id = e AND kind = 'payable';
  INSERT INTO reconciliation_rules (account_id, entity_id, name, position, deposit_account_id, new_account, match,
	category_id, person_id,
      classification_center_id)
    SELECT a, e, 'R' || i, i, CASE WHEN i > 2 THEN bank END, i %% 2 = 1, i %% 2 = 0, category, person,
	CASE i %% 2 WHEN 1 THEN center END
    FROM generate_series(1, 4) i;
  INSERT INTO budgets (account_id, entity_id, month, category_id, classification_center_id, amount)
    SELECT a, e, date '2026-01-01' + i / 2 * interval '1 month', category, CASE i %% 2 WHEN 1 THEN center END, i
    FROM generate_series(0, n - 1) i;
  SELECT coalesce(max(id), 0) INTO base FROM reconciles;
  INSERT INTO reconciles (id, account_id, entity_id, kind) SELECT base + i, a, e, 'receivable'
	FROM generate_series(1, reconciled) i;
  PERFORM setval('reconciles_id_seq', base + reconciled);
  INSERT INTO financial_accounts (account_id, entity_id, kind, status, due_date, occurred_at, amount, total_amount,
	competency_month, reconcile_id)
    SELECT a, e, 'receivable', 3, '2026-03-01', '2026-03-01', 2, 2, '2026-03-01', base + i
	FROM generate_series(1, reconciled) i;
  INSERT INTO financial_transactions (account_id, deposit_account_id, amount, occurred_at, currency_id, reconcile_id)
    SELECT a, bank, 2, '2026-03-01', 1, base + i FROM generate_series(1, reconciled) i;
  UPDATE deposit_accounts d SET (transactions_sum, transactions_count, last_transaction_date) = (
    SELECT coalesce(sum(amount), 0), count(*), max(occurred_at) FROM financial_transactions t
	WHERE t.deposit_account_id = d.id)
    WHERE id IN (bank, cash);

  INSERT INTO sale_accounts (account_id, entity_id, name, provider, payment_methods, consolidate, category_id,
	person_id, classification_center_id,
      expected_deposit_account_id)
    VALUES (a, e, 'Cielo', 'cielo', 'pix', true, category, person, center, bank) RETURNING id INTO acquirer;
  INSERT INTO sale_account_custom_classifications (account_id, sale_account_id, custom_classifier_value_id)
	VALUES (a, acquirer, v);
  INSERT INTO sale_account_center_classifications (account_id, sale_account_id, classification_center_id)
	VALUES (a, acquirer, center);
  INSERT INTO sale_rules (account_id, sale_account_id, payment_method, fixed_fee_amount) VALUES (a, acquirer, 'pix', 1);
  INSERT INTO jobs (kind, queue, key, args, account_id, due_at)
    VALUES ('%[6]s', '%[7]s', a || ':' || acquirer, json_build_object('account_id', a, 'sale_account_id', acquirer), a,
	now() + interval '1 year');
  SELECT coalesce(max(id), 0) + 1 INTO base FROM financial_accounts;
  INSERT INTO financial_accounts (id, account_id, entity_id, kind, due_date, amount, sales_count, competency_month,
	sale_account_id, consolidated, gathering)
    SELECT base + i, a, e, 'receivable', date '2026-05-01' + i, 5 * count(*), count(*), '2026-05-01', acquirer, true,
	true
    FROM generate_series(1, 2 * n) s, LATERAL (SELECT s %% days AS i) d GROUP BY i;
  PERFORM setval('financial_accounts_id_seq', base + days);
  INSERT INTO sales (account_id, entity_id, sale_account_id, status, awaiting_pricing, payment_method, occurred_at,
	competency_month, nominal_amount,
      total_amount, financial_account_id, receivable_amount, estimated_liquidated_at, category_id, person_id,
	classification_center_id, provider_code, description)
    SELECT a, e, acquirer, 1, false, 'pix', '2026-04-01', '2026-04-01', 6, 6, base + i %% days, 5,
	date '2026-05-01' + i %% days, category, person,
      center, i::text, 'Venda ' || i
    FROM generate_series(1, 2 * n) i;
  INSERT INTO sale_rule_applications (account_id, sale_account_id, payment_method, sale_rule_id, fixed_fee_amount,
	up_to)
    SELECT a, acquirer, 'pix', r.id, 1, (SELECT max(id) FROM sales) FROM sale_rules r WHERE r.account_id = a
	AND r.sale_account_id = acquirer;
  SELECT min(id) INTO base FROM sales WHERE account_id = a AND entity_id = e;
  UPDATE sales SET original_sale_id = base, installment_number = 2, installment_count = 2 WHERE account_id = a
	AND id = base + 2 * n - 1;
  INSERT INTO sale_taxes (account_id, sale_id, tax_id, amount) SELECT a, base + i, 1, 0
	FROM generate_series(0, 2 * n - 1) i;
  INSERT INTO sale_custom_classifications (account_id, sale_id, custom_classifier_value_id) SELECT a, base + i, v
	FROM generate_series(0, n - 1) i;
  INSERT INTO sale_center_classifications (account_id, sale_id, classification_center_id) SELECT a, base + i, center
	FROM generate_series(0, n - 1) i;
  INSERT INTO financial_account_custom_classifications (account_id, financial_account_id, custom_classifier_value_id)
    SELECT a, id, v FROM financial_accounts WHERE account_id = a AND sale_account_id = acquirer;
  INSERT INTO financial_account_center_classifications (account_id, financial_account_id, classification_center_id)
    SELECT a, id, center FROM financial_accounts WHERE account_id = a AND sale_account_id = acquirer;

  INSERT INTO credit_cards (account_id, entity_id, name, flag, category_id, person_id, classification_center_id)
    VALUES (a, e, 'Visa', 'Visa', category, person, center) RETURNING id INTO card;
  INSERT INTO credit_card_billings (account_id, credit_card_id, starts_on, first_month, closing_day, expiration_day)
    VALUES (a, card, '0001-01-01', '0001-01-01', 28, 28);
  INSERT INTO pending_card_days (account_id, credit_card_id, starts_on, first_month, closing_day, expiration_day)
    VALUES (a, card, '9000-01-01', '9000-01-01', 1, 10);
  INSERT INTO jobs (kind, queue, key, args, account_id, due_at)
    VALUES ('%[8]s', '%[9]s', a || ':' || card, json_build_object('account_id', a, 'credit_card_id', card), a,
	now() + interval '1 year');
  SELECT coalesce(max(id), 0) INTO base FROM credit_card_invoices;
  INSERT INTO credit_card_invoices (id, account_id, credit_card_id, start_date, end_date, due_date, balance,
	transactions_count)
    SELECT base + i + 1, a, card, make_date(2025, i + 1, 1), make_date(2025, i + 1, 27), make_date(2025, i + 1, 28),
	7 * count(*), count(*)
    FROM generate_series(0, n - 1) t, LATERAL (SELECT t %% 12 AS i) m GROUP BY i;
  PERFORM setval('credit_card_invoices_id_seq', base + 12);
  INSERT INTO credit_card_transactions (account_id, credit_card_id, credit_card_invoice_id, amount, occurred_at,
	category_id, person_id,
      classification_center_id)
    SELECT a, card, base + i %% 12 + 1, 7, make_date(2025, i %% 12 + 1, i %% 27 + 1), category, person, center
	FROM generate_series(0, n - 1) i;
  INSERT INTO credit_card_transaction_custom_classifications (account_id, credit_card_transaction_id,
	custom_classifier_value_id)
    SELECT a, id, v FROM credit_card_transactions WHERE account_id = a AND credit_card_id = card;
  INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, amount, competency_month,
	credit_card_invoice_id)
    SELECT a, e, 'payable', due_date, balance, month, id FROM credit_card_invoices WHERE account_id = a
	AND credit_card_id = card;

  INSERT INTO attachments (account_id, entity_id, file_key, attachment_file_name, attachment_content_type,
	attachment_file_size)
    VALUES (a, e, '%[5]s', 'a.pdf', 'application/pdf', 1) RETURNING id INTO file;
  INSERT INTO financial_account_attachments SELECT a, min(id), file FROM financial_accounts WHERE account_id = a
	AND entity_id = e;
  INSERT INTO financial_transaction_attachments SELECT a, min(id), file FROM financial_transactions
	WHERE account_id = a AND deposit_account_id = bank;
  INSERT INTO sale_attachments SELECT a, min(id), file FROM sales WHERE account_id = a AND entity_id = e;
END $do$`

const webhook = `DO $do$
DECLARE a bigint := %[1]d; e bigint := %[2]d; n int := %[3]d; hook bigint; member bigint;
BEGIN
  PERFORM '%[4]s', '%[5]s';
  INSERT INTO users (email) VALUES ('member' || e || '@example.com') RETURNING id INTO member;
  INSERT INTO memberships (account_id, user_id, administrator, all_entities) VALUES (a, member, false, false);
  INSERT INTO membership_entities VALUES (a, member, e);
  INSERT INTO webhooks (account_id, entity_id, url, format, secret, status) VALUES (a, e, 'https://example.com',
	'json', 'x', 'error') RETURNING id INTO hook;
  INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, status, attempts_count)
    SELECT a, hook, 'sales', 'created', i, 'held', 1 FROM generate_series(1, n) i;
  INSERT INTO delivery_attempts (account_id, delivery_id, number, request_id) SELECT a, id, 1, 'r' FROM deliveries
	WHERE account_id = a AND webhook_id = hook;
END $do$`
