-- $1 = account
-- $2 = entity
-- $3 = id
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
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS center_classifications FROM sales s WHERE s.account_id = $1 AND s.entity_id = $2 AND s.id = $3 AND (s.sale_account_id <> ALL (ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE
