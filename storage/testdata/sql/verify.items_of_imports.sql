SELECT account_id, record, expected, found
		FROM (
		WITH ignored AS (
			SELECT account_id, bank_statement_id AS id, count(*) AS count,
				count(*) FILTER (WHERE outcome = 'future') AS future,
				count(*) FILTER (WHERE outcome = 'zero') AS zero,
					count(*) FILTER (WHERE outcome = 'invalid_date') AS invalid_date,
				count(*) FILTER (WHERE outcome = 'pending') AS pending,
				count(*) FILTER (WHERE outcome = 'balance') AS balance,
					count(*) FILTER (WHERE outcome = 'duplicate') AS duplicate,
				count(*) FILTER (WHERE outcome = 'other_account') AS other_account
			FROM ignored_items GROUP BY 1, 2)
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
