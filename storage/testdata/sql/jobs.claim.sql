-- $1 = ids
-- $2 = kinds
-- $3 = lease
INSERT INTO jobs (id, kind, queue, args)
	SELECT found.* FROM unnest($1::bigint[], $2::text[]) ticket (id, kind) CROSS JOIN LATERAL (
		SELECT id, kind, queue, args FROM jobs
		WHERE id = ticket.id AND CASE WHEN kind = ticket.kind THEN CASE WHEN failed_at IS NULL AND due_at <= now() THEN coalesce(leased_until < now(), true) END END FOR NO KEY UPDATE SKIP LOCKED) found
	ON CONFLICT (id) DO UPDATE SET claims = 1 + floor(random() * (1 << 30))::int, attempts = jobs.attempts + 1,
	leased_until = now() + make_interval(secs => $3), claimed_at = now(),
	started_at = coalesce(jobs.started_at, now()), first_due_at = coalesce(jobs.first_due_at, jobs.due_at)
	RETURNING id, kind, queue, coalesce(key, '') AS key, args, coalesce(cursor, '') AS cursor,
		coalesce(account_id, 0) AS account_id, attempts, claims,
		coalesce(request_id, '') AS request_id, coalesce(traceparent, '') AS traceparent,
		CAST(extract(epoch FROM clock_timestamp() - due_at) AS float8) AS waited
