SELECT account_id, record, expected, found
		FROM (
		WITH remembered AS (SELECT account_id, bank_statement_id AS id, count(*) AS count
			FROM imported_items GROUP BY 1, 2),
		recomputed AS (
			SELECT account_id, bank_statement_id AS id, count(*) AS count
			FROM financial_transactions WHERE bank_statement_id IS NOT NULL GROUP BY 1, 2)
		SELECT b.account_id, format('bank statement %s, %s', b.id, event_status),
			format('%s items remembered, as many transactions or fewer', CASE event_status WHEN 'success'
				THEN imported_items_count ELSE 0 END),
			format('%s items remembered, %s transactions, %s counted', coalesce(r.count, 0), coalesce(k.count, 0),
				imported_items_count)
		FROM bank_statements b LEFT JOIN remembered r USING (account_id, id) LEFT JOIN recomputed k USING (account_id,
			id)
		WHERE b.deleted_at IS NULL AND (imported_items_count <> coalesce(r.count, 0) AND event_status <> 'previewed'
			OR coalesce(k.count, 0) > coalesce(r.count, 0)
			OR (event_status <> 'success' AND r.count > 0)) AND EXISTS (
		SELECT FROM deposit_accounts d WHERE d.account_id = b.account_id AND d.id = b.deposit_account_id
			AND d.deleted_at IS NULL
			AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = d.account_id AND e.id = d.entity_id AND e.deleted_at IS NOT NULL))) AS d (account_id, record, expected, found) ORDER BY account_id, record
