-- $1 = 1
-- $2 = 103
-- $3 = false
-- $4 = [2]
-- $5 = [7], for ids
-- $6 = Visa, for issuer
-- $7 = billet, for payment_method
-- $8 = 2026-01-31T00:00:00, for updated_at_gte
-- $9 = 30, for size
-- $10 = 30, for offset
SELECT r.id, r.account_id, r.sale_account_id, r.payment_method, r.issuer, r.fee_percentage, r.fixed_fee_amount, r.minimum_fee_amount, r.days_to_liquidation, r.weekdays, r.apply_rules, r.created_at, r.updated_at,
	(SELECT entity_id FROM sale_accounts WHERE account_id = r.account_id AND id = r.sale_account_id) AS entity_id
FROM sale_rules r WHERE r.account_id = $1 AND r.sale_account_id = $2
	AND EXISTS (SELECT FROM sale_accounts a WHERE a.account_id = $1 AND a.deleted_at IS NULL
	AND ($3 OR a.entity_id = ANY($4)) AND a.id = $2) AND r.id = ANY(CAST($5 AS bigint[])) AND r.issuer = $6 AND r.payment_method = $7 AND r.updated_at >= CAST($8 AS timestamptz)
ORDER BY r.id + 0 LIMIT nullif($9, 0) OFFSET $10;

-- $1 = 1
-- $2 = 103
-- $3 = false
-- $4 = [2]
-- $5 = [7], for ids
-- $6 = Visa, for issuer
-- $7 = billet, for payment_method
-- $8 = 2026-01-31T00:00:00, for updated_at_gte
SELECT count(*) FROM sale_rules r WHERE r.account_id = $1 AND r.sale_account_id = $2
	AND EXISTS (SELECT FROM sale_accounts a WHERE a.account_id = $1 AND a.deleted_at IS NULL
	AND ($3 OR a.entity_id = ANY($4)) AND a.id = $2) AND r.id = ANY(CAST($5 AS bigint[])) AND r.issuer = $6 AND r.payment_method = $7 AND r.updated_at >= CAST($8 AS timestamptz);

-- $1 = 1
-- $2 = 103
-- $3 = false
-- $4 = [2]
-- $5 = 7
-- $6 = 31
SELECT r.id, r.account_id, r.sale_account_id, r.payment_method, r.issuer, r.fee_percentage, r.fixed_fee_amount, r.minimum_fee_amount, r.days_to_liquidation, r.weekdays, r.apply_rules, r.created_at, r.updated_at,
	(SELECT entity_id FROM sale_accounts WHERE account_id = r.account_id AND id = r.sale_account_id) AS entity_id, ARRAY[CAST(r.id AS text)]
FROM sale_rules r WHERE r.account_id = $1 AND r.sale_account_id = $2
	AND EXISTS (SELECT FROM sale_accounts a WHERE a.account_id = $1 AND a.deleted_at IS NULL
	AND ($3 OR a.entity_id = ANY($4)) AND a.id = $2) AND (r.id) > (CAST($5 AS bigint))
ORDER BY r.id LIMIT $6;
