-- $1 = [1]
-- $2 = [7], for ids
-- $3 = 2026-01-31T00:00:00, for updated_at_gte
-- $4 = 30, for size
-- $5 = 30, for offset
SELECT id, name, uuid, plan_slug, default_currency_id, sandbox, created_at, updated_at
FROM accounts WHERE id = ANY($1) AND id = ANY(CAST($2 AS bigint[])) AND updated_at >= CAST($3 AS timestamptz)
ORDER BY id + 0 LIMIT nullif($4, 0) OFFSET $5;

-- $1 = [1]
-- $2 = [7], for ids
-- $3 = 2026-01-31T00:00:00, for updated_at_gte
SELECT count(*) FROM accounts WHERE id = ANY($1) AND id = ANY(CAST($2 AS bigint[])) AND updated_at >= CAST($3 AS timestamptz);

-- $1 = [1]
-- $2 = 7
-- $3 = 31
SELECT id, name, uuid, plan_slug, default_currency_id, sandbox, created_at, updated_at, ARRAY[CAST(id AS text)]
FROM accounts WHERE id = ANY($1) AND (id) > (CAST($2 AS bigint))
ORDER BY id LIMIT $3;
