SELECT account_id, record, expected, found
		FROM (
		SELECT i.account_id, format('invoice %s of credit card %s', i.id, i.credit_card_id),
			CASE WHEN i.balance > 0 THEN format('a payable account of %s due on %s in entity %s', i.balance,
				i.due_date, k.entity_id)
				ELSE 'no payable account' END,
			CASE WHEN f.id IS NULL THEN 'none' ELSE format('%s account %s of %s due on %s in entity %s', f.kind, f.id,
				f.amount, f.due_date, f.entity_id) END
		FROM credit_card_invoices i JOIN credit_cards k ON k.account_id = i.account_id AND k.id = i.credit_card_id
		LEFT JOIN financial_accounts f ON f.account_id = i.account_id AND f.credit_card_invoice_id = i.id
		WHERE ((f.id IS NOT NULL) <> (i.balance > 0) OR (f.amount, f.due_date, f.entity_id) <> (i.balance, i.due_date,
			k.entity_id))
			AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = k.account_id AND e.id = k.entity_id AND e.deleted_at IS NOT NULL)) AS d (account_id, record, expected, found) ORDER BY account_id, record
