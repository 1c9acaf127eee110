-- $1 = 102
-- $2 = 7, for entity_id_equals
-- $3 = [7], for ids
-- $4 = 2026-01-31T00:00:00, for updated_at_gte
-- $5 = 30, for size
-- $6 = 30, for offset
SELECT id, account_id, entity_id, url, format, description, to_json(events) AS events, secret,
	previous_secret, previous_secret_until, status,
	healthy_check_code, created_at, updated_at
FROM webhooks WHERE account_id = $1 AND deleted_at IS NULL AND entity_id = $2 AND id = ANY(CAST($3 AS bigint[])) AND updated_at >= CAST($4 AS timestamptz)
ORDER BY id + 0 LIMIT nullif($5, 0) OFFSET $6;

-- $1 = 102
-- $2 = 7, for entity_id_equals
-- $3 = [7], for ids
-- $4 = 2026-01-31T00:00:00, for updated_at_gte
SELECT count(*) FROM webhooks WHERE account_id = $1 AND deleted_at IS NULL AND entity_id = $2 AND id = ANY(CAST($3 AS bigint[])) AND updated_at >= CAST($4 AS timestamptz);

-- $1 = 102
-- $2 = 7
-- $3 = 31
SELECT id, account_id, entity_id, url, format, description, to_json(events) AS events, secret,
	previous_secret, previous_secret_until, status,
	healthy_check_code, created_at, updated_at, ARRAY[CAST(id AS text)]
FROM webhooks WHERE account_id = $1 AND deleted_at IS NULL AND (id) > (CAST($2 AS bigint))
ORDER BY id LIMIT $3;
