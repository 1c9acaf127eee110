-- $1 = lease
-- $2 = ids
-- $3 = fences
UPDATE jobs SET leased_until = now() + make_interval(secs => $1)
	WHERE id = ANY(ARRAY(SELECT id FROM jobs WHERE (id, claims) IN (SELECT * FROM unnest($2::bigint[], $3::int[])) AND CASE WHEN leased_until IS NOT NULL THEN true END FOR NO KEY UPDATE SKIP LOCKED))
	RETURNING id
