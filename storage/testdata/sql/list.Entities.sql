-- $1 = 1
-- $2 = false
-- $3 = [2]
-- $4 = %7%, for federation_subscription_number_contains
-- $5 = 7, for federation_subscription_number_equals
-- $6 = true, for federation_subscription_number_is_null
-- $7 = [7], for ids
-- $8 = 7, for name
-- $9 = %7%, for name_contains
-- $10 = 2026-01-31T00:00:00, for updated_at_gte
-- $11 = 30, for size
-- $12 = 30, for offset
/* planned each time */ SELECT id, account_id, name, federation_subscription_number, force_destroy,
	suggested_fine_percentage, suggested_monthly_interest_percentage, created_at, updated_at, deleted_at
FROM entities WHERE account_id = $1 AND ($2 OR id = ANY($3)) AND federation_subscription_code LIKE $4 AND federation_subscription_code = $5 AND (federation_subscription_number IS NULL) = $6 AND id = ANY(CAST($7 AS bigint[])) AND name = $8 AND fold(name) LIKE fold($9) AND updated_at >= CAST($10 AS timestamptz)
ORDER BY id + 0 LIMIT nullif($11, 0) OFFSET $12;

-- $1 = 1
-- $2 = false
-- $3 = [2]
-- $4 = %7%, for federation_subscription_number_contains
-- $5 = 7, for federation_subscription_number_equals
-- $6 = true, for federation_subscription_number_is_null
-- $7 = [7], for ids
-- $8 = 7, for name
-- $9 = %7%, for name_contains
-- $10 = 2026-01-31T00:00:00, for updated_at_gte
/* planned each time */ SELECT count(*) FROM entities WHERE account_id = $1 AND ($2 OR id = ANY($3)) AND federation_subscription_code LIKE $4 AND federation_subscription_code = $5 AND (federation_subscription_number IS NULL) = $6 AND id = ANY(CAST($7 AS bigint[])) AND name = $8 AND fold(name) LIKE fold($9) AND updated_at >= CAST($10 AS timestamptz);

-- $1 = 1
-- $2 = false
-- $3 = [2]
-- $4 = 7
-- $5 = 31
SELECT id, account_id, name, federation_subscription_number, force_destroy,
	suggested_fine_percentage, suggested_monthly_interest_percentage, created_at, updated_at, deleted_at, ARRAY[CAST(id AS text)]
FROM entities WHERE account_id = $1 AND ($2 OR id = ANY($3)) AND (id) > (CAST($4 AS bigint))
ORDER BY id LIMIT $5;
