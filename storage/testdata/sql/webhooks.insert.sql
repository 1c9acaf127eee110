-- $1 = account
-- $2 = entity
-- $3 = url
-- $4 = format
-- $5 = description
-- $6 = events
-- $7 = secret
-- $8 = code
INSERT INTO webhooks (account_id, entity_id, url, format, description, events, secret, healthy_check_code)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id, account_id, entity_id, url, format, description, to_json(events) AS events, secret,
	previous_secret, previous_secret_until, status,
	healthy_check_code, created_at, updated_at
