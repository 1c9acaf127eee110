-- $1 = account
-- $2 = user
-- $3 = root
-- $4 = most
WITH oldest AS (
		SELECT t.id FROM tokens t
		WHERE t.user_id = $2 AND t.makes_until IS NOT NULL AND t.account_id IS NOT DISTINCT FROM $1::bigint
			AND t.session_of IS NOT DISTINCT FROM $3::bigint AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
		ORDER BY t.id DESC OFFSET $4
	)
	UPDATE tokens t SET revoked_at = now()
	WHERE t.user_id = $2 AND t.id IN (SELECT id FROM oldest) AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
	RETURNING t.id
