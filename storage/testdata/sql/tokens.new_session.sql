-- $1 = root
-- $2 = secret
-- $3 = sum
-- $4 = prefix
WITH locked AS (
		SELECT t.* FROM tokens t WHERE (t.id = $1 OR t.sha256 = $2) AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now()) ORDER BY t.id FOR SHARE
	)
	INSERT INTO tokens (sha256, user_id, account_id, prefix, name, expires_at, denied, entity_ids, read_only,
		barred_accounts, session_of, makes_until)
	SELECT $3, user_id, account_id, $4, 'console', least(now() + interval '12 hours', expires_at), denied,
		entity_ids, read_only, barred_accounts, $1, coalesce(makes_until, expires_at, 'infinity')
	FROM locked WHERE sha256 = $2 AND EXISTS (SELECT FROM locked WHERE id = $1)
	RETURNING id, user_id, account_id, expires_at
