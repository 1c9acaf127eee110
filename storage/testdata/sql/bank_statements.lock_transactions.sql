-- $1 = account
-- $2 = statement
-- $3 = limit
SELECT id, amount, bank_statement_id IS NOT DISTINCT FROM $2 AS imported FROM financial_transactions
	WHERE account_id = $1 AND reconcile_id IS NULL AND id = ANY(ARRAY(
		SELECT unnest(ARRAY[id, transfer_id]) FROM financial_transactions
		WHERE account_id = $1 AND id = ANY(ARRAY(SELECT id FROM financial_transactions WHERE account_id = $1
	AND bank_statement_id = $2 LIMIT $3))))
	ORDER BY id FOR UPDATE
