-- $1 = [1]
-- $2 = [7]
SELECT d.*, a.number IS NOT NULL AS open
	FROM unnest((SELECT $1::bigint[]), (SELECT $2::bigint[])) AS w (account_id, webhook_id) CROSS JOIN LATERAL (
		SELECT id, account_id, webhook_id, family, action, record_id, coalesce(entity_id, 0) AS entity_id,
			coalesce(parent_id, 0) AS parent_id,
			coalesce(change_id, 0) AS change_id, created_at, attempts_count, attempts_allowed, body,
				coalesce(traceparent, '') AS traceparent
		FROM deliveries d WHERE webhook_id = w.webhook_id AND CASE WHEN d.account_id = w.account_id THEN true END AND status = 'pending' AND next_at <= now()
		ORDER BY next_at, id LIMIT 30) d
	LEFT JOIN delivery_attempts a
		ON a.account_id = d.account_id AND a.delivery_id = d.id AND a.number = d.attempts_count
			AND a.finished_at IS NULL;

-- $1 = [1]
-- $2 = [7]
/* planned each time */ 
	SELECT d.*, a.number IS NOT NULL AS open
	FROM unnest($1::bigint[], $2::bigint[]) AS w (account_id, webhook_id) CROSS JOIN LATERAL (
		SELECT id, account_id, webhook_id, family, action, record_id, coalesce(entity_id, 0) AS entity_id,
			coalesce(parent_id, 0) AS parent_id,
			coalesce(change_id, 0) AS change_id, created_at, attempts_count, attempts_allowed, body,
				coalesce(traceparent, '') AS traceparent
		FROM deliveries d WHERE webhook_id = w.webhook_id AND CASE WHEN d.account_id = w.account_id THEN true END AND status = 'pending' AND next_at <= now()
		ORDER BY next_at, id LIMIT 30) d
	LEFT JOIN delivery_attempts a
		ON a.account_id = d.account_id AND a.delivery_id = d.id AND a.number = d.attempts_count
			AND a.finished_at IS NULL;
