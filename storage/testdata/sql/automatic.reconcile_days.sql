-- $1 = account
-- $2 = request
-- $3 = trace
-- $4 = entity
-- $5 = first
-- $6 = last
INSERT INTO jobs (kind, queue, key, args, account_id, request_id, traceparent, due_at) 
		SELECT 'reconcile_automatically', 'reconciliation', $1::bigint || ':' || entity_id,
			json_strip_nulls(json_build_object('account_id', $1::bigint, 'entity_id', entity_id, 'from', first,
				'to', last))::text,
			$1, nullif($2, ''), nullif($3, ''), now()
		FROM (
		SELECT $4::bigint AS entity_id, CASE WHEN bool_and(day IS NOT NULL) THEN min(day) END AS first,
			max(day) AS last FROM (SELECT $5::date AS day UNION ALL SELECT $6::date) d
		WHERE EXISTS (
			SELECT FROM (
	SELECT entity_id FROM deposit_accounts WHERE account_id = $1 AND automatic_reconciliation
	UNION ALL SELECT entity_id FROM reconciliation_rules WHERE account_id = $1 AND automatic
			) a WHERE a.entity_id = $4) HAVING count(*) > 0) d
		RETURNING id, 0 AS claims, kind, queue, key, false AS running
