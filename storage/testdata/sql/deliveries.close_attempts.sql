-- $1 = accounts
-- $2 = ids
-- $3 = numbers
-- $4 = codes
-- $5 = delivered
-- $6 = errors
-- $7 = excerpts
-- $8 = took
-- $9 = again
-- $10 = allowed
WITH ended AS MATERIALIZED (
		SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::int[], $5::bool[],
			$6::text[], $7::text[], $8::float8[], $9::float8[], $10::int[])
			AS e (account_id, id, number, code, delivered, error, excerpt, took, again, allowed)),
	closed_attempts AS (
		UPDATE delivery_attempts a SET response_code = nullif(e.code, 0), error = nullif(e.error, ''),
			response_excerpt = nullif(e.excerpt, ''),
			finished_at = CASE WHEN e.took < 0 THEN now() ELSE started_at + make_interval(secs => e.took) END
		FROM ended e WHERE a.account_id = e.account_id AND a.delivery_id = e.id AND a.number = e.number
			AND a.finished_at IS NULL
		RETURNING a.account_id, a.delivery_id, a.number, e.delivered, e.again, e.allowed),
	updated_deliveries AS (
		UPDATE deliveries d SET
			status = CASE WHEN c.delivered THEN 'delivered' WHEN attempts_count >= attempts_allowed THEN 'failed'
				ELSE 'pending' END,
			delivered_at = CASE WHEN c.delivered THEN now() END,
			next_at = now() + make_interval(secs => CASE WHEN d.attempts_allowed = c.allowed THEN c.again ELSE 0 END)
		FROM closed_attempts c WHERE d.account_id = c.account_id AND d.id = c.delivery_id
			AND d.attempts_count = c.number AND CASE WHEN d.status = 'pending' THEN true END 
		RETURNING d.id, d.status)
	SELECT id FROM updated_deliveries WHERE status = 'failed' ORDER BY id
