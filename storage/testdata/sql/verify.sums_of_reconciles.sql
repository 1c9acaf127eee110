SELECT account_id, record, expected, found
		FROM (
		WITH owed AS (
			SELECT account_id, reconcile_id AS id, sum(total_amount) AS sum FROM financial_accounts
				WHERE reconcile_id IS NOT NULL GROUP BY 1, 2),
		moved AS (
			SELECT account_id, reconcile_id AS id, abs(sum(amount)) AS sum FROM financial_transactions
				WHERE reconcile_id IS NOT NULL GROUP BY 1, 2)
		SELECT r.account_id, format('reconcile %s', r.id), 'accounts and transactions of the same sum',
			format('accounts of %s, transactions of %s', coalesce(o.sum, 0), coalesce(m.sum, 0))
		FROM reconciles r LEFT JOIN owed o USING (account_id, id) LEFT JOIN moved m USING (account_id, id)
		WHERE (o.sum IS DISTINCT FROM m.sum OR m.sum IS NULL) AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = r.account_id AND e.id = r.entity_id AND e.deleted_at IS NOT NULL)) AS d (account_id, record, expected, found) ORDER BY account_id, record
