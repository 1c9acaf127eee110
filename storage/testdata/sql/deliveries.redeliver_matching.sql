-- $1 = 1
-- $2 = 7
-- $3 = sales.created
-- $4 = [7]
-- $5 = 2026-01-31T00:00:00
-- $6 = failed
/* planned each time */ SELECT count(*), coalesce(max(id), 0) AS last FROM deliveries
		WHERE account_id = $1 AND webhook_id = $2 AND family || '.' || action = $3 AND id = ANY(CAST($4 AS bigint[])) AND created_at >= CAST($5 AS timestamptz) AND status = $6;

-- $1 = 1
-- $2 = pending
-- $3 = 5
-- $4 = 7
-- $5 = 8
-- $6 = 9
-- $7 = sales.created
-- $8 = [7]
-- $9 = 2026-01-31T00:00:00
-- $10 = failed
-- $11 = 30
/* planned each time */ 
	UPDATE deliveries d SET status = $2, attempts_allowed = attempts_count + $3, delivered_at = NULL,
		next_at = CASE WHEN status = 'pending' AND EXISTS (SELECT FROM delivery_attempts a
			WHERE a.account_id = d.account_id AND a.delivery_id = d.id AND a.finished_at IS NULL) THEN next_at
				ELSE now() END
	WHERE account_id = $1 AND webhook_id = $4 AND id = ANY(ARRAY(
		SELECT id FROM deliveries WHERE account_id = $1 AND webhook_id = $4 AND id > $5
			AND id <= $6 AND family || '.' || action = $7 AND id = ANY(CAST($8 AS bigint[])) AND created_at >= CAST($9 AS timestamptz) AND status = $10
		ORDER BY id LIMIT $11 FOR NO KEY UPDATE)) RETURNING id;
