-- $1 = secret
SELECT user_id, account_id, NULL::bigint AS root_id FROM login_codes
	WHERE sha256 = $1 AND expires_at > now()
