-- $1 = account
-- $2 = entity
-- $3 = sales
INSERT INTO sales (account_id, entity_id, id, occurred_at, confirmed_at, installment_number, installment_count, original_sale_id, external_id, sale_account_id, payment_method, issuer, document, document_emission_date, provider_code, competency_month, description, observation, nominal_amount, interest_amount, ticket_amount, discount_amount, total_amount, total_taxes, category_id, person_id, classification_center_id)
		SELECT $1, $2, n.id, n.occurred_at, n.confirmed_at, n.installment_number, n.installment_count, n.original_sale_id, n.external_id, n.sale_account_id, n.payment_method, n.issuer, n.document, n.document_emission_date, n.provider_code, n.competency_month, n.description, n.observation, n.nominal_amount, n.interest_amount, n.ticket_amount, n.discount_amount, n.total_amount, n.total_taxes, n.category_id, n.person_id, n.classification_center_id
		FROM json_populate_recordset(NULL::sales, $3) n ORDER BY n.id
