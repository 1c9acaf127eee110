SELECT account_id, record, expected, found
		FROM (
		SELECT t.account_id, format('reconcile %s', t.reconcile_id), 'transactions in reais',
			format('transaction %s in currency %s', t.id, t.currency_id)
		FROM financial_transactions t WHERE t.reconcile_id IS NOT NULL AND t.currency_id <> 1) AS d (account_id, record, expected, found) ORDER BY account_id, record
