-- $1 = 1
-- $2 = 2
-- $3 = 103
-- $4 = [7], for ids
-- $5 = 2026-01-31T00:00:00, for updated_at_gte
-- $6 = 30, for size
-- $7 = 30, for offset
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
		WHERE b.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL
			AND b.deposit_account_id = $3 AND b.deleted_at IS NULL AND coalesce(b.preview_until > now(), true) AND b.id = ANY(CAST($4 AS bigint[])) AND b.updated_at >= CAST($5 AS timestamptz)
ORDER BY b.id + 0 DESC LIMIT nullif($6, 0) OFFSET $7;

-- $1 = 1
-- $2 = 2
-- $3 = 103
-- $4 = [7], for ids
-- $5 = 2026-01-31T00:00:00, for updated_at_gte
SELECT count(*) FROM bank_statements b JOIN deposit_accounts d ON d.account_id = b.account_id AND d.id = b.deposit_account_id
		WHERE b.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL
			AND b.deposit_account_id = $3 AND b.deleted_at IS NULL AND coalesce(b.preview_until > now(), true) AND b.id = ANY(CAST($4 AS bigint[])) AND b.updated_at >= CAST($5 AS timestamptz);

-- $1 = 1
-- $2 = 2
-- $3 = 103
-- $4 = 7
-- $5 = 31
SELECT b.id, b.account_id, b.deposit_account_id, b.file_key, b.file_file_name, b.file_content_type,
	b.file_file_size,
	b.file_updated_at, b.event_id, b.event_status, b.event_output, b.event_started_at, b.event_finished_at, b.event_warnings, b.accept, b.statement_mapping,
	b.imported_items_count,
	b.future_items_ignored_count, b.amount_zero_items_ignored_count, b.invalid_date_items_ignored_count,
	b.pending_items_ignored_count, b.balance_items_ignored_count, b.duplicate_items_ignored_count,
	b.other_account_items_ignored_count, b.items_count, b.file_account_number,
	b.ledger_balance, b.ledger_balance_on, CASE WHEN b.period_start > b.period_end THEN b.period_end ELSE b.period_start END AS period_start, CASE WHEN b.period_start > b.period_end THEN b.period_start ELSE b.period_end END AS period_end, b.period_broken,
	b.created_at, b.updated_at, b.preview_until IS NOT NULL AS preview, ARRAY[CAST(b.id AS text)]
FROM bank_statements b JOIN deposit_accounts d ON d.account_id = b.account_id AND d.id = b.deposit_account_id
		WHERE b.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL
			AND b.deposit_account_id = $3 AND b.deleted_at IS NULL AND coalesce(b.preview_until > now(), true) AND (b.id) < (CAST($4 AS bigint))
ORDER BY b.id DESC LIMIT $5;
