-- $1 = account
-- $2 = payment_method
-- $3 = issuer
-- $4 = fee_percentage
-- $5 = fixed_fee_amount
-- $6 = minimum_fee_amount
-- $7 = days_to_liquidation
-- $8 = weekdays
-- $9 = apply_rules
-- $10 = id
UPDATE sale_rules AS r SET payment_method = $2, issuer = $3, fee_percentage = $4, fixed_fee_amount = $5, minimum_fee_amount = $6, days_to_liquidation = $7, weekdays = $8, apply_rules = $9, updated_at = now()
		WHERE r.account_id = $1 AND r.id = $10 RETURNING r.id, r.account_id, r.sale_account_id, r.payment_method, r.issuer, r.fee_percentage, r.fixed_fee_amount, r.minimum_fee_amount, r.days_to_liquidation, r.weekdays, r.apply_rules, r.created_at, r.updated_at,
	(SELECT entity_id FROM sale_accounts WHERE account_id = r.account_id AND id = r.sale_account_id) AS entity_id
