-- $1 = account
-- $2 = sale_account
-- $3 = after
-- $4 = up_to
-- $5 = most
WITH picked AS MATERIALIZED (SELECT s.id, s.financial_account_id, s.total_amount FROM sales s WHERE s.account_id = $1 AND s.sale_account_id = $2 AND s.id > $3
		AND s.id <= $4 AND s.awaiting_pricing AND s.status < 2 AND (
		s.financial_account_id IS NULL OR EXISTS (
		SELECT FROM financial_accounts f WHERE f.account_id = s.account_id AND f.id = s.financial_account_id
			AND f.status = 1)) ORDER BY s.id LIMIT $5)
	SELECT count(*) AS count, coalesce(max(id), 0) AS last, coalesce(sum(total_amount) > 1e15, false) AS large,
		ARRAY(SELECT DISTINCT financial_account_id FROM picked WHERE financial_account_id IS NOT NULL) AS accounts
			FROM picked
