-- $1 = account
-- $2 = webhook
-- $3 = families
-- $4 = limit
SELECT d.* FROM (SELECT $1::bigint AS account_id, $2::bigint AS id) w CROSS JOIN LATERAL (
		SELECT id, account_id, family, attempts_count, attempts_allowed,
	family = ANY(CAST($3 AS text[])) AS known,
	attempts_count > 0 AND EXISTS (
		SELECT FROM delivery_attempts a WHERE a.account_id = d.account_id AND a.delivery_id = d.id
			AND a.number = d.attempts_count AND a.finished_at IS NULL) AS open
		FROM
	deliveries d WHERE webhook_id = w.id AND CASE WHEN d.account_id = w.account_id THEN true END 
		AND status = 'pending' AND next_at <= now() ORDER BY next_at, id LIMIT $4) d
	WHERE d.open OR NOT d.known ORDER BY d.id
