SELECT account_id, record, expected, found
		FROM (
		WITH recomputed AS (
			SELECT account_id, bank_statement_id AS id, min(day) AS first, max(day) AS last FROM (
				SELECT account_id, bank_statement_id, day FROM imported_items
				UNION ALL SELECT account_id, bank_statement_id, day FROM ignored_items WHERE outcome = 'duplicate'
				UNION ALL SELECT account_id, bank_statement_id, day FROM folded_items, unnest(days) day
					WHERE outcome = 'duplicate') d
			GROUP BY 1, 2)
		SELECT b.account_id, format('bank statement %s', b.id), format('items from %s to %s', k.first, k.last),
			format('from %s to %s', first_item_on, last_item_on)
		FROM bank_statements b LEFT JOIN recomputed k USING (account_id, id)
		WHERE b.deleted_at IS NULL AND event_status = 'success' AND first_item_on IS NOT NULL
			AND (first_item_on, last_item_on) IS DISTINCT FROM (k.first, k.last) AND EXISTS (
		SELECT FROM deposit_accounts d WHERE d.account_id = b.account_id AND d.id = b.deposit_account_id
			AND d.deleted_at IS NULL
			AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = d.account_id AND e.id = d.entity_id AND e.deleted_at IS NOT NULL))) AS d (account_id, record, expected, found) ORDER BY account_id, record
