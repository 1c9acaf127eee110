-- $1 = 1
-- $2 = 2
-- $3 = 103
-- $4 = 100001
SELECT count(*) FROM (SELECT FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id
			AND d.id = t.deposit_account_id
			WHERE t.account_id = $1 AND d.entity_id = $2 AND d.deleted_at IS NULL
				AND t.deposit_account_id = $3 LIMIT $4) counted;

-- $1 = 1
-- $2 = 2
-- $3 = 100001
SELECT count(*) FROM (SELECT FROM (SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = $2
				AND deleted_at IS NULL) d
CROSS JOIN LATERAL (SELECT FROM financial_transactions t WHERE t.account_id = $1 AND t.deposit_account_id = d.id) t LIMIT $3) counted;
