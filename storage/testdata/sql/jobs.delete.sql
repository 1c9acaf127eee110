-- $1 = ids
-- $2 = fences
DELETE FROM jobs WHERE (id, claims) IN (SELECT * FROM unnest($1::bigint[], $2::int[]))
