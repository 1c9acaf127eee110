-- $1 = 102
-- $2 = 103
-- $3 = 7, for event
-- $4 = [7], for ids
-- $5 = 2026-01-31T00:00:00, for since
-- $6 = pending, for status
-- $7 = 30, for size
-- $8 = 30, for offset
SELECT id, family, action, record_id, coalesce(entity_id, 0) AS entity_id,
	coalesce(parent_id, 0) AS parent_id, status, attempts_count, CASE status WHEN 'pending'
		THEN next_at END AS next_attempt_at,
	created_at, delivered_at
FROM deliveries WHERE account_id = $1
	AND webhook_id = (SELECT id FROM webhooks WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL) AND family || '.' || action = $3 AND id = ANY(CAST($4 AS bigint[])) AND created_at >= CAST($5 AS timestamptz) AND status = $6
ORDER BY id + 0 DESC LIMIT nullif($7, 0) OFFSET $8;

-- $1 = 102
-- $2 = 103
-- $3 = 7, for event
-- $4 = [7], for ids
-- $5 = 2026-01-31T00:00:00, for since
-- $6 = pending, for status
SELECT count(*) FROM deliveries WHERE account_id = $1
	AND webhook_id = (SELECT id FROM webhooks WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL) AND family || '.' || action = $3 AND id = ANY(CAST($4 AS bigint[])) AND created_at >= CAST($5 AS timestamptz) AND status = $6;

-- $1 = 102
-- $2 = 103
-- $3 = 7
-- $4 = 31
SELECT id, family, action, record_id, coalesce(entity_id, 0) AS entity_id,
	coalesce(parent_id, 0) AS parent_id, status, attempts_count, CASE status WHEN 'pending'
		THEN next_at END AS next_attempt_at,
	created_at, delivered_at, ARRAY[CAST(id AS text)]
FROM deliveries WHERE account_id = $1
	AND webhook_id = (SELECT id FROM webhooks WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL) AND (id) < (CAST($3 AS bigint))
ORDER BY id DESC LIMIT $4;
