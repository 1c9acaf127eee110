-- $1 = account
-- $2 = request
-- $3 = trace
-- $4 = person
-- $5 = most
INSERT INTO jobs (kind, queue, key, args, account_id, request_id, traceparent, due_at) 
		SELECT 'reconcile_automatically', 'reconciliation', $1::bigint || ':' || entity_id,
			json_strip_nulls(json_build_object('account_id', $1::bigint, 'entity_id', entity_id, 'from', first,
				'to', last))::text,
			$1, nullif($2, ''), nullif($3, ''), now()
		FROM (
	WITH automatic AS (
	SELECT entity_id FROM deposit_accounts WHERE account_id = $1 AND automatic_reconciliation
	UNION ALL SELECT entity_id FROM reconciliation_rules WHERE account_id = $1 AND automatic
	), records AS (
		(SELECT entity_id, coalesce(occurred_at, due_date) AS day, reconcile_id IS NULL AS open
		FROM financial_accounts
		WHERE account_id = $1 AND person_id = $4 AND EXISTS (SELECT FROM automatic) LIMIT $5 + 1)
		UNION ALL
		SELECT d.entity_id, t.occurred_at, t.reconcile_id IS NULL AND t.transfer_id IS NULL
		FROM (
			SELECT * FROM financial_transactions
			WHERE account_id = $1 AND person_id = $4 AND EXISTS (SELECT FROM automatic) LIMIT $5 + 1) t
			JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
	)
	SELECT entity_id, min(day) AS first, max(day) AS last FROM records
	WHERE open AND entity_id IN (SELECT entity_id FROM automatic) AND (SELECT count(*) FROM records) <= $5
	GROUP BY 1
	UNION ALL
	SELECT DISTINCT entity_id, CAST(NULL AS date), CAST(NULL AS date) FROM automatic
	WHERE (SELECT count(*) FROM records) > $5) d
		RETURNING id, 0 AS claims, kind, queue, key, false AS running
