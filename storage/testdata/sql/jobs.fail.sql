-- $1 = error
-- $2 = delay
-- $3 = ids
-- $4 = fences
UPDATE jobs SET error = $1, leased_until = NULL, due_at = now() + make_interval(secs => $2) WHERE (id, claims) IN (SELECT * FROM unnest($3::bigint[], $4::int[]))
