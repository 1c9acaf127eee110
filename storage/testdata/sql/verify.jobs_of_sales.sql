SELECT account_id, record, expected, found
		FROM (
		WITH wanted_jobs AS (
			SELECT account_id, sale_account_id AS id, ARRAY['price_sales'] AS kinds, count(*) AS count
			FROM sales s WHERE awaiting_pricing AND status < 2 AND (financial_account_id IS NULL OR EXISTS (
				SELECT FROM financial_accounts f WHERE f.account_id = s.account_id AND f.id = s.financial_account_id
					AND f.status = 1 AND NOT f.settling)) GROUP BY 1, 2
			UNION ALL SELECT account_id, sale_account_id, ARRAY['price_sales', 'settle_sales'], count(*) FROM sale_rule_applications GROUP BY 1, 2
			UNION ALL SELECT account_id, sale_account_id, ARRAY['settle_sales'], count(*) FROM financial_accounts WHERE settling GROUP BY 1, 2)
		SELECT a.account_id, format('sale account %s', a.id), format('a job %s', q.kinds[1]),
			format('%s to do and no job', q.count)
		FROM wanted_jobs q JOIN sale_accounts a USING (account_id, id) JOIN entities e ON e.account_id = a.account_id
			AND e.id = a.entity_id
		WHERE a.deleted_at IS NULL AND e.deleted_at IS NULL
			AND NOT EXISTS (SELECT FROM jobs j WHERE j.kind = ANY(q.kinds) AND j.key = a.account_id || ':' || a.id)) AS d (account_id, record, expected, found) ORDER BY account_id, record
