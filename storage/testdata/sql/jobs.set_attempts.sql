-- $1 = attempts
-- $2 = ids
-- $3 = fences
UPDATE jobs SET attempts = $1 WHERE (id, claims) IN (SELECT * FROM unnest($2::bigint[], $3::int[]))
