SELECT account_id, record, expected, found
		FROM (
		SELECT i.account_id, format('item %s of bank statement %s', i.number, i.bank_statement_id),
			format('a transaction of deposit account %s that bank statement %s brought', i.deposit_account_id,
				i.bank_statement_id),
			format('transaction %s of deposit account %s, brought by %s', t.id, t.deposit_account_id,
				coalesce(t.bank_statement_id::text, 'none'))
		FROM imported_items i JOIN financial_transactions t ON t.account_id = i.account_id
			AND t.id = i.financial_transaction_id
		WHERE (t.deposit_account_id, t.bank_statement_id)
			IS DISTINCT FROM (i.deposit_account_id, i.bank_statement_id)) AS d (account_id, record, expected, found) ORDER BY account_id, record
