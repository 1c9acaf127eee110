-- $1 = 1
-- $2 = 2
-- $3 = 7, for category_id_equals
-- $4 = 7, for classification_center_id_equals
-- $5 = true, for classification_center_id_is_null
-- $6 = [7], for ids
-- $7 = 2026-01-01, for month_equals
-- $8 = 2026-01-01, for month_gte
-- $9 = 2026-01-01, for month_lte
-- $10 = 2026-01-31T00:00:00, for updated_at_gte
-- $11 = 30, for size
-- $12 = 30, for offset
SELECT b.id, b.account_id, b.entity_id, b.month, b.category_id, b.classification_center_id, b.amount, b.created_at, b.updated_at
FROM budgets b WHERE b.account_id = $1 AND b.entity_id = $2 AND (b.category_id <> ALL (ARRAY(SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND (b.classification_center_id <> ALL (ARRAY(SELECT id FROM classification_centers WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND b.category_id = $3 AND b.classification_center_id = $4 AND (b.classification_center_id IS NULL) = $5 AND b.id = ANY(CAST($6 AS bigint[])) AND b.month = CAST($7 AS date) AND b.month >= CAST($8 AS date) AND b.month <= CAST($9 AS date) AND b.updated_at >= CAST($10 AS timestamptz)
ORDER BY b.month + 0, b.id LIMIT nullif($11, 0) OFFSET $12;

-- $1 = 1
-- $2 = 2
-- $3 = 7, for category_id_equals
-- $4 = 7, for classification_center_id_equals
-- $5 = true, for classification_center_id_is_null
-- $6 = [7], for ids
-- $7 = 2026-01-01, for month_equals
-- $8 = 2026-01-01, for month_gte
-- $9 = 2026-01-01, for month_lte
-- $10 = 2026-01-31T00:00:00, for updated_at_gte
SELECT count(*) FROM budgets b WHERE b.account_id = $1 AND b.entity_id = $2 AND (b.category_id <> ALL (ARRAY(SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND (b.classification_center_id <> ALL (ARRAY(SELECT id FROM classification_centers WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND b.category_id = $3 AND b.classification_center_id = $4 AND (b.classification_center_id IS NULL) = $5 AND b.id = ANY(CAST($6 AS bigint[])) AND b.month = CAST($7 AS date) AND b.month >= CAST($8 AS date) AND b.month <= CAST($9 AS date) AND b.updated_at >= CAST($10 AS timestamptz);

-- $1 = 1
-- $2 = 2
-- $3 = 2026-01-31
-- $4 = 7
-- $5 = 31
SELECT b.id, b.account_id, b.entity_id, b.month, b.category_id, b.classification_center_id, b.amount, b.created_at, b.updated_at, ARRAY[CAST(b.month AS text), CAST(b.id AS text)]
FROM budgets b WHERE b.account_id = $1 AND b.entity_id = $2 AND (b.category_id <> ALL (ARRAY(SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND (b.classification_center_id <> ALL (ARRAY(SELECT id FROM classification_centers WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND (b.month, b.id) > (CAST($3 AS date), CAST($4 AS bigint))
ORDER BY b.month, b.id LIMIT $5;
