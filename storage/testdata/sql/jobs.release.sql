-- $1 = count_attempt
-- $2 = ids
-- $3 = fences
UPDATE jobs SET leased_until = NULL, due_at = now(), attempts = CASE WHEN $1 THEN attempts
			ELSE attempts - 1 END
		WHERE (id, claims) IN (SELECT * FROM unnest($2::bigint[], $3::int[])) AND CASE WHEN leased_until IS NOT NULL THEN true END RETURNING id, claims, kind, queue
