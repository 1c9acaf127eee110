-- $1 = account
-- $2 = external_id
-- $3 = day
-- $4 = amount
-- $5 = document
-- $6 = observation
-- $7 = description
-- $8 = category_id
-- $9 = person_id
-- $10 = classification_center_id
-- $11 = id
-- $12 = card
-- $13 = end_date
UPDATE credit_card_transactions t
		SET external_id = $2, credit_card_invoice_id = i.id, occurred_at = $3,
			amount = $4, document = $5, observation = $6, description = $7, category_id = $8, person_id = $9, classification_center_id = $10, updated_at = now()
		FROM credit_card_invoices i
		WHERE t.account_id = $1 AND t.id = $11 AND i.account_id = $1 AND i.credit_card_id = $12
			AND i.end_date = $13
		RETURNING i.id AS "invoice.id"
