-- $1 = account
-- $2 = sale_account
-- $3 = after
-- $4 = up_to
-- $5 = method
-- $6 = issuer
-- $7 = application
-- $8 = accounts
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.sale_account_id = $2 AND s.id > $3
		AND s.id <= $4 AND s.status < 2 AND s.payment_method = $5 AND coalesce(s.issuer, '') = $6
		AND coalesce(s.asked_pricing, 0) < $7 AND (s.financial_account_id IS NULL
		OR s.financial_account_id IN (SELECT unnest($8::bigint[])))
	ORDER BY s.id FOR NO KEY UPDATE
