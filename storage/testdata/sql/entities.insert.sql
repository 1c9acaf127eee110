-- $1 = account
-- $2 = name
-- $3 = number
-- $4 = code
-- $5 = force_destroy
-- $6 = fine
-- $7 = interest
INSERT INTO entities (account_id, name, federation_subscription_number, federation_subscription_code,
		force_destroy, suggested_fine_percentage, suggested_monthly_interest_percentage)
	VALUES ($1, $2, $3, $4, $5, $6, $7)
	RETURNING id, account_id, name, federation_subscription_number, force_destroy,
	suggested_fine_percentage, suggested_monthly_interest_percentage, created_at, updated_at, deleted_at
