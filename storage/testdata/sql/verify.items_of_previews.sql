SELECT account_id, record, expected, found
		FROM (
		WITH previewed AS (
			SELECT account_id, bank_statement_id AS id, count(*) AS count,
				count(*) FILTER (WHERE outcome = 'imported') AS imported,
				count(*) FILTER (WHERE outcome = 'duplicate') AS duplicate
			FROM previewed_items GROUP BY 1, 2)
		SELECT b.account_id, format('bank statement %s, %s', b.id, event_status),
			CASE WHEN event_status = 'previewed' THEN format('%s items: %s imported, %s duplicate', items_count,
				imported_items_count,
				duplicate_items_ignored_count) ELSE 'none' END,
			format('%s items: %s imported, %s duplicate', coalesce(p.count, 0), coalesce(p.imported, 0),
				coalesce(p.duplicate, 0))
		FROM bank_statements b LEFT JOIN previewed p USING (account_id, id)
		WHERE b.deleted_at IS NULL AND (event_status IN ('success', 'error') AND p.count > 0
			OR event_status = 'previewed' AND
			(items_count, imported_items_count, duplicate_items_ignored_count) IS DISTINCT FROM
			(coalesce(p.count, 0), coalesce(p.imported, 0), coalesce(p.duplicate, 0))) AND EXISTS (
		SELECT FROM deposit_accounts d WHERE d.account_id = b.account_id AND d.id = b.deposit_account_id
			AND d.deleted_at IS NULL
			AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = d.account_id AND e.id = d.entity_id AND e.deleted_at IS NOT NULL))) AS d (account_id, record, expected, found) ORDER BY account_id, record
