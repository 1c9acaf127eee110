SELECT account_id, record, expected, found
		FROM (
		WITH recomputed AS (
			SELECT account_id, credit_card_invoice_id AS id, sum(amount) AS sum, count(*) AS count
				FROM credit_card_transactions GROUP BY 1, 2)
		SELECT i.account_id, format('invoice %s of credit card %s', i.id, i.credit_card_id),
			format('%s in %s transactions, one at least', coalesce(s.sum, 0), coalesce(s.count, 0)),
			format('%s in %s transactions', i.balance, i.transactions_count)
		FROM credit_card_invoices i JOIN credit_cards k ON k.account_id = i.account_id AND k.id = i.credit_card_id
		LEFT JOIN recomputed s ON s.account_id = i.account_id AND s.id = i.id
		WHERE (i.balance, i.transactions_count) IS DISTINCT FROM (s.sum, s.count) AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = k.account_id AND e.id = k.entity_id AND e.deleted_at IS NOT NULL)) AS d (account_id, record, expected, found) ORDER BY account_id, record
