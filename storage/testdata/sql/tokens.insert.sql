-- $1 = account
-- $2 = user
-- $3 = sum
-- $4 = prefix
-- $5 = name
-- $6 = denied
-- $7 = entities
-- $8 = read_only
-- $9 = expires
WITH member AS (
		SELECT user_id FROM memberships WHERE account_id = $1 AND user_id = $2 FOR KEY SHARE
	)
	INSERT INTO tokens (sha256, user_id, account_id, prefix, name, denied, entity_ids, read_only, expires_at)
	SELECT $3, $2, $1, $4, $5, coalesce($6, '{}'::text[]), $7, $8, $9
	WHERE $1::bigint IS NULL OR EXISTS (SELECT FROM member)
	RETURNING id
