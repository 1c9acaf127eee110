-- $1 = account
-- $2 = centers
INSERT INTO classification_centers (account_id, entity_id, external_id, name, cost_center, revenue_center)
		SELECT $1, n.entity_id, n.external_id, n.name, n.cost_center, n.revenue_center
		FROM json_populate_recordset(NULL::classification_centers, $2) WITH ORDINALITY n ORDER BY n.ordinality
		RETURNING id, account_id, entity_id, external_id, name, cost_center, revenue_center, use_count, created_at, updated_at
