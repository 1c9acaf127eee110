-- $1 = jobs
-- $2 = fences
-- $3 = subscribers
-- $4 = webhooks
-- $5 = turns
-- $6 = accounts
-- $7 = ids
-- $8 = numbers
-- $9 = codes
-- $10 = delivered
-- $11 = errors
-- $12 = excerpts
-- $13 = took
-- $14 = again
-- $15 = allowed
-- $16 = bodies
-- $17 = posting_of
-- $18 = posting
-- $19 = families
-- $20 = since
-- $21 = rooms
WITH locked_jobs AS MATERIALIZED (
			SELECT n.turn, n.account_id AS of_account, n.webhook_id AS of_webhook
			FROM unnest($1::bigint[], $2::int[], $3::bigint[], $4::bigint[])
				WITH ORDINALITY AS n (id, claims, account_id, webhook_id, turn)
			JOIN jobs j ON j.id = n.id AND j.claims = n.claims AND CASE WHEN j.leased_until IS NOT NULL THEN true END
			ORDER BY j.id FOR NO KEY UPDATE OF j SKIP LOCKED),
		taken AS MATERIALIZED (
			SELECT turn, id, account_id, entity_id, url, format, description, to_json(events) AS events, secret,
	previous_secret, previous_secret_until, status,
	healthy_check_code, created_at, updated_at FROM locked_jobs JOIN webhooks ON account_id = of_account
				AND id = of_webhook
			WHERE deleted_at IS NULL AND status = 'active'
			ORDER BY id FOR NO KEY UPDATE OF webhooks SKIP LOCKED),
		ended AS MATERIALIZED (
			SELECT * FROM
	unnest($5::int[], $6::bigint[], $7::bigint[], $8::int[], $9::int[], $10::bool[],
		$11::text[], $12::text[], $13::float8[], $14::float8[], $15::int[], $16::bytea[])
		AS e (turn, account_id, id, number, code, delivered, error, excerpt, took, again, allowed, body)
			WHERE turn IN (SELECT turn FROM taken) AND (delivered OR number < allowed)),
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
		RETURNING d.id, d.webhook_id, d.status, d.next_at),
		posting AS MATERIALIZED (SELECT * FROM unnest($17::int[], $18::bigint[]) AS p (turn, id)),
		due AS MATERIALIZED (
			SELECT w.turn, d.* FROM taken w CROSS JOIN LATERAL (
				SELECT * FROM (
					SELECT id, account_id, next_at, attempts_count,
	family = ANY(CAST($19 AS text[])) AS known,
	attempts_count > 0 AND EXISTS (
		SELECT FROM delivery_attempts a WHERE a.account_id = d.account_id AND a.delivery_id = d.id
			AND a.number = d.attempts_count AND a.finished_at IS NULL) AS open
					FROM
	deliveries d WHERE webhook_id = w.id AND CASE WHEN d.account_id = w.account_id THEN true END 
		AND status = 'pending' AND next_at <= now() AND next_at > ($20::timestamptz[])[w.turn]
						AND NOT EXISTS (SELECT FROM ended e WHERE e.account_id = d.account_id AND e.id = d.id)
						AND NOT EXISTS (SELECT FROM posting p WHERE p.turn = w.turn AND p.id = d.id)
					ORDER BY next_at, id LIMIT 16) d
				ORDER BY next_at, id LIMIT ($21::int[])[w.turn]) d),
		batches AS MATERIALIZED (
			SELECT turn, count(*) = ($21::int[])[turn] AS "full", bool_or(open OR NOT known) AS obstructed,
				min(next_at) AS first FROM due GROUP BY turn),
		opened AS (
			UPDATE deliveries d SET attempts_count = d.attempts_count + 1 FROM due, batches
			WHERE batches.turn = due.turn AND NOT obstructed AND d.account_id = due.account_id AND d.id = due.id
				AND d.attempts_count = due.attempts_count -- no other session has opened one meanwhile
				AND CASE WHEN d.status = 'pending' THEN true END AND d.next_at <= now()
			RETURNING due.turn, d.*),
		new_attempts AS (
			INSERT INTO delivery_attempts (account_id, delivery_id, number, request_id)
			SELECT account_id, id, attempts_count, encode(uuid_send(gen_random_uuid()), 'hex') FROM opened
			RETURNING delivery_id, request_id),
		again AS MATERIALIZED (
			SELECT webhook_id, min(next_at) AS next_at FROM closed_deliveries WHERE status = 'pending'
			GROUP BY webhook_id)
		SELECT w.*, coalesce("full", false) AS "full", coalesce(obstructed, false) AS obstructed,
			coalesce(first, now()) AS first,
			CAST(extract(epoch FROM least(
				(SELECT next_at FROM deliveries d WHERE webhook_id = w.id AND CASE WHEN d.account_id = w.account_id THEN true END AND status = 'pending'
					AND next_at > now() ORDER BY next_at, id LIMIT 1),
				again.next_at, now() + interval '1 hour') - now()) AS float8) AS next_in,
			coalesce(d.id, 0) AS "opened.id", coalesce(d.account_id, 0) AS "opened.account_id",
			coalesce(family, '') AS "opened.family", coalesce(action, '') AS "opened.action",
			coalesce(record_id, 0) AS "opened.record_id", coalesce(d.entity_id, 0) AS "opened.entity_id",
			coalesce(parent_id, 0) AS "opened.parent_id", coalesce(change_id, 0) AS "opened.change_id",
			coalesce(d.created_at, now()) AS "opened.created_at",
			coalesce(attempts_count, 0) AS "opened.attempts_count",
			coalesce(attempts_allowed, 0) AS "opened.attempts_allowed", body AS "opened.body",
			coalesce(request_id, '') AS "opened.request_id", coalesce(traceparent, '') AS "opened.traceparent"
		FROM taken w LEFT JOIN batches ON batches.turn = w.turn LEFT JOIN opened d ON d.turn = w.turn
			LEFT JOIN new_attempts a ON a.delivery_id = d.id LEFT JOIN again ON again.webhook_id = w.id
		ORDER BY w.turn, d.id
