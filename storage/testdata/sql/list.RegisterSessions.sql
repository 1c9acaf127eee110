-- $1 = 1
-- $2 = 2
-- $3 = 103
-- $4 = [7], for ids
-- $5 = 30, for size
-- $6 = 30, for offset
SELECT r.id, r.account_id, r.deposit_account_id, r.opened_at, r.opening_responsible_id,
	r.opening_responsible_name,
	r.closed_at, r.closing_responsible_id, r.closing_responsible_name
FROM register_sessions r JOIN deposit_accounts d ON d.account_id = r.account_id AND d.id = r.deposit_account_id
		WHERE r.account_id = $1 AND d.entity_id = $2 AND r.deposit_account_id = $3
			AND d.deleted_at IS NULL AND r.id = ANY(CAST($4 AS bigint[]))
ORDER BY r.id + 0 DESC LIMIT nullif($5, 0) OFFSET $6;

-- $1 = 1
-- $2 = 2
-- $3 = 103
-- $4 = [7], for ids
SELECT count(*) FROM register_sessions r JOIN deposit_accounts d ON d.account_id = r.account_id AND d.id = r.deposit_account_id
		WHERE r.account_id = $1 AND d.entity_id = $2 AND r.deposit_account_id = $3
			AND d.deleted_at IS NULL AND r.id = ANY(CAST($4 AS bigint[]));

-- $1 = 1
-- $2 = 2
-- $3 = 103
-- $4 = 7
-- $5 = 31
SELECT r.id, r.account_id, r.deposit_account_id, r.opened_at, r.opening_responsible_id,
	r.opening_responsible_name,
	r.closed_at, r.closing_responsible_id, r.closing_responsible_name, ARRAY[CAST(r.id AS text)]
FROM register_sessions r JOIN deposit_accounts d ON d.account_id = r.account_id AND d.id = r.deposit_account_id
		WHERE r.account_id = $1 AND d.entity_id = $2 AND r.deposit_account_id = $3
			AND d.deleted_at IS NULL AND (r.id) < (CAST($4 AS bigint))
ORDER BY r.id DESC LIMIT $5;
