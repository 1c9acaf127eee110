-- $1 = account
-- $2 = entities
-- $3 = from
-- $4 = to
-- $5 = center
-- $6 = most
SELECT b.entity_id, b.category_id, b.month, CASE WHEN k.revenue THEN b.amount ELSE -b.amount END AS amount
	FROM budgets b
	JOIN categories k ON k.account_id = b.account_id AND k.id = b.category_id AND k.deleted_at IS NULL
	WHERE b.account_id = $1 AND b.entity_id = ANY ($2) AND b.month BETWEEN $3 AND $4
		AND b.classification_center_id IS NOT DISTINCT FROM $5
	ORDER BY b.entity_id, b.month, b.category_id LIMIT $6
