-- $1 = account
-- $2 = request
-- $3 = trace
-- $4 = person
INSERT INTO jobs (kind, queue, key, args, account_id, request_id, traceparent, due_at) 
		SELECT 'reconcile_automatically', 'reconciliation', $1::bigint || ':' || entity_id,
			json_strip_nulls(json_build_object('account_id', $1::bigint, 'entity_id', entity_id, 'from', first,
				'to', last))::text,
			$1, nullif($2, ''), nullif($3, ''), now()
		FROM (
	SELECT entity_id, min(day) AS first, max(day) AS last FROM (
		SELECT f.entity_id, coalesce(f.occurred_at, f.due_date) AS day FROM financial_accounts f
		WHERE f.account_id = $1 AND f.person_id = $4 AND f.reconcile_id IS NULL
		UNION ALL
		SELECT d.entity_id, t.occurred_at FROM financial_transactions t JOIN deposit_accounts d
			ON d.account_id = t.account_id AND d.id = t.deposit_account_id
		WHERE t.account_id = $1 AND t.person_id = $4 AND t.reconcile_id IS NULL AND t.transfer_id IS NULL) r
	WHERE entity_id = ANY(ARRAY(
	SELECT entity_id FROM deposit_accounts WHERE account_id = $1 AND automatic_reconciliation
	UNION ALL SELECT entity_id FROM reconciliation_rules WHERE account_id = $1 AND automatic)) GROUP BY 1) d
		RETURNING id, 0 AS claims, kind, queue, key, false AS running
