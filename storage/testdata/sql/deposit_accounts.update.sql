-- $1 = account
-- $2 = external_id
-- $3 = name
-- $4 = description
-- $5 = deposit_account_type_id
-- $6 = bank_account_id
-- $7 = currency_id
-- $8 = account_number
-- $9 = initial_balance
-- $10 = force_destroy
-- $11 = archived_at
-- $12 = automatic_reconciliation
-- $13 = statement_mapping
-- $14 = id
UPDATE deposit_accounts SET external_id = $2, name = $3, description = $4, deposit_account_type_id = $5, bank_account_id = $6, currency_id = $7, account_number = $8, initial_balance = $9, force_destroy = $10, archived_at = $11, automatic_reconciliation = $12, statement_mapping = $13, updated_at = now()
		WHERE account_id = $1 AND id = $14 RETURNING id, account_id, entity_id, external_id, name, description, deposit_account_type_id, bank_account_id, currency_id, account_number, initial_balance, force_destroy, archived_at, automatic_reconciliation, statement_mapping,
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
