package verify

import (
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/queue"
)

// checks are the rules of Verify. Each query returns a row per difference: the account, the record,
// the expected state and the actual one. The rules are true at every commit, after any change or
// deletion, and join whole tables. They do not repeat the constraints of the schema. The records of
// a deleted entity are removed table by table: rules that this would break leave them out.
var checks = []struct{ name, sql string }{
	{"balances", `
		WITH recomputed AS (
			SELECT account_id, deposit_account_id AS id, sum(amount) AS sum, count(*) AS count, max(occurred_at) AS last
			FROM financial_transactions GROUP BY account_id, deposit_account_id)
		SELECT d.account_id, format('deposit account %s', d.id),
			format('%s in %s transactions until %s', coalesce(k.sum, 0), coalesce(k.count, 0),
				coalesce(k.last::text, 'none')),
			format('%s in %s transactions until %s', transactions_sum, transactions_count,
				coalesce(last_transaction_date::text, 'none'))
		FROM deposit_accounts d LEFT JOIN recomputed k USING (account_id, id)
		WHERE (transactions_sum, transactions_count, last_transaction_date) IS DISTINCT FROM (coalesce(k.sum, 0),
			coalesce(k.count, 0), k.last)
			AND ` + storage.EntityVisible("d")},

	{"transfers", `
		SELECT t.account_id, format('transaction %s of deposit account %s', t.id, t.deposit_account_id),
			format('transaction %s of deposit account %s: %s on %s, the other side of %s', t.transfer_id,
				t.transfer_deposit_account_id,
				-t.amount, t.occurred_at, t.id),
			CASE WHEN o.id IS NULL THEN 'no such transaction'
				ELSE format('of deposit account %s: %s on %s, the other side of %s', o.deposit_account_id, o.amount,
					o.occurred_at,
					coalesce(o.transfer_id::text, 'none')) END
		FROM financial_transactions t LEFT JOIN financial_transactions o ON o.account_id = t.account_id
			AND o.id = t.transfer_id
		WHERE t.transfer_id IS NOT NULL AND t.pair_id IS NULL AND (t.id, t.transfer_deposit_account_id, -t.amount,
			t.occurred_at, t.currency_id)
			IS DISTINCT FROM (o.transfer_id, o.deposit_account_id, o.amount, o.occurred_at, o.currency_id)`},

	{"pairs", storage.CheckPairs},

	{"currencies of transactions", `
		SELECT t.account_id, format('transaction %s of deposit account %s', t.id, t.deposit_account_id),
			format('currency %s', d.currency_id),
			format('currency %s', t.currency_id)
		FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id
			AND d.id = t.deposit_account_id
		WHERE t.currency_id <> d.currency_id`},

	{"currencies of reconciles", `
		SELECT t.account_id, format('reconcile %s', t.reconcile_id), 'transactions in reais',
			format('transaction %s in currency %s', t.id, t.currency_id)
		FROM financial_transactions t WHERE t.reconcile_id IS NOT NULL AND t.currency_id <> 1`},

	{"registers", `
		SELECT r.account_id, format('deposit account %s, whose register is open', r.deposit_account_id), 'type 8',
			format('type %s', coalesce(d.deposit_account_type_id::text, 'none'))
		FROM register_sessions r JOIN deposit_accounts d ON d.account_id = r.account_id AND d.id = r.deposit_account_id
		WHERE r.closed_at IS NULL AND d.deposit_account_type_id IS DISTINCT FROM 8`},

	{"entities of transactions", `
		SELECT t.account_id, format('transaction %s of deposit account %s', t.id, t.deposit_account_id),
			format('a center and a transfer within entity %s', d.entity_id),
			concat_ws(', ', 'center of entity ' || z.entity_id, 'transfer with entity ' || o.entity_id)
		FROM financial_transactions t
		JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
		LEFT JOIN classification_centers z ON z.account_id = t.account_id AND z.id = t.classification_center_id
		LEFT JOIN deposit_accounts o ON o.account_id = t.account_id AND o.id = t.transfer_deposit_account_id
		WHERE (t.classification_center_id IS NOT NULL OR t.transfer_deposit_account_id IS NOT NULL)
			AND (z.entity_id <> d.entity_id OR o.entity_id <> d.entity_id)`},

	{"texts of sales", `
		WITH folded AS (
			SELECT account_id, entity_id, id AS sale_id, fold(description) AS description,
				fold(observation) AS observation FROM sales
			WHERE description IS NOT NULL OR observation IS NOT NULL)
		SELECT account_id, format('sale %s', sale_id), CASE WHEN f IS NULL THEN 'none'
			ELSE 'its description and observation' END,
			CASE WHEN t IS NULL THEN 'none' ELSE 'others' END
		FROM folded f FULL JOIN sale_texts t USING (account_id, entity_id, sale_id)
		WHERE (f.description, f.observation) IS DISTINCT FROM (t.description, t.observation)`},

	{"imports", `
		WITH remembered AS (SELECT account_id, bank_statement_id AS id, count(*) AS count
			FROM imported_items GROUP BY 1, 2),
		recomputed AS (
			SELECT account_id, bank_statement_id AS id, count(*) AS count
			FROM financial_transactions WHERE bank_statement_id IS NOT NULL GROUP BY 1, 2)
		SELECT b.account_id, format('bank statement %s, %s', b.id, event_status),
			format('%s items remembered, as many transactions or fewer', CASE event_status WHEN 'success'
				THEN imported_items_count ELSE 0 END),
			format('%s items remembered, %s transactions, %s counted', coalesce(r.count, 0), coalesce(k.count, 0),
				imported_items_count)
		FROM bank_statements b LEFT JOIN remembered r USING (account_id, id) LEFT JOIN recomputed k USING (account_id,
			id)
		WHERE b.deleted_at IS NULL AND (imported_items_count <> coalesce(r.count, 0) AND event_status <> 'previewed'
			OR coalesce(k.count, 0) > coalesce(r.count, 0)
			OR (event_status <> 'success' AND r.count > 0)) AND ` + staysImported},

	// A statement imported before items were stored has no items_count.
	{"items of imports", `
		WITH ignored AS (
			SELECT account_id, bank_statement_id AS id, count(*) AS count,
				count(*) FILTER (WHERE outcome = 'future') AS future,
				count(*) FILTER (WHERE outcome = 'zero') AS zero,
					count(*) FILTER (WHERE outcome = 'invalid_date') AS invalid_date,
				count(*) FILTER (WHERE outcome = 'balance') AS balance,
					count(*) FILTER (WHERE outcome = 'duplicate') AS duplicate,
				count(*) FILTER (WHERE outcome = 'other_account') AS other_account
			FROM ignored_items GROUP BY 1, 2)
		SELECT b.account_id, format('bank statement %s', b.id),
			format('of %s items %s imported and ignored: %s future, %s zero, %s invalid_date, %s balance, '
				|| '%s duplicate, %s other_account', items_count,
				imported_items_count, future_items_ignored_count, amount_zero_items_ignored_count,
					invalid_date_items_ignored_count,
				balance_items_ignored_count, duplicate_items_ignored_count, other_account_items_ignored_count),
			format('ignored: %s future, %s zero, %s invalid_date, %s balance, %s duplicate, %s other_account',
				coalesce(i.future, 0),
				coalesce(i.zero, 0), coalesce(i.invalid_date, 0), coalesce(i.balance, 0), coalesce(i.duplicate, 0),
					coalesce(i.other_account, 0))
		FROM bank_statements b LEFT JOIN ignored i USING (account_id, id)
		WHERE b.deleted_at IS NULL AND items_count IS NOT NULL AND event_status <> 'previewed'
			AND (items_count <> imported_items_count + coalesce(i.count, 0)
			OR (future_items_ignored_count, amount_zero_items_ignored_count, invalid_date_items_ignored_count,
				balance_items_ignored_count,
				duplicate_items_ignored_count, other_account_items_ignored_count) <>
			(coalesce(i.future, 0), coalesce(i.zero, 0), coalesce(i.invalid_date, 0), coalesce(i.balance, 0),
				coalesce(i.duplicate, 0),
				coalesce(i.other_account, 0))) AND ` + staysImported},

	// The release before does not store the days.
	{"days of items", `
		WITH recomputed AS (
			SELECT account_id, bank_statement_id AS id, min(day) AS first, max(day) AS last FROM (
				SELECT account_id, bank_statement_id, day FROM imported_items
				UNION ALL SELECT account_id, bank_statement_id, day FROM ignored_items WHERE outcome = 'duplicate') d
			GROUP BY 1, 2)
		SELECT b.account_id, format('bank statement %s', b.id), format('items from %s to %s', k.first, k.last),
			format('from %s to %s', first_item_on, last_item_on)
		FROM bank_statements b LEFT JOIN recomputed k USING (account_id, id)
		WHERE b.deleted_at IS NULL AND event_status = 'success' AND first_item_on IS NOT NULL
			AND (first_item_on, last_item_on) IS DISTINCT FROM (k.first, k.last) AND ` + staysImported},

	// An import that was previewed has the items of its preview until it ends.
	{"items of previews", `
		WITH previewed AS (
			SELECT account_id, bank_statement_id AS id, count(*) AS count,
				count(*) FILTER (WHERE outcome = 'imported') AS imported,
				count(*) FILTER (WHERE outcome = 'duplicate') AS duplicate
			FROM previewed_items GROUP BY 1, 2)
		SELECT b.account_id, format('bank statement %s, %s', b.id, event_status),
			CASE WHEN event_status = 'previewed' THEN format('%s items: %s imported, %s duplicate', items_count,
				imported_items_count,
				duplicate_items_ignored_count) ELSE 'none' END,
			format('%s items: %s imported, %s duplicate', coalesce(p.count, 0), coalesce(p.imported, 0),
				coalesce(p.duplicate, 0))
		FROM bank_statements b LEFT JOIN previewed p USING (account_id, id)
		WHERE b.deleted_at IS NULL AND (event_status IN ('success', 'error') AND p.count > 0
			OR event_status = 'previewed' AND
			(items_count, imported_items_count, duplicate_items_ignored_count) IS DISTINCT FROM
			(coalesce(p.count, 0), coalesce(p.imported, 0), coalesce(p.duplicate, 0))) AND ` + staysImported},

	{"transactions of items", `
		SELECT i.account_id, format('item %s of bank statement %s', i.number, i.bank_statement_id),
			format('a transaction of deposit account %s that bank statement %s brought', i.deposit_account_id,
				i.bank_statement_id),
			format('transaction %s of deposit account %s, brought by %s', t.id, t.deposit_account_id,
				coalesce(t.bank_statement_id::text, 'none'))
		FROM imported_items i JOIN financial_transactions t ON t.account_id = i.account_id
			AND t.id = i.financial_transaction_id
		WHERE (t.deposit_account_id, t.bank_statement_id)
			IS DISTINCT FROM (i.deposit_account_id, i.bank_statement_id)`},

	{"deletions of imports", `
		SELECT b.account_id, format('bank statement %s, deleted', b.id), 'a job that undoes it', 'none'
		FROM bank_statements b WHERE deleted_at IS NOT NULL AND NOT EXISTS (
			SELECT FROM jobs WHERE kind = ` + queue.KindName(jobs.DeleteBankStatementKind) +
		` AND CAST(args::json ->> 'bank_statement_id' AS bigint) = b.id)`},

	{"accounts of imports", `
		SELECT t.account_id, format('transaction %s of deposit account %s', t.id, t.deposit_account_id),
			format('a bank statement of deposit account %s', t.deposit_account_id),
			format('bank statement %s of deposit account %s', b.id, b.deposit_account_id)
		FROM financial_transactions t JOIN bank_statements b ON b.account_id = t.account_id
			AND b.id = t.bank_statement_id
		WHERE b.deposit_account_id <> t.deposit_account_id`},

	// A statement that ended in error may have a job, which an operator retries.
	{"jobs of imports", `
		WITH waiting AS (
			SELECT CAST(args::json ->> 'bank_statement_id' AS bigint) AS id, count(*) AS count
			FROM jobs WHERE kind = ` + queue.KindName(jobs.ImportStatementKind) + ` AND failed_at IS NULL GROUP BY 1)
		SELECT b.account_id, format('bank statement %s, %s', b.id, event_status),
			CASE WHEN event_status IN ('queued', 'processing') THEN 'one job and no end' ELSE 'an end and no job' END,
			format('%s jobs, ended at %s', coalesce(j.count, 0), coalesce(event_finished_at::text, 'none'))
		FROM bank_statements b LEFT JOIN waiting j USING (id)
		WHERE ((event_status IN ('queued', 'processing') AND coalesce(j.count, 0) <> 1)
			OR (event_status IN ('success', 'previewed') AND j.count > 0)
			OR (event_finished_at IS NULL) = (event_status IN ('success', 'error', 'previewed'))) AND ` +
		staysImported},

	{"full names of categories", `
		SELECT c.account_id, format('category %s', c.id), coalesce(p.full_name || ' / ', '') || c.name, c.full_name
		FROM categories c LEFT JOIN categories p ON p.account_id = c.account_id AND p.id = c.parent_id
		WHERE c.deleted_at IS NULL AND c.full_name <> coalesce(p.full_name || ' / ', '') || c.name`},

	{"trees of categories", `
		SELECT c.account_id, format('category %s', c.id), 'a parent that is there, or deleted with it',
			format('category %s, deleted', p.id)
		FROM categories c JOIN categories p ON p.account_id = c.account_id AND p.id = c.parent_id
		WHERE c.deleted_at IS NULL AND p.deleted_at IS NOT NULL`},

	// The ids of a series are consecutive from recurrence_id on. Any of its rows may be gone.
	{"series", `
		SELECT f.account_id, format('%s account %s', f.kind, f.id),
			format('parcel %s of %s in the %s series %s of %s accounts of entity %s',
				CASE WHEN f.number_of_parcels IS NOT NULL THEN place END,
				s.number_of_parcels, s.recurrence_period, f.recurrence_id, s.kind, s.entity_id),
			format('parcel %s of %s in a %s series of %s accounts of entity %s', f.current_parcel, f.number_of_parcels,
				f.recurrence_period,
				f.kind, f.entity_id)
		FROM (SELECT id, account_id, entity_id, kind, recurrence_id, recurrence_period, number_of_parcels,
			current_parcel,
				id - recurrence_id + 1 AS place, min(id) OVER (PARTITION BY account_id, recurrence_id) AS first
			FROM financial_accounts WHERE recurrence_id IS NOT NULL) f
		JOIN financial_accounts s ON s.account_id = f.account_id AND s.id = f.first
		WHERE (f.kind, f.entity_id, f.recurrence_period, f.number_of_parcels) IS DISTINCT FROM
			(s.kind, s.entity_id, s.recurrence_period, s.number_of_parcels) OR f.current_parcel <> place OR place < 1`},

	{"entities of payable and receivable accounts", `
		SELECT f.account_id, format('%s account %s', f.kind, f.id),
			format('a center and a deposit account of entity %s', f.entity_id),
			concat_ws(', ', 'center of entity ' || z.entity_id, 'deposit account of entity ' || d.entity_id)
		FROM financial_accounts f
		LEFT JOIN classification_centers z ON z.account_id = f.account_id AND z.id = f.classification_center_id
		LEFT JOIN deposit_accounts d ON d.account_id = f.account_id AND d.id = f.expected_deposit_account_id
		WHERE z.entity_id <> f.entity_id OR d.entity_id <> f.entity_id`},

	{"reconciliation rules", `
		SELECT r.account_id, format('reconciliation rule %s', r.id),
			format('a center and a deposit account of entity %s', r.entity_id),
			concat_ws(', ', 'center of entity ' || z.entity_id, 'deposit account of entity ' || d.entity_id)
		FROM reconciliation_rules r
		LEFT JOIN classification_centers z ON z.account_id = r.account_id AND z.id = r.classification_center_id
		LEFT JOIN deposit_accounts d ON d.account_id = r.account_id AND d.id = r.deposit_account_id
		WHERE z.entity_id <> r.entity_id OR d.entity_id <> r.entity_id
		UNION ALL
		SELECT account_id, format('entity %s', entity_id), 'at most 100 reconciliation rules', count(*)::text
		FROM reconciliation_rules GROUP BY account_id, entity_id HAVING count(*) > 100`},

	{"sums of credit card invoices", `
		WITH recomputed AS (
			SELECT account_id, credit_card_invoice_id AS id, sum(amount) AS sum, count(*) AS count
				FROM credit_card_transactions GROUP BY 1, 2)
		SELECT i.account_id, format('invoice %s of credit card %s', i.id, i.credit_card_id),
			format('%s in %s transactions, one at least', coalesce(s.sum, 0), coalesce(s.count, 0)),
			format('%s in %s transactions', i.balance, i.transactions_count)
		FROM credit_card_invoices i JOIN credit_cards k ON k.account_id = i.account_id AND k.id = i.credit_card_id
		LEFT JOIN recomputed s ON s.account_id = i.account_id AND s.id = i.id
		WHERE (i.balance, i.transactions_count) IS DISTINCT FROM (s.sum, s.count) AND ` + storage.EntityVisible("k")},

	{"periods of credit card invoices", `
		SELECT t.account_id, format('transaction %s of credit card %s', t.id, t.credit_card_id),
			format('a day of invoice %s of credit card %s, %s to %s', i.id, i.credit_card_id, i.start_date, i.end_date),
			format('%s of credit card %s', t.occurred_at, t.credit_card_id)
		FROM credit_card_transactions t JOIN credit_card_invoices i ON i.account_id = t.account_id
			AND i.id = t.credit_card_invoice_id
		WHERE t.credit_card_id <> i.credit_card_id OR t.occurred_at NOT BETWEEN i.start_date AND i.end_date
		UNION ALL
		SELECT account_id, format('invoice %s of credit card %s', id, credit_card_id),
			format('a start after %s', before), format('a start on %s', start_date)
		FROM (SELECT id, account_id, credit_card_id, start_date,
				lag(end_date) OVER (PARTITION BY account_id, credit_card_id ORDER BY end_date) AS before
					FROM credit_card_invoices) i
		WHERE start_date <= before`},

	{"payable accounts of credit card invoices", `
		SELECT i.account_id, format('invoice %s of credit card %s', i.id, i.credit_card_id),
			CASE WHEN i.balance > 0 THEN format('a payable account of %s due on %s in entity %s', i.balance,
				i.due_date, k.entity_id)
				ELSE 'no payable account' END,
			CASE WHEN f.id IS NULL THEN 'none' ELSE format('%s account %s of %s due on %s in entity %s', f.kind, f.id,
				f.amount, f.due_date, f.entity_id) END
		FROM credit_card_invoices i JOIN credit_cards k ON k.account_id = i.account_id AND k.id = i.credit_card_id
		LEFT JOIN financial_accounts f ON f.account_id = i.account_id AND f.credit_card_invoice_id = i.id
		WHERE ((f.id IS NOT NULL) <> (i.balance > 0) OR (f.amount, f.due_date, f.entity_id) <> (i.balance, i.due_date,
			k.entity_id))
			AND ` + storage.EntityVisible("k")},

	{"discounts of accounts", `
		SELECT account_id, format('%s account %s', kind, id), 'nothing below zero due',
			format('%s due after a discount of %s', due, discount_amount)
		FROM (SELECT *, amount + coalesce(ticket_amount, 0) + coalesce(interest_amount, 0) - discount_amount AS due
			FROM financial_accounts
			WHERE discount_amount > 0 AND status = 1) f
		WHERE due < 0`},

	{"entities of credit cards", `
		SELECT k.account_id, format('credit card %s', k.id), format('a center of entity %s', k.entity_id),
			format('center of entity %s', z.entity_id)
		FROM credit_cards k JOIN classification_centers z ON z.account_id = k.account_id
			AND z.id = k.classification_center_id
		WHERE z.entity_id <> k.entity_id
		UNION ALL
		SELECT t.account_id, format('transaction %s of credit card %s', t.id, k.id),
			format('a center of entity %s', k.entity_id),
			format('center of entity %s', z.entity_id)
		FROM credit_card_transactions t JOIN credit_cards k ON k.account_id = t.account_id AND k.id = t.credit_card_id
		JOIN classification_centers z ON z.account_id = t.account_id AND z.id = t.classification_center_id
		WHERE z.entity_id <> k.entity_id`},

	{"sums of reconciles", `
		WITH owed AS (
			SELECT account_id, reconcile_id AS id, sum(total_amount) AS sum FROM financial_accounts
				WHERE reconcile_id IS NOT NULL GROUP BY 1, 2),
		moved AS (
			SELECT account_id, reconcile_id AS id, abs(sum(amount)) AS sum FROM financial_transactions
				WHERE reconcile_id IS NOT NULL GROUP BY 1, 2)
		SELECT r.account_id, format('reconcile %s', r.id), 'accounts and transactions of the same sum',
			format('accounts of %s, transactions of %s', coalesce(o.sum, 0), coalesce(m.sum, 0))
		FROM reconciles r LEFT JOIN owed o USING (account_id, id) LEFT JOIN moved m USING (account_id, id)
		WHERE (o.sum IS DISTINCT FROM m.sum OR m.sum IS NULL) AND ` + storage.EntityVisible("r")},

	{"members of reconciles", `
		SELECT r.account_id, format('%s account %s', f.kind, f.id), format('a %s one of entity %s, as reconcile %s',
			r.kind, r.entity_id, r.id),
			format('a %s one of entity %s', f.kind, f.entity_id)
		FROM financial_accounts f JOIN reconciles r ON r.account_id = f.account_id AND r.id = f.reconcile_id
		WHERE (f.kind, f.entity_id) <> (r.kind, r.entity_id)
		UNION ALL
		SELECT r.account_id, format('transaction %s of deposit account %s', t.id, d.id),
			format('a %s of entity %s, as reconcile %s', CASE r.kind WHEN 'payable' THEN 'Debit' ELSE 'Credit' END,
				r.entity_id, r.id),
			format('%s of entity %s', t.amount, d.entity_id)
		FROM financial_transactions t JOIN reconciles r ON r.account_id = t.account_id AND r.id = t.reconcile_id
		JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
		WHERE d.entity_id <> r.entity_id OR (r.kind = 'payable') <> (t.amount < 0)`},

	{"automatic reconciles", `
		SELECT r.account_id, format('reconcile %s, made by the worker', r.id),
			'1 transaction that is not left to people, 1 account',
			format('%s transactions, of which %s are left to people, %s accounts', t.count, t.lefts, f.count)
		FROM reconciles r
		CROSS JOIN LATERAL (SELECT count(*) AS count, count(*) FILTER (WHERE left_to_people) AS lefts
			FROM financial_transactions t WHERE t.account_id = r.account_id AND t.reconcile_id = r.id) t
		CROSS JOIN LATERAL (SELECT count(*) AS count FROM financial_accounts f WHERE f.account_id = r.account_id
			AND f.reconcile_id = r.id) f
		WHERE r.made_by = 'automatic' AND (t.count, t.lefts, f.count) <> (1, 0, 1) AND ` + storage.EntityVisible("r")},

	{"receivable accounts of sales", `
		WITH recomputed AS (
			SELECT account_id, financial_account_id AS id, sum(receivable_amount) AS sum, count(*) AS count
			FROM sales WHERE financial_account_id IS NOT NULL GROUP BY 1, 2)
		SELECT f.account_id, format('%s account %s', f.kind, f.id),
			format('%s of %s sales%s', coalesce(k.sum, 0), coalesce(k.count, 0), CASE WHEN NOT f.consolidated
				AND k.count > 1 THEN ' of a day' END),
			format('%s of %s sales', f.amount, f.sales_count)
		FROM financial_accounts f LEFT JOIN recomputed k USING (account_id, id)
		WHERE (f.sale_account_id IS NOT NULL OR k.count > 0)
			AND ((f.amount, f.sales_count) IS DISTINCT FROM (coalesce(k.sum, 0), coalesce(k.count, 0))
			OR f.sales_count = 0 OR f.sales_count > 1 AND NOT f.consolidated) AND ` + storage.EntityVisible("f")},

	// A sale that moved to another sale account remains in a receivable account of the former
	// one until it is priced.
	{"sales in receivable accounts", `
		SELECT s.account_id, format('sale %s', s.id),
			format('status %s, due on %s, liquidated on %s, in a receivable account of sale account %s of entity %s',
				CASE WHEN f.settling THEN s.status ELSE f.status END,
				f.due_date, coalesce(CASE WHEN f.settling THEN s.liquidated_at ELSE f.occurred_at END::text, 'none'),
					s.sale_account_id, s.entity_id),
			format('status %s, due on %s, liquidated on %s, in a %s account of sale account %s of entity %s', s.status,
				s.estimated_liquidated_at,
				coalesce(s.liquidated_at::text, 'none'), f.kind, f.sale_account_id, f.entity_id)
		FROM sales s JOIN financial_accounts f ON f.account_id = s.account_id AND f.id = s.financial_account_id
		WHERE f.due_date <> s.estimated_liquidated_at OR (f.kind, f.entity_id) <> ('receivable', s.entity_id)
			OR f.sale_account_id IS DISTINCT FROM s.sale_account_id AND NOT s.awaiting_pricing
			OR NOT f.settling AND (f.status, f.occurred_at) IS DISTINCT FROM (s.status, s.liquidated_at)`},

	{"differences of sales", `
		WITH wanted AS (
			SELECT *, coalesce(total_amount - amount + coalesce(fee_amount, 0) + coalesce(withheld_tax_amount, 0),
				0) AS difference
			FROM financial_accounts WHERE sale_account_id IS NOT NULL),
		spread AS (
			SELECT account_id, financial_account_id AS id, coalesce(sum(amount_difference), 0) AS sum
			FROM sales WHERE financial_account_id IS NOT NULL GROUP BY 1, 2)
		SELECT f.account_id, format('receivable account %s', f.id), format('%s spread among its sales', f.difference),
			format('%s spread', p.sum)
		FROM wanted f JOIN spread p USING (account_id, id)
		WHERE NOT f.settling AND p.sum <> f.difference AND ` + storage.EntityVisible("f")},

	{"deletions", `
		SELECT h.account_id, format('%s %s, deleted', h.root, h.id), 'a job that removes it', 'none'
		FROM (SELECT account_id, 'entities' AS root, id FROM entities WHERE deleted_at IS NOT NULL
			UNION ALL SELECT account_id, 'deposit_accounts', id FROM deposit_accounts WHERE deleted_at IS NOT NULL
			UNION ALL SELECT account_id, 'credit_cards', id FROM credit_cards WHERE deleted_at IS NOT NULL
			UNION ALL SELECT account_id, 'sale_accounts', id FROM sale_accounts WHERE deleted_at IS NOT NULL
			UNION ALL SELECT account_id, 'webhooks', id FROM webhooks w WHERE deleted_at IS NOT NULL AND ` +
		storage.EntityVisible("w") + `) h
		WHERE NOT EXISTS (SELECT FROM jobs j WHERE j.kind = ` + queue.KindName(jobs.DeleteCascadeKind) +
		` AND j.account_id = h.account_id
			AND (j.args::json ->> 'root' = h.root AND CAST(j.args::json ->> 'id' AS bigint) = h.id OR j.args::json ->` +
		`> 'root' = 'accounts'))`},

	{"entities of attachments", `
		SELECT x.account_id, format('attachment %s', a.id), format('a record of entity %s', a.entity_id),
			format('%s of entity %s', x.record, x.entity_id)
		FROM (SELECT l.account_id, l.attachment_id, format('%s account %s', f.kind, f.id) AS record, f.entity_id
				FROM financial_account_attachments l JOIN financial_accounts f ON f.account_id = l.account_id
					AND f.id = l.financial_account_id
			UNION ALL SELECT l.account_id, l.attachment_id, format('transaction %s', t.id), d.entity_id
				FROM financial_transaction_attachments l JOIN financial_transactions t ON t.account_id = l.account_id
					AND t.id = l.financial_transaction_id
				JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
			UNION ALL SELECT l.account_id, l.attachment_id, format('sale %s', s.id), s.entity_id
				FROM sale_attachments l JOIN sales s ON s.account_id = l.account_id AND s.id = l.sale_id) x
		JOIN attachments a ON a.account_id = x.account_id AND a.id = x.attachment_id
		WHERE a.entity_id <> x.entity_id`},

	// A failed job counts: an operator can retry it. Sales of a settling receivable account need
	// no pricing job yet, nor do applications of rules: the job that settles them enqueues it at its end.
	{"jobs of sales", `
		WITH wanted_jobs AS (
			SELECT account_id, sale_account_id AS id, ARRAY[` + queue.KindName(jobs.PriceSalesKind) +
		`] AS kinds, count(*) AS count
			FROM sales s WHERE awaiting_pricing AND status < 2 AND (financial_account_id IS NULL OR EXISTS (
				SELECT FROM financial_accounts f WHERE f.account_id = s.account_id AND f.id = s.financial_account_id
					AND f.status = 1 AND NOT f.settling)) GROUP BY 1, 2
			UNION ALL SELECT account_id, sale_account_id, ARRAY[` + queue.KindName(jobs.PriceSalesKind) + `, ` +
		queue.KindName(jobs.SettleSalesKind) + `], count(*) FROM sale_rule_applications GROUP BY 1, 2
			UNION ALL SELECT account_id, sale_account_id, ARRAY[` + queue.KindName(jobs.SettleSalesKind) +
		`], count(*) FROM financial_accounts WHERE settling GROUP BY 1, 2)
		SELECT a.account_id, format('sale account %s', a.id), format('a job %s', q.kinds[1]),
			format('%s to do and no job', q.count)
		FROM wanted_jobs q JOIN sale_accounts a USING (account_id, id) JOIN entities e ON e.account_id = a.account_id
			AND e.id = a.entity_id
		WHERE a.deleted_at IS NULL AND e.deleted_at IS NULL
			AND NOT EXISTS (SELECT FROM jobs j WHERE j.kind = ANY(q.kinds) AND j.key = a.account_id || ':' || a.id)`},

	// A job that waits for its next attempt counts, and so does a failed one.
	{"jobs of webhooks", `
		SELECT w.account_id, format('webhook %s', w.id),
			'a job that is due when the first of its pending deliveries is',
			format('%s pending since %s, and none', count(*), min(d.next_at))
		FROM webhooks w JOIN deliveries d ON d.account_id = w.account_id AND d.webhook_id = w.id
			AND d.status = 'pending'
		WHERE w.status = 'active' AND w.deleted_at IS NULL AND NOT EXISTS (
			SELECT FROM jobs j WHERE j.kind = ` + queue.KindName(jobs.DeliverWebhookKind) +
		` AND j.key = 'webhook:' || w.id
				AND (j.due_at <= greatest(d.next_at, now()) OR j.attempts > 0))
		GROUP BY w.account_id, w.id`},

	{"deliveries that are held", `
		SELECT w.account_id, format('webhook %s, active', w.id), 'nothing that is held',
			format('%s deliveries held', count(*))
		FROM webhooks w JOIN deliveries d ON d.account_id = w.account_id AND d.webhook_id = w.id AND d.status = 'held'
		WHERE w.status = 'active' AND w.deleted_at IS NULL
			AND NOT EXISTS (SELECT FROM jobs j WHERE j.kind = ` + queue.KindName(jobs.AlignDeliveriesKind) +
		` AND j.key = 'webhook:' || w.id)
		GROUP BY w.account_id, w.id`},

	{"attempts of deliveries", `
		WITH attempts AS (
			SELECT account_id, delivery_id AS id, count(*) AS count, max(number) AS last,
				count(*) FILTER (WHERE finished_at IS NULL) AS open
			FROM delivery_attempts GROUP BY 1, 2)
		SELECT d.account_id, format('delivery %s of webhook %s, %s', d.id, d.webhook_id, d.status),
			format('%s attempts of %s, by number, all closed but the last%s', d.attempts_count, d.attempts_allowed,
				CASE WHEN d.delivered_at IS NOT NULL THEN ', delivered' END),
			format('%s attempts, %s the last, %s open', coalesce(m.count, 0), coalesce(m.last, 0), coalesce(m.open, 0))
		FROM deliveries d LEFT JOIN attempts m USING (account_id, id)
		WHERE d.attempts_count <> coalesce(m.count, 0) OR d.attempts_count <> coalesce(m.last, 0)
			OR d.attempts_count > d.attempts_allowed
			OR m.open > 1 OR (m.open > 0 AND d.status IN ('delivered', 'failed'))
				OR (d.status = 'delivered') <> (d.delivered_at IS NOT NULL)
			OR (d.status = 'failed' AND d.attempts_count <> d.attempts_allowed)
				OR (d.status = 'delivered' AND d.attempts_count = 0)`},

	// Only the first difference of an account: others may follow from it.
	{"changes", `
		WITH walked AS (
			SELECT c.account_id, c.sequence, c.hash, c.attributes, c.digest,
				coalesce(lag(c.sequence) OVER w, h.dropped, 0) AS before,
				sha256(convert_to(encode(coalesce(lag(c.hash) OVER w, h.dropped_hash, '\x'), 'hex') || E'\n' || ` +
		storage.CanonicalColumns("c") + `, 'UTF8')) AS follows
			FROM changes c LEFT JOIN change_heads h ON h.account_id = c.account_id
			WINDOW w AS (PARTITION BY c.account_id ORDER BY c.sequence)),
		wrong AS (
			SELECT account_id, sequence, format('change %s', sequence) AS record,
				format('number %s, hash %s', before + 1, encode(follows, 'hex')) AS expected,
				format('number %s, hash %s', sequence, encode(hash, 'hex')) AS found
			FROM walked WHERE sequence <> before + 1 OR hash <> follows
			UNION ALL
			SELECT account_id, sequence, format('attributes of change %s', sequence),
				format('digest %s', encode(digest, 'hex')),
				format('digest %s', encode(sha256(convert_to(attributes, 'UTF8')), 'hex'))
			FROM walked WHERE attributes IS NOT NULL AND digest IS DISTINCT FROM sha256(convert_to(attributes, 'UTF8'))
			UNION ALL
			SELECT h.account_id, h.sequence, 'the last change', format('number %s, hash %s', h.sequence,
				encode(h.hash, 'hex')),
				coalesce(format('number %s, hash %s', l.sequence, encode(l.hash, 'hex')), 'none')
			FROM change_heads h LEFT JOIN (SELECT DISTINCT ON (account_id) account_id, sequence, hash
				FROM changes ORDER BY account_id, sequence DESC) l
				ON l.account_id = h.account_id
			WHERE h.sequence > h.dropped AND (l.sequence, l.hash) IS DISTINCT FROM (h.sequence, h.hash))
		SELECT DISTINCT ON (account_id) account_id, record, expected, found FROM wrong ORDER BY account_id, sequence`},
}

// staysImported is stays for statements b, whose deposit account is not being deleted either.
var staysImported = `EXISTS (
		SELECT FROM deposit_accounts d WHERE d.account_id = b.account_id AND d.id = b.deposit_account_id
			AND d.deleted_at IS NULL
			AND ` + storage.EntityVisible("d") + `)`
