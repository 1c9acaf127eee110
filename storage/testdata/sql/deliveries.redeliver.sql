-- $1 = account
-- $2 = status
-- $3 = attempts
-- $4 = webhook
-- $5 = id
UPDATE deliveries d SET status = $2, attempts_allowed = attempts_count + $3, delivered_at = NULL,
		next_at = CASE WHEN status = 'pending' AND EXISTS (SELECT FROM delivery_attempts a
			WHERE a.account_id = d.account_id AND a.delivery_id = d.id AND a.finished_at IS NULL) THEN next_at
				ELSE now() END
	WHERE account_id = $1 AND webhook_id = $4 AND id = $5 RETURNING id
