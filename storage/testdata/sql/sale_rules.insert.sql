-- $1 = account
-- $2 = sale_account
-- $3 = payment_method
-- $4 = issuer
-- $5 = fee_percentage
-- $6 = fixed_fee_amount
-- $7 = minimum_fee_amount
-- $8 = days_to_liquidation
-- $9 = weekdays
-- $10 = apply_rules
INSERT INTO sale_rules AS r (account_id, sale_account_id, payment_method, issuer, fee_percentage, fixed_fee_amount, minimum_fee_amount, days_to_liquidation, weekdays, apply_rules)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING r.id, r.account_id, r.sale_account_id, r.payment_method, r.issuer, r.fee_percentage, r.fixed_fee_amount, r.minimum_fee_amount, r.days_to_liquidation, r.weekdays, r.apply_rules, r.created_at, r.updated_at,
	(SELECT entity_id FROM sale_accounts WHERE account_id = r.account_id AND id = r.sale_account_id) AS entity_id
