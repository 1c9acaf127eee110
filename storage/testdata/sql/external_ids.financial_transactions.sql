-- $1 = account
-- $2 = entity
-- $3 = identities
SELECT r.id, r.external_id AS identity, NOT ((r.deposit_account_id <> ALL (ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND NOT EXISTS (
		SELECT FROM bank_statements b WHERE b.account_id = $1 AND b.id = r.bank_statement_id
			AND b.deleted_at IS NOT NULL)) AS hidden
		FROM financial_transactions r
		JOIN deposit_accounts p ON p.account_id = r.account_id AND p.id = r.deposit_account_id
		WHERE r.account_id = $1 AND p.entity_id = $2 AND r.external_id = ANY($3) ORDER BY r.id
