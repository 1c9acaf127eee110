-- $1 = account
-- $2 = entity
-- $3 = kind
-- $4 = creator
-- $5 = accounts
INSERT INTO financial_accounts (account_id, entity_id, kind, creator_id, id, external_id, status, due_date, competency_month, occurred_at, total_amount, recurrence_id, recurrence_period, number_of_parcels, current_parcel, amount, ticket_amount, interest_amount, discount_amount, description, document, document_emission_date, observation, remind, category_id, classification_center_id, expected_deposit_account_id, person_id)
		SELECT $1, $2, $3, $4, n.id, n.external_id, n.status, n.due_date, n.competency_month, n.occurred_at, n.total_amount, n.recurrence_id, n.recurrence_period, n.number_of_parcels, n.current_parcel, n.amount, n.ticket_amount, n.interest_amount, n.discount_amount, n.description, n.document, n.document_emission_date, n.observation, n.remind, n.category_id, n.classification_center_id, n.expected_deposit_account_id, n.person_id
		FROM json_populate_recordset(NULL::financial_accounts, $5) n ORDER BY n.id
