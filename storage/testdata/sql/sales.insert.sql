-- $1 = account
-- $2 = entity
-- $3 = original
-- $4 = installments
-- $5 = sale_account_id
-- $6 = payment_method
-- $7 = issuer
-- $8 = document
-- $9 = document_emission_date
-- $10 = provider_code
-- $11 = competency_month
-- $12 = description
-- $13 = observation
-- $14 = nominal_amount
-- $15 = interest_amount
-- $16 = ticket_amount
-- $17 = discount_amount
-- $18 = total_amount
-- $19 = total_taxes
-- $20 = category_id
-- $21 = person_id
-- $22 = classification_center_id
-- $23 = days
-- $24 = confirmed
-- $25 = numbers
INSERT INTO sales (occurred_at, confirmed_at, installment_number, account_id, entity_id, original_sale_id,
			installment_count,
			sale_account_id, payment_method, issuer, document, document_emission_date, provider_code, competency_month, description, observation, nominal_amount, interest_amount, ticket_amount, discount_amount, total_amount, total_taxes, category_id, person_id, classification_center_id)
		SELECT r.occurred_at::date, nullif(r.confirmed_at, '')::date, nullif(r.number, '')::int, $1, $2,
			$3, $4,
			$5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22
		FROM unnest($23::text[], $24::text[], $25::text[]) WITH ORDINALITY AS r (occurred_at,
			confirmed_at, number, line)
		ORDER BY r.line RETURNING id
