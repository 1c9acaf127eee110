-- $1 = account
-- $2 = parent_id
-- $3 = name
-- $4 = full_name
-- $5 = revenue
-- $6 = cost
-- $7 = force_destroy
-- $8 = id
UPDATE categories SET parent_id = $2, name = $3, full_name = $4, revenue = $5, cost = $6, force_destroy = $7, updated_at = now()
		WHERE account_id = $1 AND id = $8 RETURNING id, account_id, parent_id, name, full_name, revenue, cost, force_destroy, creator_id,
	use_count,
	created_at, updated_at
