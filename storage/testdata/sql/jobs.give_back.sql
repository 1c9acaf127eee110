-- $1 = ids
-- $2 = fences
UPDATE jobs SET leased_until = NULL, due_at = now(), attempts = 0 WHERE (id, claims) IN (SELECT * FROM unnest($1::bigint[], $2::int[])) RETURNING id, claims, kind, queue
