-- $1 = account
-- $2 = ids
-- $3 = fences
-- $4 = queue
UPDATE jobs SET leased_until = NULL, due_at = now(), attempts = attempts - 1
		WHERE (id, claims) IN (SELECT * FROM unnest($2::bigint[], $3::int[])) AND EXISTS (
			SELECT FROM jobs o WHERE o.queue = $4 AND o.failed_at IS NULL AND o.due_at <= now()
				AND o.leased_until IS NULL AND o.account_id <> $1 AND NOT EXISTS (
					SELECT FROM jobs r WHERE r.queue = $4 AND r.failed_at IS NULL AND r.due_at <= now()
						AND r.leased_until >= now() AND r.account_id = o.account_id))
		RETURNING id, claims, kind, queue
