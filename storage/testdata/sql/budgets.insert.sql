-- $1 = account
-- $2 = entity
-- $3 = budgets
INSERT INTO budgets AS b (account_id, entity_id, month, category_id, classification_center_id, amount)
		SELECT $1, $2, n.month, n.category_id, n.classification_center_id, n.amount
		FROM json_populate_recordset(NULL::budgets, $3) WITH ORDINALITY n ORDER BY n.ordinality
		RETURNING b.id, b.account_id, b.entity_id, b.month, b.category_id, b.classification_center_id, b.amount, b.created_at, b.updated_at
