-- $1 = lease
-- $2 = kind
UPDATE jobs SET claims = 1 + floor(random() * (1 << 30))::int, attempts = jobs.attempts + 1,
	leased_until = now() + make_interval(secs => $1), claimed_at = now(),
	started_at = coalesce(jobs.started_at, now()), first_due_at = coalesce(jobs.first_due_at, jobs.due_at)
		WHERE id = ANY(ARRAY(
			SELECT id FROM jobs WHERE kind = $2 AND key = current_setting('bordero.key', true) AND CASE WHEN failed_at IS NULL AND due_at <= now() THEN coalesce(leased_until < now(), true) END 
			AND NOT EXISTS (
				SELECT FROM jobs running WHERE running.kind = $2
				AND running.key = current_setting('bordero.key', true)
				AND running.failed_at IS NULL AND running.leased_until >= now())
			FOR NO KEY UPDATE NOWAIT))
	RETURNING id, kind, queue, coalesce(key, '') AS key, args, coalesce(cursor, '') AS cursor,
		coalesce(account_id, 0) AS account_id, attempts, claims,
		coalesce(request_id, '') AS request_id, coalesce(traceparent, '') AS traceparent,
		CAST(extract(epoch FROM clock_timestamp() - due_at) AS float8) AS waited
