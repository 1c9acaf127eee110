-- $1 = account
-- $2 = user
-- $3 = sum
-- $4 = seconds
-- $5 = session_end
WITH expired AS (
		DELETE FROM login_codes WHERE account_id = $1 AND expires_at <= now()
	), member AS (
		SELECT account_id, user_id FROM memberships WHERE account_id = $1 AND user_id = $2 FOR KEY SHARE
	)
	INSERT INTO login_codes (sha256, account_id, user_id, expires_at, session_expires_at)
	SELECT $3, account_id, user_id, least(now() + $4 * interval '1 second', $5), $5
	FROM member RETURNING user_id
