-- $1 = typed
-- $2 = sum
-- $3 = prefix
WITH typed AS (
		SELECT * FROM tokens WHERE sha256 = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
		FOR SHARE
	)
	INSERT INTO tokens (sha256, user_id, account_id, prefix, name, expires_at, denied, entity_ids, read_only,
		barred_accounts, session_of, makes_until)
	SELECT $2, user_id, account_id, $3, 'console', least(now() + interval '12 hours', expires_at), denied,
		entity_ids, read_only, barred_accounts, coalesce(session_of, id), coalesce(makes_until, expires_at, 'infinity')
	FROM typed RETURNING id, user_id, account_id, expires_at
