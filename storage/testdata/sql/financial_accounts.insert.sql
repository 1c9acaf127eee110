-- $1 = account
-- $2 = status
-- $3 = day
-- $4 = total
-- $5 = external_id
-- $6 = period
-- $7 = ids
-- $8 = parcels
-- $9 = entity
-- $10 = kind
-- $11 = creator
-- $12 = amount
-- $13 = ticket_amount
-- $14 = interest_amount
-- $15 = discount_amount
-- $16 = description
-- $17 = document
-- $18 = document_emission_date
-- $19 = observation
-- $20 = remind
-- $21 = category_id
-- $22 = classification_center_id
-- $23 = expected_deposit_account_id
-- $24 = person_id
-- $25 = due_dates
-- $26 = months
INSERT INTO financial_accounts (id, due_date, competency_month, status, occurred_at, total_amount, external_id,
			recurrence_id, current_parcel,
			account_id, entity_id, kind, creator_id, recurrence_period, number_of_parcels, amount, ticket_amount, interest_amount, discount_amount, description, document, document_emission_date, observation, remind, category_id, classification_center_id, expected_deposit_account_id, person_id)
		SELECT r.id, r.due_date, r.competency_month, CASE r.line WHEN 1 THEN $2::smallint ELSE 1 END,
			CASE r.line WHEN 1 THEN $3::date END, CASE r.line WHEN 1 THEN $4::numeric END,
			CASE r.line WHEN 1 THEN $5::text END,
			CASE WHEN $6::text IS NOT NULL THEN ($7::bigint[])[1] END, CASE WHEN $8::int IS NOT NULL
				THEN r.line END,
			$1, $9, $10, $11, $6, $8, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24
		FROM unnest($7::bigint[], $25::date[], $26::date[]) WITH ORDINALITY AS r (id, due_date,
			competency_month, line)
