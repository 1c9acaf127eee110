SELECT account_id, record, expected, found
		FROM (
		SELECT t.account_id, format('transaction %s of deposit account %s', t.id, t.deposit_account_id),
			format('currency %s', d.currency_id),
			format('currency %s', t.currency_id)
		FROM financial_transactions t JOIN deposit_accounts d ON d.account_id = t.account_id
			AND d.id = t.deposit_account_id
		WHERE t.currency_id <> d.currency_id) AS d (account_id, record, expected, found) ORDER BY account_id, record
