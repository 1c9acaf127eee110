-- $1 = after
-- $2 = full
-- $3 = most
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
	)
	SELECT id FROM heads WHERE NOT coalesce(account_id = ANY($2), false) AND beside < coalesce(
		(SELECT running_imports FROM account_quotas q WHERE q.account_id = heads.account_id), $3::bigint)
	ORDER BY beside, due_at, id LIMIT 8
