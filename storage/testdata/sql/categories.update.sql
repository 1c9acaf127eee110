-- $1 = account
-- $2 = external_id
-- $3 = parent_id
-- $4 = name
-- $5 = full_name
-- $6 = revenue
-- $7 = cost
-- $8 = force_destroy
-- $9 = id
UPDATE categories SET external_id = $2, parent_id = $3, name = $4, full_name = $5, revenue = $6, cost = $7, force_destroy = $8, updated_at = now()
	WHERE account_id = $1 AND id = $9 RETURNING id, account_id, external_id, parent_id, name, full_name, revenue, cost, force_destroy,
	creator_id, use_count, created_at, updated_at
