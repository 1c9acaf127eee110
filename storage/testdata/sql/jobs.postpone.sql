-- $1 = wait
-- $2 = ids
-- $3 = fences
UPDATE jobs SET leased_until = NULL, due_at = now() + make_interval(secs => $1),
			attempts = attempts - 1 WHERE (id, claims) IN (SELECT * FROM unnest($2::bigint[], $3::int[]))
