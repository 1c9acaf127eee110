-- $1 = account
-- $2 = entity
-- $3 = id
SELECT b.id, b.account_id, b.entity_id, b.month, b.category_id, b.classification_center_id, b.amount, b.created_at, b.updated_at FROM budgets b WHERE b.account_id = $1 AND b.entity_id = $2 AND (b.category_id <> ALL (ARRAY(SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND (b.classification_center_id <> ALL (ARRAY(SELECT id FROM classification_centers WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND b.id = $3
