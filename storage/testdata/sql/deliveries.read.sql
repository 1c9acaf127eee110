-- $1 = account
-- $2 = webhook
-- $3 = id
SELECT id, family, action, record_id, coalesce(entity_id, 0) AS entity_id,
	coalesce(parent_id, 0) AS parent_id, status, attempts_count, CASE status WHEN 'pending'
		THEN next_at END AS next_attempt_at,
	created_at, delivered_at, body FROM deliveries WHERE account_id = $1
	AND webhook_id = (SELECT id FROM webhooks WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL) AND id = $3
