-- $1 = account
-- $2 = creator
-- $3 = people
INSERT INTO people (account_id, creator_id, external_id, name, person_type, customer, supplier, federation_subscription_number, federation_subscription_code, email, phone, site, address, address_number, complement, neighborhood, city, state, zip_code, country, febraban_name, febraban_favored_code, note, force_destroy)
		SELECT $1, $2, n.external_id, n.name, n.person_type, n.customer, n.supplier, n.federation_subscription_number, n.federation_subscription_code, n.email, n.phone, n.site, n.address, n.address_number, n.complement, n.neighborhood, n.city, n.state, n.zip_code, n.country, n.febraban_name, n.febraban_favored_code, n.note, n.force_destroy
		FROM json_populate_recordset(NULL::people, $3) WITH ORDINALITY n ORDER BY n.ordinality
		RETURNING id, account_id, external_id, name, person_type, customer, supplier, federation_subscription_number, federation_subscription_code, email, phone, site, address, address_number, complement, neighborhood, city, state, zip_code, country, febraban_name, febraban_favored_code, note, force_destroy, creator_id, use_count, created_at, updated_at
