-- $1 = account
-- $2 = creator
-- $3 = categories
INSERT INTO categories (account_id, creator_id, id, external_id, parent_id, name, full_name, revenue, cost, force_destroy)
		SELECT $1, $2, n.id, n.external_id, n.parent_id, n.name, n.full_name, n.revenue, n.cost, n.force_destroy
		FROM json_populate_recordset(NULL::categories, $3) WITH ORDINALITY n ORDER BY n.ordinality
		RETURNING id, account_id, external_id, parent_id, name, full_name, revenue, cost, force_destroy,
	creator_id, use_count, created_at, updated_at
