-- $1 = 102
-- $2 = 7, for full_name_equals
-- $3 = [7], for ids
-- $4 = 7, for name
-- $5 = 7, for parent_id_equals
-- $6 = 2026-01-31T00:00:00, for updated_at_gte
-- $7 = 30, for size
-- $8 = 30, for offset
SELECT id, account_id, parent_id, name, full_name, revenue, cost, force_destroy, creator_id,
	use_count,
	created_at, updated_at
FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND full_name = $2 AND id = ANY(CAST($3 AS bigint[])) AND name = $4 AND parent_id = $5 AND updated_at >= CAST($6 AS timestamptz)
ORDER BY fold(name) || '', id LIMIT nullif($7, 0) OFFSET $8;

-- $1 = 102
-- $2 = 7, for full_name_equals
-- $3 = [7], for ids
-- $4 = 7, for name
-- $5 = 7, for parent_id_equals
-- $6 = 2026-01-31T00:00:00, for updated_at_gte
SELECT count(*) FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND full_name = $2 AND id = ANY(CAST($3 AS bigint[])) AND name = $4 AND parent_id = $5 AND updated_at >= CAST($6 AS timestamptz);

-- $1 = 102
-- $2 = 7
-- $3 = 7
-- $4 = 31
SELECT id, account_id, parent_id, name, full_name, revenue, cost, force_destroy, creator_id,
	use_count,
	created_at, updated_at, ARRAY[CAST(fold(name) AS text), CAST(id AS text)]
FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND (fold(name), id) > (CAST($2 AS text), CAST($3 AS bigint))
ORDER BY fold(name), id LIMIT $4;
