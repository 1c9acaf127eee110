-- $1 = account
-- $2 = days
-- $3 = end_dates
-- $4 = card
-- $5 = parcels
-- $6 = external_id
-- $7 = amount
-- $8 = document
-- $9 = observation
-- $10 = description
-- $11 = category_id
-- $12 = person_id
-- $13 = classification_center_id
WITH new_ids AS MATERIALIZED (
			SELECT nextval('credit_card_transactions_id_seq') AS id, s.*
				FROM unnest($2::date[], $3::date[]) WITH ORDINALITY AS s (day, end_date, parcel))
		INSERT INTO credit_card_transactions (id, account_id, credit_card_id, credit_card_invoice_id, occurred_at,
			recurrence_id, parcel, parcels, external_id,
			amount, document, observation, description, category_id, person_id, classification_center_id)
		SELECT d.id, $1, $4, i.id, d.day, CASE WHEN $5::int IS NOT NULL
			THEN first_value(d.id) OVER (ORDER BY d.parcel) END,
			CASE WHEN $5::int IS NOT NULL THEN d.parcel END, $5,
			CASE d.parcel WHEN 1 THEN $6 END, $7, $8, $9, $10, $11, $12, $13
		FROM new_ids d JOIN credit_card_invoices i ON i.account_id = $1 AND i.credit_card_id = $4
			AND i.end_date = d.end_date
		ORDER BY d.parcel RETURNING id, credit_card_invoice_id AS "invoice.id"
