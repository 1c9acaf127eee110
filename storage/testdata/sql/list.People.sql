-- $1 = 102
-- $2 = 7, for federation_subscription_number_equals
-- $3 = [7], for ids
-- $4 = 7, for name_equals
-- $5 = [NaturalPerson], for person_type_in
-- $6 = 2026-01-31T00:00:00, for updated_at_gte
-- $7 = 30, for size
-- $8 = 30, for offset
SELECT id, account_id, name, person_type, customer, supplier, federation_subscription_number, federation_subscription_code, email, phone, site, address, address_number, complement, neighborhood, city, state, zip_code, country, febraban_name, febraban_favored_code, note, force_destroy, creator_id, use_count, created_at, updated_at
FROM people WHERE account_id = $1 AND deleted_at IS NULL AND federation_subscription_code = $2 AND id = ANY(CAST($3 AS bigint[])) AND name = $4 AND person_type = ANY($5) AND updated_at >= CAST($6 AS timestamptz)
ORDER BY fold(name) || '', id LIMIT nullif($7, 0) OFFSET $8;

-- $1 = 102
-- $2 = 7, for federation_subscription_number_equals
-- $3 = [7], for ids
-- $4 = 7, for name_equals
-- $5 = [NaturalPerson], for person_type_in
-- $6 = 2026-01-31T00:00:00, for updated_at_gte
SELECT count(*) FROM people WHERE account_id = $1 AND deleted_at IS NULL AND federation_subscription_code = $2 AND id = ANY(CAST($3 AS bigint[])) AND name = $4 AND person_type = ANY($5) AND updated_at >= CAST($6 AS timestamptz);

-- $1 = 102
-- $2 = 7
-- $3 = 7
-- $4 = 31
SELECT id, account_id, name, person_type, customer, supplier, federation_subscription_number, federation_subscription_code, email, phone, site, address, address_number, complement, neighborhood, city, state, zip_code, country, febraban_name, febraban_favored_code, note, force_destroy, creator_id, use_count, created_at, updated_at, ARRAY[CAST(fold(name) AS text), CAST(id AS text)]
FROM people WHERE account_id = $1 AND deleted_at IS NULL AND (fold(name), id) > (CAST($2 AS text), CAST($3 AS bigint))
ORDER BY fold(name), id LIMIT $4;
