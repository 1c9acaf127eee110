-- $1 = account
DELETE FROM idempotency_keys WHERE account_id = (SELECT id FROM accounts WHERE id = $1 AND sandbox)
	AND path NOT IN ('/tokens', '/members', '/sandbox/reset')
