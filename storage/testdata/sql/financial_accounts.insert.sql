-- $1 = account
-- $2 = status
-- $3 = day
-- $4 = total
-- $5 = period
-- $6 = ids
-- $7 = parcels
-- $8 = entity
-- $9 = kind
-- $10 = creator
-- $11 = amount
-- $12 = ticket_amount
-- $13 = interest_amount
-- $14 = discount_amount
-- $15 = description
-- $16 = document
-- $17 = document_emission_date
-- $18 = observation
-- $19 = remind
-- $20 = category_id
-- $21 = classification_center_id
-- $22 = expected_deposit_account_id
-- $23 = person_id
-- $24 = due_dates
-- $25 = months
INSERT INTO financial_accounts (id, due_date, competency_month, status, occurred_at, total_amount,
			recurrence_id, current_parcel,
			account_id, entity_id, kind, creator_id, recurrence_period, number_of_parcels, amount, ticket_amount, interest_amount, discount_amount, description, document, document_emission_date, observation, remind, category_id, classification_center_id, expected_deposit_account_id, person_id)
		SELECT r.id, r.due_date, r.competency_month, CASE r.line WHEN 1 THEN $2::smallint ELSE 1 END,
			CASE r.line WHEN 1 THEN $3::date END, CASE r.line WHEN 1 THEN $4::numeric END,
			CASE WHEN $5::text IS NOT NULL THEN ($6::bigint[])[1] END, CASE WHEN $7::int IS NOT NULL
				THEN r.line END,
			$1, $8, $9, $10, $5, $7, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23
		FROM unnest($6::bigint[], $24::date[], $25::date[]) WITH ORDINALITY AS r (id, due_date,
			competency_month, line)
