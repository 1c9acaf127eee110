-- $1 = secret
-- $2 = sum
-- $3 = prefix
WITH redeemed AS (
		DELETE FROM login_codes WHERE sha256 = $1 AND expires_at > now()
		RETURNING account_id, user_id, session_expires_at
	)
	INSERT INTO tokens (sha256, user_id, account_id, prefix, name, expires_at, makes_until)
	SELECT $2, user_id, account_id, $3, 'console', least(now() + interval '12 hours', session_expires_at),
		coalesce(session_expires_at, 'infinity')
	FROM redeemed RETURNING id, user_id, account_id, expires_at
