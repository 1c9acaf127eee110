-- $1 = turns
-- $2 = accounts
-- $3 = ids
-- $4 = numbers
-- $5 = codes
-- $6 = delivered
-- $7 = errors
-- $8 = excerpts
-- $9 = took
-- $10 = again
-- $11 = allowed
-- $12 = bodies
WITH ended AS MATERIALIZED (SELECT * FROM
	unnest($1::int[], $2::bigint[], $3::bigint[], $4::int[], $5::int[], $6::bool[],
		$7::text[], $8::text[], $9::float8[], $10::float8[], $11::int[], $12::bytea[])
		AS e (turn, account_id, id, number, code, delivered, error, excerpt, took, again, allowed, body)),
	closed_attempts AS (
		UPDATE delivery_attempts a SET response_code = nullif(e.code, 0), error = nullif(e.error, ''),
			response_excerpt = nullif(e.excerpt, ''),
			finished_at = CASE WHEN e.took < 0 THEN now() ELSE started_at + make_interval(secs => e.took) END
		FROM ended e WHERE a.account_id = e.account_id AND a.delivery_id = e.id AND a.number = e.number
			AND a.finished_at IS NULL
		RETURNING a.account_id, a.delivery_id, a.number, e.delivered, e.again, e.allowed, e.body),
	closed_deliveries AS (
		UPDATE deliveries d SET
			status = CASE WHEN c.delivered THEN 'delivered' WHEN attempts_count >= attempts_allowed THEN 'failed'
				ELSE 'pending' END,
			delivered_at = CASE WHEN c.delivered THEN now() END,
			next_at = now() + make_interval(secs => CASE WHEN d.attempts_allowed = c.allowed THEN c.again ELSE 0 END),
			body = coalesce(nullif(d.body, ''), nullif(c.body, ''))
		FROM closed_attempts c WHERE d.account_id = c.account_id AND d.id = c.delivery_id
			AND d.attempts_count = c.number AND CASE WHEN d.status = 'pending' THEN true END 
		RETURNING d.id, d.webhook_id, d.status, d.next_at)
	SELECT id FROM closed_deliveries WHERE status = 'failed' ORDER BY id
