-- $1 = 1
SELECT EXISTS (SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL) OR EXISTS (SELECT id FROM credit_cards WHERE account_id = $1 AND deleted_at IS NOT NULL)
		OR EXISTS (SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL);

-- $1 = 1
-- $2 = 2
-- $3 = 7.0, for amount_difference_gte
-- $4 = 7.0, for amount_difference_lte
-- $5 = 7, for category_full_name_equals
-- $6 = 7, for category_id_equals
-- $7 = true, for category_id_is_null
-- $8 = 7, for category_tree
-- $9 = 7, for classification_center_id_equals
-- $10 = true, for classification_center_id_is_null
-- $11 = 7, for classification_center_name_equals
-- $12 = 2026-01-01, for competency_month_gte
-- $13 = 2026-01-01, for competency_month_lte
-- $14 = 2026-01-31, for confirmed_at_gte
-- $15 = 2026-01-31, for confirmed_at_lte
-- $16 = [7:texto], for custom_classifications_equal
-- $17 = %7%, for description_contains
-- $18 = 7.0, for discount_amount_gte
-- $19 = 7.0, for discount_amount_lte
-- $20 = 2026-01-31, for document_emission_date_gte
-- $21 = 2026-01-31, for document_emission_date_lte
-- $22 = 7, for document_equals
-- $23 = 2026-01-31, for estimated_liquidated_at_gte
-- $24 = 2026-01-31, for estimated_liquidated_at_lte
-- $25 = 7, for external_id_equals
-- $26 = 7.0, for fee_percentage_amount_gte
-- $27 = 7.0, for fee_percentage_amount_lte
-- $28 = 7.0, for fee_percentage_gte
-- $29 = 7.0, for fee_percentage_lte
-- $30 = 7.0, for fixed_fee_amount_gte
-- $31 = 7.0, for fixed_fee_amount_lte
-- $32 = [7], for ids
-- $33 = 7.0, for interest_amount_gte
-- $34 = 7.0, for interest_amount_lte
-- $35 = Visa, for issuer
-- $36 = 2026-01-31, for liquidated_at_gte
-- $37 = 2026-01-31, for liquidated_at_lte
-- $38 = 7.0, for nominal_amount_gte
-- $39 = 7.0, for nominal_amount_lte
-- $40 = %7%, for observation_contains
-- $41 = 2026-01-31, for occurred_at_gte
-- $42 = 2026-01-31, for occurred_at_lte
-- $43 = billet, for payment_method
-- $44 = 7, for person_id_equals
-- $45 = true, for person_id_is_null
-- $46 = 7, for person_name_equals
-- $47 = 7, for provider_code_equals
-- $48 = 7, for receivable_account_id
-- $49 = 2026-01-01, for reconciled_in
-- $50 = 7, for sale_account_id
-- $51 = 1, for status
-- $52 = true, for subcategory_is_null
-- $53 = 7.0, for ticket_amount_gte
-- $54 = 7.0, for ticket_amount_lte
-- $55 = 7.0, for total_amount_gte
-- $56 = 7.0, for total_amount_lte
-- $57 = 7.0, for total_taxes_gte
-- $58 = 7.0, for total_taxes_lte
-- $59 = 2026-01-31T00:00:00, for updated_at_gte
-- $60 = 30, for size
-- $61 = 30, for offset
/* planned each time */ SELECT s.id
FROM sale_texts t JOIN sales s ON s.account_id = t.account_id AND s.id = t.sale_id
		WHERE t.account_id = $1 AND t.entity_id = $2 AND s.amount_difference >= CAST($3 AS numeric) AND s.amount_difference <= CAST($4 AS numeric) AND s.category_id = ANY (ARRAY(SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND full_name = $5)) AND s.category_id = $6 AND (s.category_id IS NULL OR s.category_id = ANY (ARRAY(
		SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NOT NULL))) = $7 AND s.category_id = ANY (ARRAY(
		WITH RECURSIVE tree AS (
			SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND id = $8
			UNION ALL
			SELECT c.id FROM tree JOIN categories c ON c.account_id = $1 AND c.parent_id = tree.id
				AND c.deleted_at IS NULL)
		SELECT id FROM tree)) AND s.classification_center_id = $9 AND (s.classification_center_id IS NULL) = $10 AND s.classification_center_id = ANY (ARRAY(SELECT id FROM classification_centers WHERE account_id = $1 AND deleted_at IS NULL AND name = $11)) AND s.competency_month >= CAST($12 AS date) AND s.competency_month <= CAST($13 AS date) AND s.confirmed_at >= CAST($14 AS date) AND s.confirmed_at <= CAST($15 AS date) AND s.id IN (
		SELECT x.sale_id
		FROM unnest(CAST($16 AS text[])) WITH ORDINALITY AS w (named, line)
		JOIN custom_classifier_values v ON v.account_id = $1 AND v.custom_classifier_id = split_part(w.named, ':',
			1)::bigint
			AND fold(v.value) = fold(substr(w.named, strpos(w.named, ':') + 1)) AND v.deleted_at IS NULL
		JOIN sale_custom_classifications x ON x.account_id = $1 AND x.custom_classifier_value_id = v.id
		GROUP BY x.sale_id HAVING count(DISTINCT w.line) = cardinality(CAST($16 AS text[]))) AND t.description LIKE fold($17) AND s.discount_amount >= CAST($18 AS numeric) AND s.discount_amount <= CAST($19 AS numeric) AND s.document_emission_date >= CAST($20 AS date) AND s.document_emission_date <= CAST($21 AS date) AND s.document = $22 AND s.estimated_liquidated_at >= CAST($23 AS date) AND s.estimated_liquidated_at <= CAST($24 AS date) AND s.external_id = $25 AND s.fee_percentage_amount >= CAST($26 AS numeric) AND s.fee_percentage_amount <= CAST($27 AS numeric) AND coalesce(s.fee_percentage, 0) >= CAST($28 AS numeric) AND coalesce(s.fee_percentage, 0) <= CAST($29 AS numeric) AND s.fixed_fee_amount >= CAST($30 AS numeric) AND s.fixed_fee_amount <= CAST($31 AS numeric) AND s.id = ANY(CAST($32 AS bigint[])) AND s.interest_amount >= CAST($33 AS numeric) AND s.interest_amount <= CAST($34 AS numeric) AND s.issuer = $35 AND s.liquidated_at >= CAST($36 AS date) AND s.liquidated_at <= CAST($37 AS date) AND s.nominal_amount >= CAST($38 AS numeric) AND s.nominal_amount <= CAST($39 AS numeric) AND t.observation LIKE fold($40) AND s.occurred_at >= CAST($41 AS date) AND s.occurred_at <= CAST($42 AS date) AND s.payment_method = $43 AND s.person_id = $44 AND (s.person_id IS NULL) = $45 AND s.person_id = ANY (ARRAY(SELECT id FROM people WHERE account_id = $1 AND deleted_at IS NULL AND fold(name) = fold($46) AND name = $46)) AND s.provider_code = $47 AND s.financial_account_id = $48 AND s.financial_account_id IN (
		SELECT f.id FROM financial_accounts f WHERE f.account_id = $1 AND f.reconcile_id IN (
		SELECT r.id FROM reconciles r WHERE r.account_id = $1 AND r.month = CAST($49 AS date)
		UNION ALL
		SELECT r.id FROM reconciles r WHERE r.account_id = $1 AND r.month IS NULL AND EXISTS (
			SELECT FROM financial_transactions x WHERE x.account_id = $1 AND x.reconcile_id = r.id
				AND x.occurred_at >= CAST($49 AS date) AND x.occurred_at < CAST($49 AS date) + interval '1 month'))) AND s.sale_account_id = $50 AND s.status = CASE CAST($51 AS int) WHEN 4 THEN 0 ELSE CAST($51 AS int) END AND (CAST($51 AS int) <> 4 OR NOT s.awaiting_pricing) AND CAST($52 AS boolean) IS NOT NULL AND s.ticket_amount >= CAST($53 AS numeric) AND s.ticket_amount <= CAST($54 AS numeric) AND s.total_amount >= CAST($55 AS numeric) AND s.total_amount <= CAST($56 AS numeric) AND s.total_taxes >= CAST($57 AS numeric) AND s.total_taxes <= CAST($58 AS numeric) AND s.updated_at >= CAST($59 AS timestamptz)
ORDER BY s.id + 0 LIMIT nullif($60, 0) OFFSET $61;

-- $1 = 1
-- $2 = 2
-- $3 = 7.0, for amount_difference_gte
-- $4 = 7.0, for amount_difference_lte
-- $5 = 7, for category_full_name_equals
-- $6 = 7, for category_id_equals
-- $7 = true, for category_id_is_null
-- $8 = 7, for category_tree
-- $9 = 7, for classification_center_id_equals
-- $10 = true, for classification_center_id_is_null
-- $11 = 7, for classification_center_name_equals
-- $12 = 2026-01-01, for competency_month_gte
-- $13 = 2026-01-01, for competency_month_lte
-- $14 = 2026-01-31, for confirmed_at_gte
-- $15 = 2026-01-31, for confirmed_at_lte
-- $16 = [7:texto], for custom_classifications_equal
-- $17 = %7%, for description_contains
-- $18 = 7.0, for discount_amount_gte
-- $19 = 7.0, for discount_amount_lte
-- $20 = 2026-01-31, for document_emission_date_gte
-- $21 = 2026-01-31, for document_emission_date_lte
-- $22 = 7, for document_equals
-- $23 = 2026-01-31, for estimated_liquidated_at_gte
-- $24 = 2026-01-31, for estimated_liquidated_at_lte
-- $25 = 7, for external_id_equals
-- $26 = 7.0, for fee_percentage_amount_gte
-- $27 = 7.0, for fee_percentage_amount_lte
-- $28 = 7.0, for fee_percentage_gte
-- $29 = 7.0, for fee_percentage_lte
-- $30 = 7.0, for fixed_fee_amount_gte
-- $31 = 7.0, for fixed_fee_amount_lte
-- $32 = [7], for ids
-- $33 = 7.0, for interest_amount_gte
-- $34 = 7.0, for interest_amount_lte
-- $35 = Visa, for issuer
-- $36 = 2026-01-31, for liquidated_at_gte
-- $37 = 2026-01-31, for liquidated_at_lte
-- $38 = 7.0, for nominal_amount_gte
-- $39 = 7.0, for nominal_amount_lte
-- $40 = %7%, for observation_contains
-- $41 = 2026-01-31, for occurred_at_gte
-- $42 = 2026-01-31, for occurred_at_lte
-- $43 = billet, for payment_method
-- $44 = 7, for person_id_equals
-- $45 = true, for person_id_is_null
-- $46 = 7, for person_name_equals
-- $47 = 7, for provider_code_equals
-- $48 = 7, for receivable_account_id
-- $49 = 2026-01-01, for reconciled_in
-- $50 = 7, for sale_account_id
-- $51 = 1, for status
-- $52 = true, for subcategory_is_null
-- $53 = 7.0, for ticket_amount_gte
-- $54 = 7.0, for ticket_amount_lte
-- $55 = 7.0, for total_amount_gte
-- $56 = 7.0, for total_amount_lte
-- $57 = 7.0, for total_taxes_gte
-- $58 = 7.0, for total_taxes_lte
-- $59 = 2026-01-31T00:00:00, for updated_at_gte
/* planned each time */ SELECT count(*) FROM sale_texts t JOIN sales s ON s.account_id = t.account_id AND s.id = t.sale_id
		WHERE t.account_id = $1 AND t.entity_id = $2 AND s.amount_difference >= CAST($3 AS numeric) AND s.amount_difference <= CAST($4 AS numeric) AND s.category_id = ANY (ARRAY(SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND full_name = $5)) AND s.category_id = $6 AND (s.category_id IS NULL OR s.category_id = ANY (ARRAY(
		SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NOT NULL))) = $7 AND s.category_id = ANY (ARRAY(
		WITH RECURSIVE tree AS (
			SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND id = $8
			UNION ALL
			SELECT c.id FROM tree JOIN categories c ON c.account_id = $1 AND c.parent_id = tree.id
				AND c.deleted_at IS NULL)
		SELECT id FROM tree)) AND s.classification_center_id = $9 AND (s.classification_center_id IS NULL) = $10 AND s.classification_center_id = ANY (ARRAY(SELECT id FROM classification_centers WHERE account_id = $1 AND deleted_at IS NULL AND name = $11)) AND s.competency_month >= CAST($12 AS date) AND s.competency_month <= CAST($13 AS date) AND s.confirmed_at >= CAST($14 AS date) AND s.confirmed_at <= CAST($15 AS date) AND s.id IN (
		SELECT x.sale_id
		FROM unnest(CAST($16 AS text[])) WITH ORDINALITY AS w (named, line)
		JOIN custom_classifier_values v ON v.account_id = $1 AND v.custom_classifier_id = split_part(w.named, ':',
			1)::bigint
			AND fold(v.value) = fold(substr(w.named, strpos(w.named, ':') + 1)) AND v.deleted_at IS NULL
		JOIN sale_custom_classifications x ON x.account_id = $1 AND x.custom_classifier_value_id = v.id
		GROUP BY x.sale_id HAVING count(DISTINCT w.line) = cardinality(CAST($16 AS text[]))) AND t.description LIKE fold($17) AND s.discount_amount >= CAST($18 AS numeric) AND s.discount_amount <= CAST($19 AS numeric) AND s.document_emission_date >= CAST($20 AS date) AND s.document_emission_date <= CAST($21 AS date) AND s.document = $22 AND s.estimated_liquidated_at >= CAST($23 AS date) AND s.estimated_liquidated_at <= CAST($24 AS date) AND s.external_id = $25 AND s.fee_percentage_amount >= CAST($26 AS numeric) AND s.fee_percentage_amount <= CAST($27 AS numeric) AND coalesce(s.fee_percentage, 0) >= CAST($28 AS numeric) AND coalesce(s.fee_percentage, 0) <= CAST($29 AS numeric) AND s.fixed_fee_amount >= CAST($30 AS numeric) AND s.fixed_fee_amount <= CAST($31 AS numeric) AND s.id = ANY(CAST($32 AS bigint[])) AND s.interest_amount >= CAST($33 AS numeric) AND s.interest_amount <= CAST($34 AS numeric) AND s.issuer = $35 AND s.liquidated_at >= CAST($36 AS date) AND s.liquidated_at <= CAST($37 AS date) AND s.nominal_amount >= CAST($38 AS numeric) AND s.nominal_amount <= CAST($39 AS numeric) AND t.observation LIKE fold($40) AND s.occurred_at >= CAST($41 AS date) AND s.occurred_at <= CAST($42 AS date) AND s.payment_method = $43 AND s.person_id = $44 AND (s.person_id IS NULL) = $45 AND s.person_id = ANY (ARRAY(SELECT id FROM people WHERE account_id = $1 AND deleted_at IS NULL AND fold(name) = fold($46) AND name = $46)) AND s.provider_code = $47 AND s.financial_account_id = $48 AND s.financial_account_id IN (
		SELECT f.id FROM financial_accounts f WHERE f.account_id = $1 AND f.reconcile_id IN (
		SELECT r.id FROM reconciles r WHERE r.account_id = $1 AND r.month = CAST($49 AS date)
		UNION ALL
		SELECT r.id FROM reconciles r WHERE r.account_id = $1 AND r.month IS NULL AND EXISTS (
			SELECT FROM financial_transactions x WHERE x.account_id = $1 AND x.reconcile_id = r.id
				AND x.occurred_at >= CAST($49 AS date) AND x.occurred_at < CAST($49 AS date) + interval '1 month'))) AND s.sale_account_id = $50 AND s.status = CASE CAST($51 AS int) WHEN 4 THEN 0 ELSE CAST($51 AS int) END AND (CAST($51 AS int) <> 4 OR NOT s.awaiting_pricing) AND CAST($52 AS boolean) IS NOT NULL AND s.ticket_amount >= CAST($53 AS numeric) AND s.ticket_amount <= CAST($54 AS numeric) AND s.total_amount >= CAST($55 AS numeric) AND s.total_amount <= CAST($56 AS numeric) AND s.total_taxes >= CAST($57 AS numeric) AND s.total_taxes <= CAST($58 AS numeric) AND s.updated_at >= CAST($59 AS timestamptz);

-- $1 = 1
-- $2 = []
SELECT s.id, s.account_id, s.entity_id, s.status, s.awaiting_pricing, s.occurred_at, s.confirmed_at, s.external_id, s.sale_account_id, s.payment_method, s.issuer, s.document, s.document_emission_date, s.provider_code, s.competency_month, s.description, s.observation, s.nominal_amount, s.interest_amount, s.ticket_amount, s.discount_amount, s.total_amount, s.total_taxes, s.category_id, s.person_id, s.classification_center_id,
	s.sale_rule_id, s.financial_account_id, s.fee_percentage, s.fee_percentage_amount, s.fixed_fee_amount,
		s.receivable_amount,
	s.days_to_liquidation, s.liquidation_weekday, s.estimated_liquidated_at, s.liquidated_at, s.amount_difference,
		s.installment_number,
	s.installment_count, s.original_sale_id, s.created_at, s.updated_at,
	(SELECT coalesce(json_agg(json_build_object('ID', x.id, 'TaxID', x.tax_id, 'Amount', x.amount::text)
		ORDER BY x.id), '[]')
		FROM sale_taxes x WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS taxes,
	(SELECT coalesce(json_agg(json_build_object('ID', i.id, 'InstallmentNumber', i.installment_number,
			'NominalAmount', i.nominal_amount::text, 'Status', i.status) ORDER BY i.installment_number, i.id), '[]')
		FROM sales i WHERE i.account_id = s.account_id AND i.original_sale_id = s.id AND (i.sale_account_id <> ALL (ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE) AS installments,
	(SELECT coalesce(json_agg(json_build_object('ID', a.id, 'EntityID', a.entity_id, 'Title', a.title,
		'AttachmentFileName', a.attachment_file_name,
			'AttachmentContentType', a.attachment_content_type, 'AttachmentFileSize', a.attachment_file_size)
				ORDER BY a.id), '[]')
		FROM sale_attachments x JOIN attachments a ON a.account_id = x.account_id AND a.id = x.attachment_id
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS attachments,
	(
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM sale_attachments x
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS attachment_ids, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName',
			k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id
			AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id
			AND z.deleted_at IS NULL
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS center_classifications FROM sales s WHERE s.account_id = $1 AND s.id = ANY($2) ORDER BY s.id;

-- $1 = 1
-- $2 = 2
-- $3 = 7
-- $4 = 31
SELECT s.id, ARRAY[CAST(s.id AS text)]
FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND (s.id) > (CAST($3 AS bigint))
ORDER BY s.id LIMIT $4;
