SELECT account_id, record, expected, found
		FROM (
		WITH recomputed AS (
			SELECT account_id, financial_account_id AS id, sum(receivable_amount) AS sum, count(*) AS count
			FROM sales WHERE financial_account_id IS NOT NULL GROUP BY 1, 2)
		SELECT f.account_id, format('%s account %s', f.kind, f.id),
			format('%s of %s sales%s', coalesce(k.sum, 0), coalesce(k.count, 0), CASE WHEN NOT f.consolidated
				AND k.count > 1 THEN ' of a day' END),
			format('%s of %s sales', f.amount, f.sales_count)
		FROM financial_accounts f LEFT JOIN recomputed k USING (account_id, id)
		WHERE (f.sale_account_id IS NOT NULL OR k.count > 0)
			AND ((f.amount, f.sales_count) IS DISTINCT FROM (coalesce(k.sum, 0), coalesce(k.count, 0))
			OR f.sales_count = 0 OR f.sales_count > 1 AND NOT f.consolidated) AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = f.account_id AND e.id = f.entity_id AND e.deleted_at IS NOT NULL)) AS d (account_id, record, expected, found) ORDER BY account_id, record
