-- $1 = account
-- $2 = path
-- $3 = key
-- $4 = user
-- $5 = request
-- $6 = status
-- $7 = location
-- $8 = content_type
-- $9 = body
INSERT INTO idempotency_keys (account_id, path, key, user_id, request, status, location, content_type, body)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, coalesce($9, ''::bytea))
	ON CONFLICT (account_id, path, key) DO UPDATE SET
		user_id = $4, request = $5, status = $6, location = $7, content_type = $8,
		body = excluded.body, created_at = now()
