-- $1 = account
-- $2 = entity
-- $3 = external_id
-- $4 = name
-- $5 = description
-- $6 = deposit_account_type_id
-- $7 = bank_account_id
-- $8 = currency_id
-- $9 = account_number
-- $10 = initial_balance
-- $11 = force_destroy
-- $12 = archived_at
-- $13 = automatic_reconciliation
-- $14 = statement_mapping
INSERT INTO deposit_accounts (account_id, entity_id, external_id, name, description, deposit_account_type_id, bank_account_id, currency_id, account_number, initial_balance, force_destroy, archived_at, automatic_reconciliation, statement_mapping)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING id, account_id, entity_id, external_id, name, description, deposit_account_type_id, bank_account_id, currency_id, account_number, initial_balance, force_destroy, archived_at, automatic_reconciliation, statement_mapping,
	coalesce(initial_balance, 0) + transactions_sum AS calculated_balance, transactions_count, last_transaction_date, created_at, updated_at,
	CASE WHEN deposit_account_type_id = 8 THEN (
		SELECT json_build_object('OpenedAt', to_char(r.opened_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'OpeningResponsibleID', r.opening_responsible_id,
			'OpeningResponsibleName', r.opening_responsible_name, 'ClosedAt', to_char(r.closed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
			'ClosingResponsibleID', r.closing_responsible_id, 'ClosingResponsibleName', r.closing_responsible_name)
		FROM register_sessions r WHERE r.account_id = deposit_accounts.account_id
			AND r.deposit_account_id = deposit_accounts.id
		ORDER BY r.id DESC LIMIT 1) END AS last_session, CASE WHEN account_number IS NULL THEN (
		SELECT b.file_account_number FROM bank_statements b
		WHERE b.account_id = deposit_accounts.account_id AND b.deposit_account_id = deposit_accounts.id
			AND b.event_status = 'success' AND b.file_account_number IS NOT NULL AND b.deleted_at IS NULL ORDER BY b.id LIMIT 1) END AS suggested_account_number
