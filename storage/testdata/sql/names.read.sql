-- $1 = account
-- $2 = categories
-- $3 = people
-- $4 = centers
-- $5 = deposit_accounts
SELECT 'category' AS kind, id, name FROM categories
		WHERE account_id = $1 AND id = ANY($2) AND deleted_at IS NULL
	UNION ALL
	SELECT 'person', id, name FROM people WHERE account_id = $1 AND id = ANY($3)
	UNION ALL
	SELECT 'classification_center', id, name FROM classification_centers
		WHERE account_id = $1 AND id = ANY($4)
	UNION ALL
	SELECT 'deposit_account', id, name FROM deposit_accounts
		WHERE account_id = $1 AND id = ANY($5)
