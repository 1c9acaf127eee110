-- $1 = account
-- $2 = family
-- $3 = action
-- $4 = entity
-- $5 = request
-- $6 = user
-- $7 = token
-- $8 = job
-- $9 = attributes
-- $10 = concerns
-- $11 = parent
-- $12 = sale_account
-- $13 = notifies
-- $14 = trace
-- $15 = job_key
-- $16 = each_webhook
-- $17 = job_args
-- $18 = kind
-- $19 = queue
WITH new_changes AS (
			INSERT INTO unsealed_changes (account_id, family, action, entity_id, parent_id, record_ids, request_id,
				user_id, token, job, attributes, concerns)
			SELECT $1, $2, $3, nullif($4::bigint, 0), parent_id, array_agg(id ORDER BY id),
				nullif($5, ''),
				nullif($6::bigint, 0), nullif($7, ''), nullif($8, ''), nullif($9, ''),
				$10::text[]
			FROM (
				SELECT id, parent_id, (row_number() OVER (PARTITION BY parent_id ORDER BY id) - 1) / 1000 AS part
				FROM (SELECT r.id, coalesce(r.parent_id, nullif($11::bigint, 0)) AS parent_id FROM (SELECT id, NULL::bigint AS parent_id FROM sales
	WHERE account_id = $1 AND entity_id = $4 AND updated_at = now() AND sale_account_id = $12) r) r) r
			GROUP BY parent_id, part ORDER BY parent_id, part
			RETURNING id, parent_id, record_ids),
		subscribed AS MATERIALIZED (
			SELECT id, status FROM webhooks
			WHERE account_id = $1 AND ($4 = 0 OR entity_id = $4) AND deleted_at IS NULL AND $13
				AND (events IS NULL OR events && ARRAY[$2::text || '.*', $2 || '.' || $3::text])
			ORDER BY id FOR KEY SHARE),
		new_deliveries AS (
			INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id, parent_id,
				traceparent, status, change_id)
			SELECT $1, w.id, $2, $3, r.id, nullif($4::bigint, 0), c.parent_id, nullif($14, ''),
				CASE w.status WHEN 'error' THEN 'held' ELSE 'pending' END, c.id
			FROM subscribed w, new_changes c, unnest(c.record_ids) AS r (id)
			RETURNING webhook_id, status),
		wanted_jobs AS (
			SELECT replace($15, $16, webhook_id::text) AS key,
				replace($17, $16, webhook_id::text) AS args
			FROM new_deliveries WHERE status = 'pending' GROUP BY webhook_id),
		due_jobs AS MATERIALIZED (
			SELECT wanted_jobs.key, j.id, j.claims, j.running FROM wanted_jobs CROSS JOIN LATERAL (
				SELECT id, claims, coalesce(leased_until >= now(), true) AS running FROM jobs
				WHERE id = coalesce((
						SELECT id FROM jobs WHERE kind = $18 AND key = wanted_jobs.key AND
							CASE WHEN failed_at IS NULL AND due_at <= now() AND attempts <= 1 THEN true END
							AND due_at > now() - interval '20 seconds'
						ORDER BY leased_until DESC NULLS LAST LIMIT 1), (
						SELECT id FROM jobs WHERE kind = $18 AND key = wanted_jobs.key AND
							CASE WHEN failed_at IS NULL AND due_at <= now() AND attempts <= 1 THEN true END
						ORDER BY leased_until DESC NULLS LAST LIMIT 1))
					AND
							CASE WHEN failed_at IS NULL AND due_at <= now() AND attempts <= 1 THEN true END
				FOR KEY SHARE SKIP LOCKED) j),
		new_jobs AS ( INSERT INTO jobs (kind, queue, key, args, account_id, request_id, traceparent, due_at) 
			SELECT $18, $19, key, args, $1, nullif($5, ''), nullif($14, ''), now() FROM wanted_jobs
			WHERE NOT EXISTS (SELECT FROM due_jobs WHERE due_jobs.key = wanted_jobs.key)
			RETURNING id, kind, queue, key)
		SELECT id, 0 AS claims, kind, queue, key, false AS running FROM new_jobs
		UNION ALL SELECT CASE WHEN running THEN 0 ELSE id END, claims, $18, $19, key, running
		FROM due_jobs
