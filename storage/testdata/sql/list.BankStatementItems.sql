-- $1 = 1
-- $2 = 2
-- $3 = 103
-- $4 = 104
SELECT b.id, b.account_id, b.deposit_account_id, b.file_key, b.file_file_name, b.file_content_type,
	b.file_file_size,
	b.file_updated_at, b.event_id, b.event_status, b.event_output, b.event_started_at, b.event_finished_at, b.event_warnings, b.accept, b.statement_mapping,
	b.imported_items_count,
	b.future_items_ignored_count, b.amount_zero_items_ignored_count, b.invalid_date_items_ignored_count,
	b.pending_items_ignored_count, b.balance_items_ignored_count, b.duplicate_items_ignored_count,
	b.other_account_items_ignored_count, b.items_count, b.file_account_number,
	b.ledger_balance, b.ledger_balance_on, CASE WHEN b.period_start > b.period_end THEN b.period_end ELSE b.period_start END AS period_start, CASE WHEN b.period_start > b.period_end THEN b.period_start ELSE b.period_end END AS period_end, b.period_broken,
	b.created_at, b.updated_at, b.preview_until IS NOT NULL AS preview
		FROM bank_statements b JOIN deposit_accounts d ON d.account_id = b.account_id AND d.id = b.deposit_account_id
		WHERE b.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL AND b.deposit_account_id = $3
			AND b.id = $4 AND b.deleted_at IS NULL AND coalesce(b.preview_until > now(), true);

-- $1 = 1
-- $2 = 104
-- $3 = [7], for ids
-- $4 = other_account, for outcome
-- $5 = true, for suspect
-- $6 = 30, for size
-- $7 = 30, for offset
SELECT i.id, i.account_id, i.bank_statement_id, i.line, i.occurred_at, i.amount, i.mark,
	i.description,
	i.document, i.fitid, i.outcome, i.suspect, i.folded, t.id AS financial_transaction_id, (
		SELECT r.id FROM financial_transactions r WHERE r.account_id = i.account_id AND r.id = i.replaces) AS replaces
FROM (
		SELECT number AS id, account_id, bank_statement_id, line, day AS occurred_at, amount, mark, description,
			document, fitid,
			'imported' AS outcome, false AS suspect, CAST(NULL AS bigint) AS replaces, financial_transaction_id,
			false AS folded
		FROM imported_items
		UNION ALL
		SELECT number, account_id, bank_statement_id, line, day, amount, mark, description, document, fitid, outcome,
			suspect AND NOT EXISTS (
			SELECT FROM bank_statements own
			JOIN imported_items m ON m.account_id = own.account_id AND m.deposit_account_id = own.deposit_account_id
				AND m.day = i.day AND m.amount = i.amount AND m.mark = i.mark AND m.fitid = i.fitid
				AND m.bank_statement_id <> own.id
			JOIN bank_statements other ON other.account_id = m.account_id AND other.id = m.bank_statement_id
				AND other.deleted_at IS NULL
			WHERE own.account_id = i.account_id AND own.id = i.bank_statement_id), replaces, NULL, false
		FROM ignored_items i
		UNION ALL
		SELECT u.number, f.account_id, f.bank_statement_id, u.line, u.day, u.amount, u.mark, NULL, NULL, NULL,
			f.outcome, false, NULL, NULL, true
		FROM folded_items f,
			unnest(f.numbers, f.lines, f.days, f.amounts, f.marks) u (number, line, day, amount, mark)) i
	LEFT JOIN financial_transactions t ON t.account_id = i.account_id AND t.id = i.financial_transaction_id WHERE i.account_id = $1 AND i.bank_statement_id = $2 AND i.id > 0 AND i.id = ANY(CAST($3 AS bigint[])) AND i.outcome = $4 AND i.suspect = $5
ORDER BY i.id + 0 LIMIT nullif($6, 0) OFFSET $7;

-- $1 = 1
-- $2 = 104
-- $3 = [7], for ids
-- $4 = other_account, for outcome
-- $5 = true, for suspect
SELECT count(*) FROM (
		SELECT number AS id, account_id, bank_statement_id, line, day AS occurred_at, amount, mark, description,
			document, fitid,
			'imported' AS outcome, false AS suspect, CAST(NULL AS bigint) AS replaces, financial_transaction_id,
			false AS folded
		FROM imported_items
		UNION ALL
		SELECT number, account_id, bank_statement_id, line, day, amount, mark, description, document, fitid, outcome,
			suspect AND NOT EXISTS (
			SELECT FROM bank_statements own
			JOIN imported_items m ON m.account_id = own.account_id AND m.deposit_account_id = own.deposit_account_id
				AND m.day = i.day AND m.amount = i.amount AND m.mark = i.mark AND m.fitid = i.fitid
				AND m.bank_statement_id <> own.id
			JOIN bank_statements other ON other.account_id = m.account_id AND other.id = m.bank_statement_id
				AND other.deleted_at IS NULL
			WHERE own.account_id = i.account_id AND own.id = i.bank_statement_id), replaces, NULL, false
		FROM ignored_items i
		UNION ALL
		SELECT u.number, f.account_id, f.bank_statement_id, u.line, u.day, u.amount, u.mark, NULL, NULL, NULL,
			f.outcome, false, NULL, NULL, true
		FROM folded_items f,
			unnest(f.numbers, f.lines, f.days, f.amounts, f.marks) u (number, line, day, amount, mark)) i
	LEFT JOIN financial_transactions t ON t.account_id = i.account_id AND t.id = i.financial_transaction_id WHERE i.account_id = $1 AND i.bank_statement_id = $2 AND i.id > 0 AND i.id = ANY(CAST($3 AS bigint[])) AND i.outcome = $4 AND i.suspect = $5;

-- $1 = 1
-- $2 = 104
-- $3 = 7
-- $4 = 31
SELECT i.id, i.account_id, i.bank_statement_id, i.line, i.occurred_at, i.amount, i.mark,
	i.description,
	i.document, i.fitid, i.outcome, i.suspect, i.folded, t.id AS financial_transaction_id, (
		SELECT r.id FROM financial_transactions r WHERE r.account_id = i.account_id AND r.id = i.replaces) AS replaces, ARRAY[CAST(i.id AS text)]
FROM (
		SELECT number AS id, account_id, bank_statement_id, line, day AS occurred_at, amount, mark, description,
			document, fitid,
			'imported' AS outcome, false AS suspect, CAST(NULL AS bigint) AS replaces, financial_transaction_id,
			false AS folded
		FROM imported_items
		UNION ALL
		SELECT number, account_id, bank_statement_id, line, day, amount, mark, description, document, fitid, outcome,
			suspect AND NOT EXISTS (
			SELECT FROM bank_statements own
			JOIN imported_items m ON m.account_id = own.account_id AND m.deposit_account_id = own.deposit_account_id
				AND m.day = i.day AND m.amount = i.amount AND m.mark = i.mark AND m.fitid = i.fitid
				AND m.bank_statement_id <> own.id
			JOIN bank_statements other ON other.account_id = m.account_id AND other.id = m.bank_statement_id
				AND other.deleted_at IS NULL
			WHERE own.account_id = i.account_id AND own.id = i.bank_statement_id), replaces, NULL, false
		FROM ignored_items i
		UNION ALL
		SELECT u.number, f.account_id, f.bank_statement_id, u.line, u.day, u.amount, u.mark, NULL, NULL, NULL,
			f.outcome, false, NULL, NULL, true
		FROM folded_items f,
			unnest(f.numbers, f.lines, f.days, f.amounts, f.marks) u (number, line, day, amount, mark)) i
	LEFT JOIN financial_transactions t ON t.account_id = i.account_id AND t.id = i.financial_transaction_id WHERE i.account_id = $1 AND i.bank_statement_id = $2 AND i.id > 0 AND (i.id) > (CAST($3 AS bigint))
ORDER BY i.id LIMIT $4;
