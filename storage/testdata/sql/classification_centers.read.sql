-- $1 = account
-- $2 = sees_all
-- $3 = entities
-- $4 = id
SELECT id, account_id, entity_id, external_id, name, cost_center, revenue_center, use_count, created_at, updated_at FROM classification_centers WHERE account_id = $1 AND deleted_at IS NULL
	AND ($2 OR entity_id = ANY($3)) AND id = $4
