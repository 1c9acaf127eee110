-- $1 = account
-- $2 = entity
-- $3 = name
-- $4 = provider
-- $5 = description
-- $6 = payment_methods
-- $7 = consolidate
-- $8 = category_id
-- $9 = person_id
-- $10 = classification_center_id
-- $11 = expected_deposit_account_id
INSERT INTO sale_accounts (account_id, entity_id, name, provider, description, payment_methods, consolidate, category_id, person_id, classification_center_id, expected_deposit_account_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING id
