-- $1 = error
-- $2 = attempt
-- $3 = delay
-- $4 = ids
-- $5 = fences
UPDATE jobs SET error = $1, attempts = $2, leased_until = NULL,
			due_at = now() + make_interval(secs => $3)
		WHERE (id, claims) IN (SELECT * FROM unnest($4::bigint[], $5::int[]))
