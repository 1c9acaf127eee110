SELECT account_id, record, expected, found
		FROM (
		SELECT t.account_id, format('transaction %s of deposit account %s', t.id, t.deposit_account_id),
			format('a bank statement of deposit account %s', t.deposit_account_id),
			format('bank statement %s of deposit account %s', b.id, b.deposit_account_id)
		FROM financial_transactions t JOIN bank_statements b ON b.account_id = t.account_id
			AND b.id = t.bank_statement_id
		WHERE b.deposit_account_id <> t.deposit_account_id) AS d (account_id, record, expected, found) ORDER BY account_id, record
