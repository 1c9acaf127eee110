-- $1 = account
-- $2 = sale_account
-- $3 = after
-- $4 = up_to
-- $5 = accounts
SELECT s.id FROM sales s WHERE s.account_id = $1 AND s.sale_account_id = $2 AND s.id > $3
		AND s.id <= $4 AND s.status = 1 AND (s.financial_account_id IS NULL
		OR s.financial_account_id IN (SELECT unnest($5::bigint[])))
	ORDER BY s.id FOR NO KEY UPDATE
