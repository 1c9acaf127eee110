SELECT account_id, record, expected, found
		FROM (
		WITH recomputed AS (
			SELECT account_id, deposit_account_id AS id, sum(amount) AS sum, count(*) AS count, max(occurred_at) AS last
			FROM financial_transactions GROUP BY account_id, deposit_account_id)
		SELECT d.account_id, format('deposit account %s', d.id),
			format('%s in %s transactions until %s', coalesce(k.sum, 0), coalesce(k.count, 0),
				coalesce(k.last::text, 'none')),
			format('%s in %s transactions until %s', transactions_sum, transactions_count,
				coalesce(last_transaction_date::text, 'none'))
		FROM deposit_accounts d LEFT JOIN recomputed k USING (account_id, id)
		WHERE (transactions_sum, transactions_count, last_transaction_date) IS DISTINCT FROM (coalesce(k.sum, 0),
			coalesce(k.count, 0), k.last)
			AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = d.account_id AND e.id = d.entity_id AND e.deleted_at IS NOT NULL)) AS d (account_id, record, expected, found) ORDER BY account_id, record
