-- $1 = account
-- $2 = creator
-- $3 = external_id
-- $4 = parent_id
-- $5 = name
-- $6 = full_name
-- $7 = revenue
-- $8 = cost
-- $9 = force_destroy
INSERT INTO categories (account_id, creator_id, external_id, parent_id, name, full_name, revenue, cost, force_destroy)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id, account_id, external_id, parent_id, name, full_name, revenue, cost, force_destroy,
	creator_id, use_count, created_at, updated_at
