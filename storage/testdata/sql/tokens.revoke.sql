-- $1 = token
UPDATE tokens t SET revoked_at = now()
	WHERE t.user_id = (SELECT user_id FROM tokens WHERE id = $1) AND (t.id = $1 OR t.session_of = $1)
		AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
	RETURNING t.id
