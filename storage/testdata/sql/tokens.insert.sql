-- $1 = account
-- $2 = sum
-- $3 = user
-- $4 = prefix
-- $5 = denied
-- $6 = entities
-- $7 = read_only
-- $8 = expires
INSERT INTO tokens (sha256, user_id, account_id, prefix, denied, entity_ids, read_only, expires_at)
	VALUES ($2, $3, $1, $4, coalesce($5, '{}'::text[]), $6, $7, $8)
		RETURNING id
