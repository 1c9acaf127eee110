-- $1 = 1
-- $2 = false
-- $3 = [2]
-- $4 = 7, for entity_id_equals
-- $5 = 7, for external_id_equals
-- $6 = [7], for ids
-- $7 = %7%, for name_contains
-- $8 = 7, for name_equals
-- $9 = 2026-01-31T00:00:00, for updated_at_gte
-- $10 = 30, for size
-- $11 = 30, for offset
/* planned each time */ SELECT id, account_id, entity_id, external_id, name, cost_center, revenue_center, use_count, created_at, updated_at
FROM classification_centers WHERE account_id = $1 AND deleted_at IS NULL
	AND ($2 OR entity_id = ANY($3)) AND entity_id = $4 AND external_id = $5 AND id = ANY(CAST($6 AS bigint[])) AND fold(name) LIKE fold($7) AND name = $8 AND updated_at >= CAST($9 AS timestamptz)
ORDER BY fold(name) || '', id LIMIT nullif($10, 0) OFFSET $11;

-- $1 = 1
-- $2 = false
-- $3 = [2]
-- $4 = 7, for entity_id_equals
-- $5 = 7, for external_id_equals
-- $6 = [7], for ids
-- $7 = %7%, for name_contains
-- $8 = 7, for name_equals
-- $9 = 2026-01-31T00:00:00, for updated_at_gte
/* planned each time */ SELECT count(*) FROM classification_centers WHERE account_id = $1 AND deleted_at IS NULL
	AND ($2 OR entity_id = ANY($3)) AND entity_id = $4 AND external_id = $5 AND id = ANY(CAST($6 AS bigint[])) AND fold(name) LIKE fold($7) AND name = $8 AND updated_at >= CAST($9 AS timestamptz);

-- $1 = 1
-- $2 = false
-- $3 = [2]
-- $4 = 7
-- $5 = 7
-- $6 = 31
SELECT id, account_id, entity_id, external_id, name, cost_center, revenue_center, use_count, created_at, updated_at, ARRAY[CAST(fold(name) AS text), CAST(id AS text)]
FROM classification_centers WHERE account_id = $1 AND deleted_at IS NULL
	AND ($2 OR entity_id = ANY($3)) AND (fold(name), id) > (CAST($4 AS text), CAST($5 AS bigint))
ORDER BY fold(name), id LIMIT $6;
