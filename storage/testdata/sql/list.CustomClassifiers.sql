-- $1 = 102
-- $2 = [7], for ids
-- $3 = 2026-01-31T00:00:00, for updated_at_gte
-- $4 = 30, for size
-- $5 = 30, for offset
SELECT id, account_id, name, created_at, updated_at
FROM custom_classifiers WHERE account_id = $1 AND deleted_at IS NULL AND id = ANY(CAST($2 AS bigint[])) AND updated_at >= CAST($3 AS timestamptz)
ORDER BY id + 0 LIMIT nullif($4, 0) OFFSET $5;

-- $1 = 102
-- $2 = [7], for ids
-- $3 = 2026-01-31T00:00:00, for updated_at_gte
SELECT count(*) FROM custom_classifiers WHERE account_id = $1 AND deleted_at IS NULL AND id = ANY(CAST($2 AS bigint[])) AND updated_at >= CAST($3 AS timestamptz);

-- $1 = 102
-- $2 = 7
-- $3 = 31
SELECT id, account_id, name, created_at, updated_at, ARRAY[CAST(id AS text)]
FROM custom_classifiers WHERE account_id = $1 AND deleted_at IS NULL AND (id) > (CAST($2 AS bigint))
ORDER BY id LIMIT $3;
