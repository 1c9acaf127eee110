-- $1 = account
-- $2 = sale_account
-- $3 = method
-- $4 = issuer
-- $5 = rule
-- $6 = percentage
-- $7 = fixed
-- $8 = minimum
-- $9 = days
-- $10 = weekdays
INSERT INTO sale_rule_applications (account_id, sale_account_id, payment_method, issuer, sale_rule_id,
		fee_percentage, fixed_fee_amount,
		minimum_fee_amount, days_to_liquidation, weekdays, up_to)
	SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10,
		coalesce(max(id), 0)
	FROM sales WHERE account_id = $1 AND sale_account_id = $2
