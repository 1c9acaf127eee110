-- $1 = 1
-- $2 = 2
-- $3 = 7, for bank_account_id
-- $4 = 7, for deposit_account_type_id
-- $5 = 7, for external_id_equals
-- $6 = [7], for ids
-- $7 = 7, for name
-- $8 = %7%, for name_contains
-- $9 = 2026-01-31T00:00:00, for updated_at_gte
-- $10 = 30, for size
-- $11 = 30, for offset
/* planned each time */ SELECT id, account_id, entity_id, external_id, name, description, deposit_account_type_id, bank_account_id, currency_id, account_number, initial_balance, force_destroy, archived_at, automatic_reconciliation, statement_mapping,
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
FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND deleted_at IS NULL AND bank_account_id = $3 AND deposit_account_type_id = $4 AND external_id = $5 AND id = ANY(CAST($6 AS bigint[])) AND name = $7 AND fold(name) LIKE fold($8) AND updated_at >= CAST($9 AS timestamptz)
ORDER BY fold(name) || '', id LIMIT nullif($10, 0) OFFSET $11;

-- $1 = 1
-- $2 = 2
-- $3 = 7, for bank_account_id
-- $4 = 7, for deposit_account_type_id
-- $5 = 7, for external_id_equals
-- $6 = [7], for ids
-- $7 = 7, for name
-- $8 = %7%, for name_contains
-- $9 = 2026-01-31T00:00:00, for updated_at_gte
/* planned each time */ SELECT count(*) FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND deleted_at IS NULL AND bank_account_id = $3 AND deposit_account_type_id = $4 AND external_id = $5 AND id = ANY(CAST($6 AS bigint[])) AND name = $7 AND fold(name) LIKE fold($8) AND updated_at >= CAST($9 AS timestamptz);

-- $1 = 1
-- $2 = 2
-- $3 = 7
-- $4 = 7
-- $5 = 31
SELECT id, account_id, entity_id, external_id, name, description, deposit_account_type_id, bank_account_id, currency_id, account_number, initial_balance, force_destroy, archived_at, automatic_reconciliation, statement_mapping,
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
			AND b.event_status = 'success' AND b.file_account_number IS NOT NULL AND b.deleted_at IS NULL ORDER BY b.id LIMIT 1) END AS suggested_account_number, ARRAY[CAST(fold(name) AS text), CAST(id AS text)]
FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2 AND deleted_at IS NULL AND (fold(name), id) > (CAST($3 AS text), CAST($4 AS bigint))
ORDER BY fold(name), id LIMIT $5;
