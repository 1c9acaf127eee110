-- $1 = account
-- $2 = keys
SELECT fold(full_name) FROM categories
		WHERE account_id = $1 AND deleted_at IS NULL AND fold(full_name) = ANY($2)
