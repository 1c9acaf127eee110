-- $1 = account
-- $2 = month
-- $3 = category_id
-- $4 = classification_center_id
-- $5 = amount
-- $6 = entity
-- $7 = id
UPDATE budgets AS b SET month = $2, category_id = $3, classification_center_id = $4, amount = $5, updated_at = now()
		WHERE b.account_id = $1 AND b.entity_id = $6 AND b.id = $7 RETURNING b.id, b.account_id, b.entity_id, b.month, b.category_id, b.classification_center_id, b.amount, b.created_at, b.updated_at
