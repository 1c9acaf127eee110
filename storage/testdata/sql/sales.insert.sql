-- $1 = account
-- $2 = entity
-- $3 = original
-- $4 = installments
-- $5 = external_id
-- $6 = sale_account_id
-- $7 = payment_method
-- $8 = issuer
-- $9 = document
-- $10 = document_emission_date
-- $11 = provider_code
-- $12 = competency_month
-- $13 = description
-- $14 = observation
-- $15 = nominal_amount
-- $16 = interest_amount
-- $17 = ticket_amount
-- $18 = discount_amount
-- $19 = total_amount
-- $20 = total_taxes
-- $21 = category_id
-- $22 = person_id
-- $23 = classification_center_id
-- $24 = days
-- $25 = confirmed
-- $26 = numbers
INSERT INTO sales (occurred_at, confirmed_at, installment_number, account_id, entity_id, original_sale_id,
			installment_count,
			external_id, sale_account_id, payment_method, issuer, document, document_emission_date, provider_code, competency_month, description, observation, nominal_amount, interest_amount, ticket_amount, discount_amount, total_amount, total_taxes, category_id, person_id, classification_center_id)
		SELECT r.occurred_at::date, nullif(r.confirmed_at, '')::date, nullif(r.number, '')::int, $1, $2,
			$3, $4,
			$5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23
		FROM unnest($24::text[], $25::text[], $26::text[]) WITH ORDINALITY AS r (occurred_at,
			confirmed_at, number, line)
		ORDER BY r.line RETURNING id
