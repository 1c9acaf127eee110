-- $1 = account
-- $2 = name
-- $3 = number
-- $4 = code
-- $5 = force_destroy
-- $6 = fine
-- $7 = interest
-- $8 = id
UPDATE entities
	SET name = $2, federation_subscription_number = $3, federation_subscription_code = $4,
		force_destroy = $5, suggested_fine_percentage = $6,
		suggested_monthly_interest_percentage = $7, updated_at = now()
	WHERE account_id = $1 AND id = $8
	RETURNING id, account_id, name, federation_subscription_number, force_destroy,
	suggested_fine_percentage, suggested_monthly_interest_percentage, created_at, updated_at, deleted_at
