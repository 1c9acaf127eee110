-- $1 = account
-- $2 = sale_account
-- $3 = sees_all
-- $4 = entities
-- $5 = id
SELECT r.id, r.account_id, r.sale_account_id, r.payment_method, r.issuer, r.fee_percentage, r.fixed_fee_amount, r.minimum_fee_amount, r.days_to_liquidation, r.weekdays, r.apply_rules, r.created_at, r.updated_at,
	(SELECT entity_id FROM sale_accounts WHERE account_id = r.account_id AND id = r.sale_account_id) AS entity_id FROM sale_rules r WHERE r.account_id = $1 AND r.sale_account_id = $2
	AND EXISTS (SELECT FROM sale_accounts a WHERE a.account_id = $1 AND a.deleted_at IS NULL
	AND ($3 OR a.entity_id = ANY($4)) AND a.id = $2) AND r.id = $5
