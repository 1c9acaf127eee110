-- $1 = cursor
-- $2 = lease
-- $3 = ids
-- $4 = fences
UPDATE jobs SET cursor = $1, attempts = CASE WHEN coalesce(cursor, '') <> $1 THEN 1 ELSE attempts END,
			leased_until = now() + make_interval(secs => $2) WHERE (id, claims) IN (SELECT * FROM unnest($3::bigint[], $4::int[]))
