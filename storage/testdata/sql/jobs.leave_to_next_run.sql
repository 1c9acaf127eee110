-- $1 = ids
-- $2 = fences
UPDATE jobs SET leased_until = NULL, attempts = 0 WHERE (id, claims) IN (SELECT * FROM unnest($1::bigint[], $2::int[]))
