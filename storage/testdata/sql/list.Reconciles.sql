-- $1 = 1
-- $2 = 2
-- $3 = [payable receivable]
-- $4 = 7, for financial_account_id
-- $5 = 7, for financial_transaction_id
-- $6 = [7], for ids
-- $7 = 30, for size
-- $8 = 30, for offset
SELECT r.id, r.account_id, r.entity_id, r.kind, r.creator_id, r.created_at, r.made_by, r.rule_id, coalesce(r.reasons, '[]') AS reasons,
		(SELECT coalesce(json_agg(json_build_object('ID', f.id) ORDER BY f.id), '[]')
			FROM financial_accounts f WHERE f.account_id = r.account_id AND f.reconcile_id = r.id) AS account_refs,
		(SELECT coalesce(json_agg(json_build_object('ID', t.id, 'DepositAccountID', t.deposit_account_id)
			ORDER BY t.id), '[]')
			FROM financial_transactions t WHERE t.account_id = r.account_id AND t.reconcile_id = r.id AND (t.deposit_account_id <> ALL (ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE) AS transaction_refs
FROM reconciles r WHERE r.account_id = $1 AND r.entity_id = $2 AND r.kind = ANY($3) AND r.id = (SELECT reconcile_id FROM financial_accounts WHERE account_id = $1 AND entity_id = $2 AND id = $4) AND r.id = (SELECT reconcile_id FROM financial_transactions WHERE account_id = $1 AND id = $5) AND r.id = ANY(CAST($6 AS bigint[]))
ORDER BY r.id + 0 DESC LIMIT nullif($7, 0) OFFSET $8;

-- $1 = 1
-- $2 = 2
-- $3 = [payable receivable]
-- $4 = 7, for financial_account_id
-- $5 = 7, for financial_transaction_id
-- $6 = [7], for ids
SELECT count(*) FROM reconciles r WHERE r.account_id = $1 AND r.entity_id = $2 AND r.kind = ANY($3) AND r.id = (SELECT reconcile_id FROM financial_accounts WHERE account_id = $1 AND entity_id = $2 AND id = $4) AND r.id = (SELECT reconcile_id FROM financial_transactions WHERE account_id = $1 AND id = $5) AND r.id = ANY(CAST($6 AS bigint[]));

-- $1 = 1
-- $2 = 2
-- $3 = [payable receivable]
-- $4 = 7
-- $5 = 31
SELECT r.id, r.account_id, r.entity_id, r.kind, r.creator_id, r.created_at, r.made_by, r.rule_id, coalesce(r.reasons, '[]') AS reasons,
		(SELECT coalesce(json_agg(json_build_object('ID', f.id) ORDER BY f.id), '[]')
			FROM financial_accounts f WHERE f.account_id = r.account_id AND f.reconcile_id = r.id) AS account_refs,
		(SELECT coalesce(json_agg(json_build_object('ID', t.id, 'DepositAccountID', t.deposit_account_id)
			ORDER BY t.id), '[]')
			FROM financial_transactions t WHERE t.account_id = r.account_id AND t.reconcile_id = r.id AND (t.deposit_account_id <> ALL (ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE) AS transaction_refs, ARRAY[CAST(r.id AS text)]
FROM reconciles r WHERE r.account_id = $1 AND r.entity_id = $2 AND r.kind = ANY($3) AND (r.id) < (CAST($4 AS bigint))
ORDER BY r.id DESC LIMIT $5;
