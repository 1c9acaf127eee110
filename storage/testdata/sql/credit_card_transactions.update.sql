-- $1 = account
-- $2 = day
-- $3 = amount
-- $4 = document
-- $5 = observation
-- $6 = description
-- $7 = category_id
-- $8 = person_id
-- $9 = classification_center_id
-- $10 = id
-- $11 = card
-- $12 = end_date
UPDATE credit_card_transactions t
		SET credit_card_invoice_id = i.id, occurred_at = $2, amount = $3, document = $4, observation = $5, description = $6, category_id = $7, person_id = $8, classification_center_id = $9, updated_at = now()
		FROM credit_card_invoices i
		WHERE t.account_id = $1 AND t.id = $10 AND i.account_id = $1 AND i.credit_card_id = $11
			AND i.end_date = $12
		RETURNING i.id AS "invoice.id"
