-- $1 = account
-- $2 = statement
-- $3 = limit
-- $4 = most
SELECT id FROM financial_transactions
	WHERE account_id = $1 AND reconcile_id IS NOT NULL AND id = ANY(ARRAY(SELECT id FROM financial_transactions WHERE account_id = $1
	AND bank_statement_id = $2 LIMIT $3)) LIMIT $4
