-- $1 = error
-- $2 = ids
-- $3 = fences
UPDATE jobs SET error = $1, leased_until = NULL, failed_at = now() WHERE (id, claims) IN (SELECT * FROM unnest($2::bigint[], $3::int[]))
