-- $1 = account
-- $2 = deposit_account
-- $3 = preview
SELECT coalesce((
			SELECT true FROM imported_items WHERE account_id = $1 AND deposit_account_id = $2
			AND NOT ($3 AND bank_statement_id = ANY(ARRAY(SELECT id FROM bank_statements WHERE account_id = $1
	AND deposit_account_id = $2 AND deleted_at IS NOT NULL))) AND card IS NULL
			ORDER BY deposit_account_id, fitid LIMIT 1), false) AS earlier,
		coalesce((
			SELECT true FROM imported_items WHERE account_id = $1 AND deposit_account_id = $2
			AND NOT ($3 AND bank_statement_id = ANY(ARRAY(SELECT id FROM bank_statements WHERE account_id = $1
	AND deposit_account_id = $2 AND deleted_at IS NOT NULL)))
			ORDER BY deposit_account_id, day LIMIT 1), false) AS anything
