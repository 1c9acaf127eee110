-- $1 = account
-- $2 = entity
-- $3 = kind
-- $4 = id
SELECT f.id, f.external_id, f.account_id, f.entity_id, f.kind, f.status, f.due_date,
	f.occurred_at, f.total_amount,
	f.withheld_tax_amount, f.fee_amount, f.before_reconcile -> 'new' IS NOT NULL AS new_in_reconcile, f.competency_month, f.reminded_at, f.amount, f.ticket_amount, f.interest_amount, f.discount_amount, f.description, f.document, f.document_emission_date, f.observation, f.remind, f.category_id, f.classification_center_id, f.expected_deposit_account_id, f.person_id, f.recurrence_id, f.recurrence_period, f.number_of_parcels, f.current_parcel, f.creator_id, f.created_at,
	f.updated_at,
	(SELECT max(p.id) FROM financial_accounts p
		WHERE p.account_id = f.account_id AND p.recurrence_id = f.recurrence_id AND p.id < f.id) AS previous_id,
	(SELECT min(n.id) FROM financial_accounts n
		WHERE n.account_id = f.account_id AND n.recurrence_id = f.recurrence_id AND n.id > f.id) AS next_id,
	(SELECT coalesce(json_agg(json_build_object('TaxID', x.tax_id, 'Amount', x.amount::text) ORDER BY x.line), '[]')
		FROM financial_account_taxes x WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS taxes,
	f.credit_card_invoice_id, f.reconcile_id, f.sale_account_id, f.sales_count, CASE WHEN f.sale_account_id IS NULL
		THEN '[]' ELSE (
		SELECT coalesce(json_agg(json_build_object('ID', m.id)), '[]') FROM (
			SELECT id FROM sales s WHERE account_id = f.account_id AND financial_account_id = f.id AND (s.sale_account_id <> ALL (ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE ORDER BY id LIMIT 20) m) END AS sales,
	(
		SELECT coalesce(json_agg(x.attachment_id ORDER BY x.attachment_id), '[]') FROM financial_account_attachments x
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS attachment_ids, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName',
			k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM financial_account_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id
			AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM financial_account_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id
			AND z.deleted_at IS NULL
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS center_classifications,
	CASE WHEN f.reconcile_id IS NULL THEN '[]' ELSE (
		SELECT coalesce(json_agg(json_build_object('ID', m.id, 'DepositAccountID', m.deposit_account_id)), '[]') FROM (
			SELECT id, deposit_account_id FROM financial_transactions t
			WHERE account_id = f.account_id AND reconcile_id = f.reconcile_id AND (t.deposit_account_id <> ALL (ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE ORDER BY id LIMIT 20) m) END AS reconciled_with FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2
	AND f.kind = $3 AND f.id = $4
		AND (f.credit_card_invoice_id <> ALL (ARRAY(SELECT id FROM credit_card_invoices
			WHERE account_id = $1 AND credit_card_id = ANY (ARRAY(SELECT id FROM credit_cards WHERE account_id = $1 AND deleted_at IS NOT NULL))))) IS NOT FALSE AND (f.sale_account_id <> ALL (ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE
