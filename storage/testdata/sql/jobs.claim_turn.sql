-- $1 = lease
-- $2 = ids
UPDATE jobs SET claims = 1 + floor(random() * (1 << 30))::int, attempts = jobs.attempts + 1,
	leased_until = now() + make_interval(secs => $1), claimed_at = now(),
	started_at = coalesce(jobs.started_at, now()), first_due_at = coalesce(jobs.first_due_at, jobs.due_at), running = true
	WHERE id = (SELECT id FROM jobs WHERE id = ANY((SELECT $2::bigint[])::bigint[]) AND CASE WHEN failed_at IS NULL AND due_at <= now() THEN coalesce(leased_until < now(), true) END 
		ORDER BY array_position((SELECT $2::bigint[]), id) LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
	RETURNING id, kind, queue, coalesce(key, '') AS key, args, coalesce(cursor, '') AS cursor,
		coalesce(account_id, 0) AS account_id, attempts, claims,
		coalesce(request_id, '') AS request_id, coalesce(traceparent, '') AS traceparent,
		CAST(extract(epoch FROM clock_timestamp() - due_at) AS float8) AS waited
