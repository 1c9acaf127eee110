-- $1 = account
-- $2 = family
-- $3 = action
-- $4 = entity
-- $5 = parent
-- $6 = each_parent
-- $7 = request
-- $8 = user
-- $9 = token
-- $10 = job
-- $11 = attributes
-- $12 = each_attributes
-- $13 = concerns
-- $14 = of
-- $15 = ids
-- $16 = notifies
-- $17 = trace
-- $18 = job_key
-- $19 = each_webhook
-- $20 = job_args
-- $21 = kind
-- $22 = queue
WITH new_changes AS (
			INSERT INTO unsealed_changes (account_id, family, action, entity_id, parent_id, record_ids, request_id,
				user_id, token, job, attributes, concerns)
			SELECT $1, $2, $3, nullif($4::bigint, 0), nullif($5::bigint + ($6::bigint[])[r.event], 0), array_agg(r.id ORDER BY r.id),
				nullif($7, ''),
				nullif($8::bigint, 0), nullif($9, ''), nullif($10, ''), nullif($11 || ($12::text[])[r.event], ''),
				$13::text[]
			FROM unnest($14::bigint[], $15::bigint[]) AS r (event, id)
			GROUP BY r.event ORDER BY r.event
			RETURNING id, parent_id, record_ids),
		subscribed AS MATERIALIZED (
			SELECT id, status FROM webhooks
			WHERE account_id = $1 AND ($4 = 0 OR entity_id = $4) AND deleted_at IS NULL AND $16
				AND (events IS NULL OR events && ARRAY[$2::text || '.*', $2 || '.' || $3::text])
			ORDER BY id FOR KEY SHARE),
		new_deliveries AS (
			INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id, parent_id,
				traceparent, status, change_id)
			SELECT $1, w.id, $2, $3, r.id, nullif($4::bigint, 0), c.parent_id, nullif($17, ''),
				CASE w.status WHEN 'error' THEN 'held' ELSE 'pending' END, c.id
			FROM subscribed w, new_changes c, unnest(c.record_ids) AS r (id)
			RETURNING webhook_id, status),
		wanted_jobs AS (
			SELECT replace($18, $19, webhook_id::text) AS key,
				replace($20, $19, webhook_id::text) AS args
			FROM new_deliveries WHERE status = 'pending' GROUP BY webhook_id),
		due_jobs AS MATERIALIZED (
			SELECT wanted_jobs.key, j.id, j.claims, j.running FROM wanted_jobs CROSS JOIN LATERAL (
				SELECT id, claims, coalesce(leased_until >= now(), true) AS running FROM jobs
				WHERE id = coalesce((
						SELECT id FROM jobs WHERE kind = $21 AND key = wanted_jobs.key AND
							CASE WHEN failed_at IS NULL AND due_at <= now() AND attempts <= 1 THEN true END
							AND due_at > now() - interval '20 seconds'
						ORDER BY leased_until DESC NULLS LAST LIMIT 1), (
						SELECT id FROM jobs WHERE kind = $21 AND key = wanted_jobs.key AND
							CASE WHEN failed_at IS NULL AND due_at <= now() AND attempts <= 1 THEN true END
						ORDER BY leased_until DESC NULLS LAST LIMIT 1))
					AND
							CASE WHEN failed_at IS NULL AND due_at <= now() AND attempts <= 1 THEN true END
				FOR KEY SHARE SKIP LOCKED) j),
		new_jobs AS ( INSERT INTO jobs (kind, queue, key, args, account_id, request_id, traceparent, due_at) 
			SELECT $21, $22, key, args, $1, nullif($7, ''), nullif($17, ''), now() FROM wanted_jobs
			WHERE NOT EXISTS (SELECT FROM due_jobs WHERE due_jobs.key = wanted_jobs.key)
			RETURNING id, kind, queue, key),
		following_jobs AS ( INSERT INTO jobs (kind, queue, key, args, account_id, request_id, traceparent, due_at) 
		SELECT 'reconcile_automatically', 'reconciliation', $1::bigint || ':' || entity_id,
			json_strip_nulls(json_build_object('account_id', $1::bigint, 'entity_id', entity_id, 'from', first,
				'to', last))::text,
			$1, nullif($7, ''), nullif($17, ''), now()
		FROM (
		SELECT $4::bigint AS entity_id, CASE WHEN bool_and(day IS NOT NULL) THEN min(day) END AS first,
			max(day) AS last FROM (SELECT coalesce(f.occurred_at, f.due_date) AS day FROM financial_accounts f
		WHERE f.account_id = $1 AND f.reconcile_id IS NULL AND f.id IN (SELECT r.id FROM (SELECT unnest($15::bigint[]) AS id, NULL::bigint AS parent_id) r)) d
		WHERE EXISTS (
			SELECT FROM (
	SELECT entity_id FROM deposit_accounts WHERE account_id = $1 AND automatic_reconciliation
	UNION ALL SELECT entity_id FROM reconciliation_rules WHERE account_id = $1 AND automatic
			) a WHERE a.entity_id = $4) HAVING count(*) > 0) d
		RETURNING id, 0 AS claims, kind, queue, key, false AS running)
		SELECT id, 0 AS claims, kind, queue, key, false AS running FROM new_jobs
		UNION ALL SELECT CASE WHEN running THEN 0 ELSE id END, claims, $21, $22, key, running
		FROM due_jobs UNION ALL SELECT * FROM following_jobs
