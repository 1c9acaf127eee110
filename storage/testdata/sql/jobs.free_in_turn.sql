-- $1 = after
-- $2 = at
-- $3 = id
-- $4 = limit
WITH running AS MATERIALIZED (
		SELECT account_id, coalesce(key, '') AS key FROM jobs WHERE running AND kind = 'import_statement' AND failed_at IS NULL 
	), heads AS (
		SELECT j.*, (SELECT count(*) FROM running r WHERE r.account_id = a.id) AS beside
		FROM (VALUES ($1::bigint, 9223372036854775807), (0, $1)) AS part(after, through)
		CROSS JOIN LATERAL (
			WITH RECURSIVE account AS (
				SELECT part.after AS id
				UNION ALL
				SELECT (SELECT account_id FROM jobs WHERE kind = 'import_statement' AND failed_at IS NULL AND account_id > a.id AND account_id <= part.through
					ORDER BY account_id LIMIT 1)
				FROM account a WHERE a.id IS NOT NULL
			) SELECT id FROM account OFFSET 1 LIMIT 50) a
		CROSS JOIN LATERAL (
			WITH RECURSIVE turn AS (
				SELECT (SELECT coalesce(key, '') FROM jobs WHERE kind = 'import_statement' AND failed_at IS NULL AND account_id = a.id
					ORDER BY coalesce(key, '') LIMIT 1) AS key
				UNION ALL
				SELECT (SELECT coalesce(key, '') FROM jobs WHERE kind = 'import_statement' AND failed_at IS NULL AND account_id = a.id AND coalesce(key, '') > t.key
					ORDER BY coalesce(key, '') LIMIT 1)
				FROM turn t WHERE t.key IS NOT NULL
			) SELECT key FROM turn LIMIT 50 + (SELECT count(*) FROM running r WHERE r.account_id = a.id)) t
		CROSS JOIN LATERAL (
			SELECT id, account_id, claims, kind, queue, due_at FROM jobs
			WHERE kind = 'import_statement' AND failed_at IS NULL AND account_id = a.id AND coalesce(key, '') = t.key AND due_at <= now()
				AND coalesce(leased_until < now(), true)
				AND running IS NOT TRUE
			ORDER BY due_at, id LIMIT 1) j
		WHERE NOT EXISTS (SELECT FROM running r WHERE r.account_id = a.id AND r.key = t.key)
	), places AS (
		SELECT id, claims, kind, queue, due_at AS at, account_id,
			row_number() OVER (PARTITION BY account_id ORDER BY due_at, id) AS place
		FROM heads
		UNION ALL (SELECT id, claims, kind, queue, due_at, 0, 1 FROM jobs
		WHERE queue = 'statements'
			AND kind <> 'import_statement' AND failed_at IS NULL AND CASE WHEN failed_at IS NULL AND due_at <= now() THEN coalesce(leased_until < now(), true) END 
			AND (due_at, id) > ($2, $3) ORDER BY due_at, id LIMIT $4)
	)
	SELECT id, claims, kind, queue, at, account_id FROM places
	WHERE (at, id) > ($2, $3) AND place <= 16 ORDER BY place, at, id LIMIT $4
