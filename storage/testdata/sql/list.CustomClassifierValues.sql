-- $1 = 102
-- $2 = 103
-- $3 = [7], for ids
-- $4 = 2026-01-31T00:00:00, for updated_at_gte
-- $5 = 30, for size
-- $6 = 30, for offset
SELECT id, account_id, custom_classifier_id, value, created_at, updated_at
FROM custom_classifier_values WHERE account_id = $1 AND custom_classifier_id = $2
			AND deleted_at IS NULL AND id = ANY(CAST($3 AS bigint[])) AND updated_at >= CAST($4 AS timestamptz)
ORDER BY fold(value) || '', id LIMIT nullif($5, 0) OFFSET $6;

-- $1 = 102
-- $2 = 103
-- $3 = [7], for ids
-- $4 = 2026-01-31T00:00:00, for updated_at_gte
SELECT count(*) FROM custom_classifier_values WHERE account_id = $1 AND custom_classifier_id = $2
			AND deleted_at IS NULL AND id = ANY(CAST($3 AS bigint[])) AND updated_at >= CAST($4 AS timestamptz);

-- $1 = 102
-- $2 = 103
-- $3 = 7
-- $4 = 7
-- $5 = 31
SELECT id, account_id, custom_classifier_id, value, created_at, updated_at, ARRAY[CAST(fold(value) AS text), CAST(id AS text)]
FROM custom_classifier_values WHERE account_id = $1 AND custom_classifier_id = $2
			AND deleted_at IS NULL AND (fold(value), id) > (CAST($3 AS text), CAST($4 AS bigint))
ORDER BY fold(value), id LIMIT $5;
