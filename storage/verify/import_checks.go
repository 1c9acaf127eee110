package verify

import (
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/queue"
)

// importChecks are the rules of imports and their items.
var importChecks = []check{
	rule("imports", `
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
			OR (event_status <> 'success' AND r.count > 0)) AND `+importVisible),

	// A statement imported before items were stored has no items_count.
	rule("items of imports", `
		WITH ignored AS (
			SELECT account_id, bank_statement_id AS id, sum(n) AS count,
				sum(n) FILTER (WHERE outcome = 'future') AS future,
				sum(n) FILTER (WHERE outcome = 'zero') AS zero,
				sum(n) FILTER (WHERE outcome = 'invalid_date') AS invalid_date,
				sum(n) FILTER (WHERE outcome = 'pending') AS pending,
				sum(n) FILTER (WHERE outcome = 'balance') AS balance,
				sum(n) FILTER (WHERE outcome = 'duplicate') AS duplicate,
				sum(n) FILTER (WHERE outcome = 'other_account') AS other_account
			FROM (
				SELECT account_id, bank_statement_id, outcome, count(*) AS n FROM ignored_items GROUP BY 1, 2, 3
				UNION ALL
				SELECT account_id, bank_statement_id, outcome, cardinality(numbers) FROM folded_items) i
			GROUP BY 1, 2)
		SELECT b.account_id, format('bank statement %s', b.id),
			format('of %s items %s imported and ignored: %s future, %s zero, %s invalid_date, %s pending, %s balance, '
				|| '%s duplicate, %s other_account', items_count,
				imported_items_count, future_items_ignored_count, amount_zero_items_ignored_count,
					invalid_date_items_ignored_count, pending_items_ignored_count,
				balance_items_ignored_count, duplicate_items_ignored_count, other_account_items_ignored_count),
			format('ignored: %s future, %s zero, %s invalid_date, %s pending, %s balance, %s duplicate, '
				|| '%s other_account',
				coalesce(i.future, 0),
				coalesce(i.zero, 0), coalesce(i.invalid_date, 0), coalesce(i.pending, 0),
					coalesce(i.balance, 0), coalesce(i.duplicate, 0), coalesce(i.other_account, 0))
		FROM bank_statements b LEFT JOIN ignored i USING (account_id, id)
		WHERE b.deleted_at IS NULL AND items_count IS NOT NULL AND event_status <> 'previewed'
			AND (items_count <> imported_items_count + coalesce(i.count, 0)
			OR (future_items_ignored_count, amount_zero_items_ignored_count, invalid_date_items_ignored_count,
				pending_items_ignored_count, balance_items_ignored_count,
				duplicate_items_ignored_count, other_account_items_ignored_count) <>
			(coalesce(i.future, 0), coalesce(i.zero, 0), coalesce(i.invalid_date, 0), coalesce(i.pending, 0),
				coalesce(i.balance, 0), coalesce(i.duplicate, 0),
				coalesce(i.other_account, 0))) AND `+importVisible),

	// The release before does not store the days.
	rule("days of items", `
		WITH recomputed AS (
			SELECT account_id, bank_statement_id AS id, min(day) AS first, max(day) AS last FROM (
				SELECT account_id, bank_statement_id, day FROM imported_items
				UNION ALL SELECT account_id, bank_statement_id, day FROM ignored_items WHERE outcome = 'duplicate'
				UNION ALL SELECT account_id, bank_statement_id, day FROM folded_items, unnest(days) day
					WHERE outcome = 'duplicate') d
			GROUP BY 1, 2)
		SELECT b.account_id, format('bank statement %s', b.id), format('items from %s to %s', k.first, k.last),
			format('from %s to %s', first_item_on, last_item_on)
		FROM bank_statements b LEFT JOIN recomputed k USING (account_id, id)
		WHERE b.deleted_at IS NULL AND event_status = 'success' AND first_item_on IS NOT NULL
			AND (first_item_on, last_item_on) IS DISTINCT FROM (k.first, k.last) AND `+importVisible),

	// An import that was previewed has the items of its preview until it ends.
	rule("items of previews", `
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
			(coalesce(p.count, 0), coalesce(p.imported, 0), coalesce(p.duplicate, 0))) AND `+importVisible),

	rule("transactions of items", `
		SELECT i.account_id, format('item %s of bank statement %s', i.number, i.bank_statement_id),
			format('a transaction of deposit account %s that bank statement %s brought', i.deposit_account_id,
				i.bank_statement_id),
			format('transaction %s of deposit account %s, brought by %s', t.id, t.deposit_account_id,
				coalesce(t.bank_statement_id::text, 'none'))
		FROM imported_items i JOIN financial_transactions t ON t.account_id = i.account_id
			AND t.id = i.financial_transaction_id
		WHERE (t.deposit_account_id, t.bank_statement_id)
			IS DISTINCT FROM (i.deposit_account_id, i.bank_statement_id)`),

	rule("deletions of imports", `
		SELECT b.account_id, format('bank statement %s, deleted', b.id), 'a job that undoes it', 'none'
		FROM bank_statements b WHERE deleted_at IS NOT NULL AND NOT EXISTS (
			SELECT FROM jobs WHERE kind = `+queue.KindName(jobs.DeleteBankStatementKind)+
		` AND CAST(args::json ->> 'bank_statement_id' AS bigint) = b.id)`),

	rule("accounts of imports", `
		SELECT t.account_id, format('transaction %s of deposit account %s', t.id, t.deposit_account_id),
			format('a bank statement of deposit account %s', t.deposit_account_id),
			format('bank statement %s of deposit account %s', b.id, b.deposit_account_id)
		FROM financial_transactions t JOIN bank_statements b ON b.account_id = t.account_id
			AND b.id = t.bank_statement_id
		WHERE b.deposit_account_id <> t.deposit_account_id`),

	// A statement that ended in error may have a job, which an operator retries.
	rule("jobs of imports", `
		WITH waiting AS (
			SELECT CAST(args::json ->> 'bank_statement_id' AS bigint) AS id, count(*) AS count
			FROM jobs WHERE kind = `+queue.KindName(jobs.ImportStatementKind)+` AND failed_at IS NULL GROUP BY 1)
		SELECT b.account_id, format('bank statement %s, %s', b.id, event_status),
			CASE WHEN event_status IN ('queued', 'processing') THEN 'one job and no end' ELSE 'an end and no job' END,
			format('%s jobs, ended at %s', coalesce(j.count, 0), coalesce(event_finished_at::text, 'none'))
		FROM bank_statements b LEFT JOIN waiting j USING (id)
		WHERE ((event_status IN ('queued', 'processing') AND coalesce(j.count, 0) <> 1)
			OR (event_status IN ('success', 'previewed') AND j.count > 0)
			OR (event_finished_at IS NULL) = (event_status IN ('success', 'error', 'previewed'))) AND `+
		importVisible),
}

// importVisible is EntityVisible for statements b, whose deposit account is not being deleted either.
var importVisible = `EXISTS (
		SELECT FROM deposit_accounts d WHERE d.account_id = b.account_id AND d.id = b.deposit_account_id
			AND d.deleted_at IS NULL
			AND ` + storage.EntityVisible("d") + `)`
