SELECT account_id, record, expected, found
		FROM (
		SELECT t.account_id, format('transaction %s of credit card %s', t.id, t.credit_card_id),
			format('a day of invoice %s of credit card %s, %s to %s', i.id, i.credit_card_id, i.start_date, i.end_date),
			format('%s of credit card %s', t.occurred_at, t.credit_card_id)
		FROM credit_card_transactions t JOIN credit_card_invoices i ON i.account_id = t.account_id
			AND i.id = t.credit_card_invoice_id
		WHERE t.credit_card_id <> i.credit_card_id OR t.occurred_at NOT BETWEEN i.start_date AND i.end_date
		UNION ALL
		SELECT account_id, format('invoice %s of credit card %s', id, credit_card_id),
			format('a start after %s', before), format('a start on %s', start_date)
		FROM (SELECT id, account_id, credit_card_id, start_date,
				lag(end_date) OVER (PARTITION BY account_id, credit_card_id ORDER BY end_date) AS before
					FROM credit_card_invoices) i
		WHERE start_date <= before) AS d (account_id, record, expected, found) ORDER BY account_id, record
