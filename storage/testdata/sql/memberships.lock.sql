-- $1 = account
-- $2 = user
SELECT account_id FROM memberships WHERE user_id = $2 AND ($1::bigint IS NULL OR account_id = $1)
	ORDER BY account_id FOR NO KEY UPDATE
