-- $1 = account
-- $2 = deposit_account
DELETE FROM imported_items
	WHERE account_id = $1 AND bank_statement_id = ANY(ARRAY(SELECT id FROM bank_statements WHERE account_id = $1
	AND deposit_account_id = $2 AND deleted_at IS NOT NULL))
