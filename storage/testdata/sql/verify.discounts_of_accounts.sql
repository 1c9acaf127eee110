SELECT account_id, record, expected, found
		FROM (
		SELECT account_id, format('%s account %s', kind, id), 'nothing below zero due',
			format('%s due after a discount of %s', due, discount_amount)
		FROM (SELECT *, amount + coalesce(ticket_amount, 0) + coalesce(interest_amount, 0) - discount_amount AS due
			FROM financial_accounts
			WHERE discount_amount > 0 AND status = 1) f
		WHERE due < 0) AS d (account_id, record, expected, found) ORDER BY account_id, record
