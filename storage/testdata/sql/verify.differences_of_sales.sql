SELECT account_id, record, expected, found
		FROM (
		WITH wanted AS (
			SELECT *, coalesce(total_amount - amount + coalesce(fee_amount, 0) + coalesce(withheld_tax_amount, 0),
				0) AS difference
			FROM financial_accounts WHERE sale_account_id IS NOT NULL),
		spread AS (
			SELECT account_id, financial_account_id AS id, coalesce(sum(amount_difference), 0) AS sum
			FROM sales WHERE financial_account_id IS NOT NULL GROUP BY 1, 2)
		SELECT f.account_id, format('receivable account %s', f.id), format('%s spread among its sales', f.difference),
			format('%s spread', p.sum)
		FROM wanted f JOIN spread p USING (account_id, id)
		WHERE NOT f.settling AND p.sum <> f.difference AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = f.account_id AND e.id = f.entity_id AND e.deleted_at IS NOT NULL)) AS d (account_id, record, expected, found) ORDER BY account_id, record
