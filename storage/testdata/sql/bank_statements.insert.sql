-- $1 = account
-- $2 = deposit_account
-- $3 = file_key
-- $4 = file_file_name
-- $5 = file_content_type
-- $6 = file_file_size
-- $7 = accept
-- $8 = statement_mapping
-- $9 = preview
-- $10 = seconds
INSERT INTO bank_statements AS b (account_id, deposit_account_id, file_key, file_file_name, file_content_type, file_file_size, accept, statement_mapping, preview_until)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8,
		CASE WHEN $9 THEN now() + make_interval(secs => $10) END) RETURNING b.id, b.account_id, b.deposit_account_id, b.file_key, b.file_file_name, b.file_content_type,
	b.file_file_size,
	b.file_updated_at, b.event_id, b.event_status, b.event_output, b.event_started_at, b.event_finished_at, b.event_warnings, b.accept, b.statement_mapping,
	b.imported_items_count,
	b.future_items_ignored_count, b.amount_zero_items_ignored_count, b.invalid_date_items_ignored_count,
	b.pending_items_ignored_count, b.balance_items_ignored_count, b.duplicate_items_ignored_count,
	b.other_account_items_ignored_count, b.items_count, b.file_account_number,
	b.ledger_balance, b.ledger_balance_on, CASE WHEN b.period_start > b.period_end THEN b.period_end ELSE b.period_start END AS period_start, CASE WHEN b.period_start > b.period_end THEN b.period_start ELSE b.period_end END AS period_end, b.period_broken,
	b.created_at, b.updated_at, b.preview_until IS NOT NULL AS preview
