SELECT account_id, record, expected, found
		FROM (
		SELECT r.account_id, format('reconcile %s', r.id),
			format('transactions of %s alone', to_char(r.month, 'YYYY-MM')),
			format('transaction %s of %s', t.id, t.occurred_at)
		FROM reconciles r JOIN financial_transactions t ON t.account_id = r.account_id AND t.reconcile_id = r.id
		WHERE r.month <> date_trunc('month', t.occurred_at)) AS d (account_id, record, expected, found) ORDER BY account_id, record
