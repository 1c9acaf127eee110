-- $1 = secret
-- $2 = sum
-- $3 = prefix
WITH locked AS (
		SELECT t.* FROM tokens t WHERE t.sha256 = $1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now()) FOR SHARE
	)
	INSERT INTO tokens (sha256, user_id, account_id, prefix, name, expires_at, denied, entity_ids, read_only,
		barred_accounts, session_of, makes_until)
	SELECT $2, user_id, account_id, $3, 'console', least(now() + interval '12 hours', expires_at), denied,
		entity_ids, read_only, barred_accounts, id, coalesce(expires_at, 'infinity')
	FROM locked RETURNING id, user_id, account_id, expires_at
