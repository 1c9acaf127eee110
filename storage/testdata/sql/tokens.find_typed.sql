-- $1 = secret
SELECT t.user_id, t.account_id, t.id AS root_id FROM tokens t
	WHERE t.sha256 = $1 AND t.makes_until IS NULL AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
