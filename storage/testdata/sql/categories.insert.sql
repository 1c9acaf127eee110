-- $1 = account
-- $2 = creator
-- $3 = parent_id
-- $4 = name
-- $5 = full_name
-- $6 = revenue
-- $7 = cost
-- $8 = force_destroy
INSERT INTO categories (account_id, creator_id, parent_id, name, full_name, revenue, cost, force_destroy)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id, account_id, parent_id, name, full_name, revenue, cost, force_destroy, creator_id,
	use_count,
	created_at, updated_at
