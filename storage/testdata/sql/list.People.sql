-- $1 = 102
-- $2 = 7, for external_id_equals
-- $3 = 7, for federation_subscription_number_equals
-- $4 = [7], for ids
-- $5 = 7, for name_equals
-- $6 = [NaturalPerson], for person_type_in
-- $7 = 2026-01-31T00:00:00, for updated_at_gte
-- $8 = 30, for size
-- $9 = 30, for offset
SELECT id, account_id, external_id, name, person_type, customer, supplier, federation_subscription_number, federation_subscription_code, email, phone, site, address, address_number, complement, neighborhood, city, state, zip_code, country, febraban_name, febraban_favored_code, note, force_destroy, creator_id, use_count, created_at, updated_at
FROM people WHERE account_id = $1 AND deleted_at IS NULL AND external_id = $2 AND federation_subscription_code = $3 AND id = ANY(CAST($4 AS bigint[])) AND fold(name) = fold($5) AND name = $5 AND person_type = ANY($6) AND updated_at >= CAST($7 AS timestamptz)
ORDER BY fold(name) || '', id LIMIT nullif($8, 0) OFFSET $9;

-- $1 = 102
-- $2 = 7, for external_id_equals
-- $3 = 7, for federation_subscription_number_equals
-- $4 = [7], for ids
-- $5 = 7, for name_equals
-- $6 = [NaturalPerson], for person_type_in
-- $7 = 2026-01-31T00:00:00, for updated_at_gte
SELECT count(*) FROM people WHERE account_id = $1 AND deleted_at IS NULL AND external_id = $2 AND federation_subscription_code = $3 AND id = ANY(CAST($4 AS bigint[])) AND fold(name) = fold($5) AND name = $5 AND person_type = ANY($6) AND updated_at >= CAST($7 AS timestamptz);

-- $1 = 102
-- $2 = 7
-- $3 = 7
-- $4 = 31
SELECT id, account_id, external_id, name, person_type, customer, supplier, federation_subscription_number, federation_subscription_code, email, phone, site, address, address_number, complement, neighborhood, city, state, zip_code, country, febraban_name, febraban_favored_code, note, force_destroy, creator_id, use_count, created_at, updated_at, ARRAY[CAST(fold(name) AS text), CAST(id AS text)]
FROM people WHERE account_id = $1 AND deleted_at IS NULL AND (fold(name), id) > (CAST($2 AS text), CAST($3 AS bigint))
ORDER BY fold(name), id LIMIT $4;
