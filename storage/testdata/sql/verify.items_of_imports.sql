SELECT account_id, record, expected, found
		FROM (
		WITH ignored AS (
			SELECT account_id, bank_statement_id AS id, sum(n) AS count,
				sum(n) FILTER (WHERE outcome = 'future') AS future,
				sum(n) FILTER (WHERE outcome = 'zero') AS zero,
				sum(n) FILTER (WHERE outcome = 'invalid_date') AS invalid_date,
				sum(n) FILTER (WHERE outcome = 'pending') AS pending,
				sum(n) FILTER (WHERE outcome = 'balance') AS balance,
				sum(n) FILTER (WHERE outcome = 'duplicate') AS duplicate,
				sum(n) FILTER (WHERE outcome = 'other_account') AS other_account
			FROM (
				SELECT account_id, bank_statement_id, outcome, count(*) AS n FROM ignored_items GROUP BY 1, 2, 3
				UNION ALL
				SELECT account_id, bank_statement_id, outcome, cardinality(numbers) FROM folded_items) i
			GROUP BY 1, 2)
		SELECT b.account_id, format('bank statement %s', b.id),
			format('of %s items %s imported and ignored: %s future, %s zero, %s invalid_date, %s pending, %s balance, '
				|| '%s duplicate, %s other_account', items_count,
				imported_items_count, future_items_ignored_count, amount_zero_items_ignored_count,
					invalid_date_items_ignored_count, pending_items_ignored_count,
				balance_items_ignored_count, duplicate_items_ignored_count, other_account_items_ignored_count),
			format('ignored: %s future, %s zero, %s invalid_date, %s pending, %s balance, %s duplicate, '
				|| '%s other_account',
				coalesce(i.future, 0),
				coalesce(i.zero, 0), coalesce(i.invalid_date, 0), coalesce(i.pending, 0),
					coalesce(i.balance, 0), coalesce(i.duplicate, 0), coalesce(i.other_account, 0))
		FROM bank_statements b LEFT JOIN ignored i USING (account_id, id)
		WHERE b.deleted_at IS NULL AND items_count IS NOT NULL AND event_status <> 'previewed'
			AND (items_count <> imported_items_count + coalesce(i.count, 0)
			OR (future_items_ignored_count, amount_zero_items_ignored_count, invalid_date_items_ignored_count,
				pending_items_ignored_count, balance_items_ignored_count,
				duplicate_items_ignored_count, other_account_items_ignored_count) <>
			(coalesce(i.future, 0), coalesce(i.zero, 0), coalesce(i.invalid_date, 0), coalesce(i.pending, 0),
				coalesce(i.balance, 0), coalesce(i.duplicate, 0),
				coalesce(i.other_account, 0))) AND EXISTS (
		SELECT FROM deposit_accounts d WHERE d.account_id = b.account_id AND d.id = b.deposit_account_id
			AND d.deleted_at IS NULL
			AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = d.account_id AND e.id = d.entity_id AND e.deleted_at IS NOT NULL))) AS d (account_id, record, expected, found) ORDER BY account_id, record
