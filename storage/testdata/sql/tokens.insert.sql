-- $1 = account
-- $2 = sum
-- $3 = user
-- $4 = prefix
-- $5 = name
-- $6 = denied
-- $7 = entities
-- $8 = read_only
-- $9 = expires
INSERT INTO tokens (sha256, user_id, account_id, prefix, name, denied, entity_ids, read_only, expires_at)
	VALUES ($2, $3, $1, $4, $5, coalesce($6, '{}'::text[]), $7, $8, $9)
		RETURNING id
