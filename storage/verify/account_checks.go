package verify

import (
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/queue"
)

// accountChecks are the rules of categories, accounts, cards and reconciliations.
var accountChecks = []check{
	rule("full names of categories", `
		SELECT c.account_id, format('category %s', c.id), coalesce(p.full_name || ' / ', '') || c.name, c.full_name
		FROM categories c LEFT JOIN categories p ON p.account_id = c.account_id AND p.id = c.parent_id
		WHERE c.deleted_at IS NULL AND c.full_name <> coalesce(p.full_name || ' / ', '') || c.name`),

	rule("trees of categories", `
		SELECT c.account_id, format('category %s', c.id), 'a parent that is there, or deleted with it',
			format('category %s, deleted', p.id)
		FROM categories c JOIN categories p ON p.account_id = c.account_id AND p.id = c.parent_id
		WHERE c.deleted_at IS NULL AND p.deleted_at IS NOT NULL`),

	// The ids of a series are consecutive from recurrence_id on. Any of its rows may be gone.
	rule("series", `
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
			(s.kind, s.entity_id, s.recurrence_period, s.number_of_parcels) OR f.current_parcel <> place OR place < 1`),

	rule("entities of payable and receivable accounts", `
		SELECT f.account_id, format('%s account %s', f.kind, f.id),
			format('a center and a deposit account of entity %s', f.entity_id),
			concat_ws(', ', 'center of entity ' || z.entity_id, 'deposit account of entity ' || d.entity_id)
		FROM financial_accounts f
		LEFT JOIN classification_centers z ON z.account_id = f.account_id AND z.id = f.classification_center_id
		LEFT JOIN deposit_accounts d ON d.account_id = f.account_id AND d.id = f.expected_deposit_account_id
		WHERE z.entity_id <> f.entity_id OR d.entity_id <> f.entity_id`),

	rule("reconciliation rules", `
		SELECT r.account_id, format('reconciliation rule %s', r.id),
			format('a center and a deposit account of entity %s', r.entity_id),
			concat_ws(', ', 'center of entity ' || z.entity_id, 'deposit account of entity ' || d.entity_id)
		FROM reconciliation_rules r
		LEFT JOIN classification_centers z ON z.account_id = r.account_id AND z.id = r.classification_center_id
		LEFT JOIN deposit_accounts d ON d.account_id = r.account_id AND d.id = r.deposit_account_id
		WHERE z.entity_id <> r.entity_id OR d.entity_id <> r.entity_id
		UNION ALL
		SELECT account_id, format('entity %s', entity_id), 'at most 100 reconciliation rules', count(*)::text
		FROM reconciliation_rules GROUP BY account_id, entity_id HAVING count(*) > 100`),

	rule("entities of budgets", `
		SELECT b.account_id, format('budget %s', b.id), format('a center of entity %s', b.entity_id),
			format('center of entity %s', z.entity_id)
		FROM budgets b
		JOIN classification_centers z ON z.account_id = b.account_id AND z.id = b.classification_center_id
		WHERE z.entity_id <> b.entity_id`),

	rule("sums of credit card invoices", `
		WITH recomputed AS (
			SELECT account_id, credit_card_invoice_id AS id, sum(amount) AS sum, count(*) AS count
				FROM credit_card_transactions GROUP BY 1, 2)
		SELECT i.account_id, format('invoice %s of credit card %s', i.id, i.credit_card_id),
			format('%s in %s transactions, one at least', coalesce(s.sum, 0), coalesce(s.count, 0)),
			format('%s in %s transactions', i.balance, i.transactions_count)
		FROM credit_card_invoices i JOIN credit_cards k ON k.account_id = i.account_id AND k.id = i.credit_card_id
		LEFT JOIN recomputed s ON s.account_id = i.account_id AND s.id = i.id
		WHERE (i.balance, i.transactions_count) IS DISTINCT FROM (s.sum, s.count) AND `+storage.EntityVisible("k")),

	rule("periods of credit card invoices", `
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
		WHERE start_date <= before`),

	rule("payable accounts of credit card invoices", `
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
			AND `+storage.EntityVisible("k")),

	// A failed job counts: an operator can retry it.
	rule("jobs of credit cards", `
		SELECT p.account_id, format('credit card %s', p.credit_card_id), 'a job for its pending days', 'none'
		FROM pending_card_days p JOIN credit_cards k ON k.account_id = p.account_id AND k.id = p.credit_card_id
		WHERE k.deleted_at IS NULL AND NOT EXISTS (SELECT FROM jobs j
				WHERE j.kind = `+queue.KindName(jobs.ApplyCardDaysKind)+` AND j.key = k.account_id || ':' || k.id)
			AND `+storage.EntityVisible("k")),

	rule("discounts of accounts", `
		SELECT account_id, format('%s account %s', kind, id), 'nothing below zero due',
			format('%s due after a discount of %s', due, discount_amount)
		FROM (SELECT *, amount + coalesce(ticket_amount, 0) + coalesce(interest_amount, 0) - discount_amount AS due
			FROM financial_accounts
			WHERE discount_amount > 0 AND status = 1) f
		WHERE due < 0`),

	rule("entities of credit cards", `
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
		WHERE z.entity_id <> k.entity_id`),

	rule("sums of reconciles", `
		WITH owed AS (
			SELECT account_id, reconcile_id AS id, sum(total_amount) AS sum FROM financial_accounts
				WHERE reconcile_id IS NOT NULL GROUP BY 1, 2),
		moved AS (
			SELECT account_id, reconcile_id AS id, abs(sum(amount)) AS sum FROM financial_transactions
				WHERE reconcile_id IS NOT NULL GROUP BY 1, 2)
		SELECT r.account_id, format('reconcile %s', r.id), 'accounts and transactions of the same sum',
			format('accounts of %s, transactions of %s', coalesce(o.sum, 0), coalesce(m.sum, 0))
		FROM reconciles r LEFT JOIN owed o USING (account_id, id) LEFT JOIN moved m USING (account_id, id)
		WHERE (o.sum IS DISTINCT FROM m.sum OR m.sum IS NULL) AND `+storage.EntityVisible("r")),

	rule("months of reconciles", `
		SELECT r.account_id, format('reconcile %s', r.id),
			format('transactions of %s alone', to_char(r.month, 'YYYY-MM')),
			format('transaction %s of %s', t.id, t.occurred_at)
		FROM reconciles r JOIN financial_transactions t ON t.account_id = r.account_id AND t.reconcile_id = r.id
		WHERE r.month <> date_trunc('month', t.occurred_at)`),

	rule("members of reconciles", `
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
		WHERE d.entity_id <> r.entity_id OR (r.kind = 'payable') <> (t.amount < 0)`),

	rule("automatic reconciles", `
		SELECT r.account_id, format('reconcile %s, made by the worker', r.id),
			'1 transaction that is not left to people, 1 account',
			format('%s transactions, of which %s are left to people, %s accounts', t.count, t.lefts, f.count)
		FROM reconciles r
		CROSS JOIN LATERAL (SELECT count(*) AS count, count(*) FILTER (WHERE left_to_people) AS lefts
			FROM financial_transactions t WHERE t.account_id = r.account_id AND t.reconcile_id = r.id) t
		CROSS JOIN LATERAL (SELECT count(*) AS count FROM financial_accounts f WHERE f.account_id = r.account_id
			AND f.reconcile_id = r.id) f
		WHERE r.made_by = 'automatic' AND (t.count, t.lefts, f.count) <> (1, 0, 1) AND `+storage.EntityVisible("r")),
}
