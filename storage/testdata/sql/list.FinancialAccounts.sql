-- $1 = 1
SELECT EXISTS (SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL) OR EXISTS (SELECT id FROM credit_cards WHERE account_id = $1 AND deleted_at IS NOT NULL)
		OR EXISTS (SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL);

-- $1 = 1
-- $2 = 2
-- $3 = payable
-- $4 = 7.0, for amount_equals
-- $5 = 7.0, for amount_gte
-- $6 = 7.0, for amount_lte
-- $7 = 7, for category_full_name_equals
-- $8 = 7, for category_id_equals
-- $9 = true, for category_id_is_null
-- $10 = 7, for category_tree
-- $11 = 7, for classification_center_id_equals
-- $12 = true, for classification_center_id_is_null
-- $13 = 7, for classification_center_name_equals
-- $14 = 2026-01-01, for competency_month_gte
-- $15 = 2026-01-01, for competency_month_lte
-- $16 = true, for credit_card_invoice_id_is_null
-- $17 = %7%, for description_contains
-- $18 = %7%, for description_like
-- $19 = 7, for document_equals
-- $20 = 2026-01-31, for due_date_gte
-- $21 = 2026-01-31, for due_date_lte
-- $22 = 7, for expected_deposit_account_id_equals
-- $23 = true, for expected_deposit_account_id_is_null
-- $24 = 7, for external_id_equals
-- $25 = [7], for ids
-- $26 = 2026-01-31, for occurred_at_gte
-- $27 = 2026-01-31, for occurred_at_lte
-- $28 = 2026-01-31, for open_on
-- $29 = 7, for person_id_equals
-- $30 = true, for person_id_is_null
-- $31 = 7, for person_name_equals
-- $32 = 2026-01-01, for reconciled_in
-- $33 = true, for sale_account_id_is_null
-- $34 = 7, for status_equals
-- $35 = 2026-01-31T00:00:00, for updated_at_gte
-- $36 = 30, for size
-- $37 = 30, for offset
/* planned each time */ SELECT f.id
FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2
	AND f.kind = $3 AND f.amount = CAST($4 AS numeric) AND f.amount >= CAST($5 AS numeric) AND f.amount <= CAST($6 AS numeric) AND f.category_id IN (SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND full_name = $7) AND f.category_id = $8 AND (f.category_id IS NULL OR f.category_id = ANY (ARRAY(
		SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NOT NULL))) = $9 AND f.category_id = ANY (ARRAY(
		WITH RECURSIVE tree AS (
			SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND id = $10
			UNION ALL
			SELECT c.id FROM tree JOIN categories c ON c.account_id = $1 AND c.parent_id = tree.id
				AND c.deleted_at IS NULL)
		SELECT id FROM tree)) AND f.classification_center_id = $11 AND (f.classification_center_id IS NULL) = $12 AND f.classification_center_id IN (SELECT id FROM classification_centers WHERE account_id = $1 AND deleted_at IS NULL AND name = $13) AND f.competency_month >= CAST($14 AS date) AND f.competency_month <= CAST($15 AS date) AND (f.credit_card_invoice_id IS NULL) = $16 AND fold(f.description) LIKE fold($17) AND fold(f.description) LIKE fold($18) AND f.document = $19 AND f.due_date >= CAST($20 AS date) AND f.due_date <= CAST($21 AS date) AND f.expected_deposit_account_id = $22 AND (f.expected_deposit_account_id IS NULL) = $23 AND f.external_id = $24 AND f.id = ANY(CAST($25 AS bigint[])) AND f.occurred_at >= CAST($26 AS date) AND f.occurred_at <= CAST($27 AS date) AND (f.due_date <= CAST($28 AS date) OR f.created_at < CAST($28 AS date) + 1)
		AND (f.occurred_at IS NULL OR f.occurred_at > CAST($28 AS date)) AND f.person_id = $29 AND (f.person_id IS NULL) = $30 AND f.person_id IN (SELECT id FROM people WHERE account_id = $1 AND deleted_at IS NULL AND fold(name) = fold($31) AND name = $31) AND f.reconcile_id IN (
		SELECT r.id FROM reconciles r WHERE r.account_id = $1 AND r.month = CAST($32 AS date)
		UNION ALL
		SELECT r.id FROM reconciles r WHERE r.account_id = $1 AND r.month IS NULL AND EXISTS (
			SELECT FROM financial_transactions x WHERE x.account_id = $1 AND x.reconcile_id = r.id
				AND x.occurred_at >= CAST($32 AS date) AND x.occurred_at < CAST($32 AS date) + interval '1 month')) AND (f.sale_account_id IS NULL) = $33 AND f.status = CAST($34 AS int) AND f.updated_at >= CAST($35 AS timestamptz)
ORDER BY f.due_date + 0, f.id LIMIT nullif($36, 0) OFFSET $37;

-- $1 = 1
-- $2 = 2
-- $3 = payable
-- $4 = 7.0, for amount_equals
-- $5 = 7.0, for amount_gte
-- $6 = 7.0, for amount_lte
-- $7 = 7, for category_full_name_equals
-- $8 = 7, for category_id_equals
-- $9 = true, for category_id_is_null
-- $10 = 7, for category_tree
-- $11 = 7, for classification_center_id_equals
-- $12 = true, for classification_center_id_is_null
-- $13 = 7, for classification_center_name_equals
-- $14 = 2026-01-01, for competency_month_gte
-- $15 = 2026-01-01, for competency_month_lte
-- $16 = true, for credit_card_invoice_id_is_null
-- $17 = %7%, for description_contains
-- $18 = %7%, for description_like
-- $19 = 7, for document_equals
-- $20 = 2026-01-31, for due_date_gte
-- $21 = 2026-01-31, for due_date_lte
-- $22 = 7, for expected_deposit_account_id_equals
-- $23 = true, for expected_deposit_account_id_is_null
-- $24 = 7, for external_id_equals
-- $25 = [7], for ids
-- $26 = 2026-01-31, for occurred_at_gte
-- $27 = 2026-01-31, for occurred_at_lte
-- $28 = 2026-01-31, for open_on
-- $29 = 7, for person_id_equals
-- $30 = true, for person_id_is_null
-- $31 = 7, for person_name_equals
-- $32 = 2026-01-01, for reconciled_in
-- $33 = true, for sale_account_id_is_null
-- $34 = 7, for status_equals
-- $35 = 2026-01-31T00:00:00, for updated_at_gte
/* planned each time */ SELECT count(*) FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2
	AND f.kind = $3 AND f.amount = CAST($4 AS numeric) AND f.amount >= CAST($5 AS numeric) AND f.amount <= CAST($6 AS numeric) AND f.category_id IN (SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND full_name = $7) AND f.category_id = $8 AND (f.category_id IS NULL OR f.category_id = ANY (ARRAY(
		SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NOT NULL))) = $9 AND f.category_id = ANY (ARRAY(
		WITH RECURSIVE tree AS (
			SELECT id FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND id = $10
			UNION ALL
			SELECT c.id FROM tree JOIN categories c ON c.account_id = $1 AND c.parent_id = tree.id
				AND c.deleted_at IS NULL)
		SELECT id FROM tree)) AND f.classification_center_id = $11 AND (f.classification_center_id IS NULL) = $12 AND f.classification_center_id IN (SELECT id FROM classification_centers WHERE account_id = $1 AND deleted_at IS NULL AND name = $13) AND f.competency_month >= CAST($14 AS date) AND f.competency_month <= CAST($15 AS date) AND (f.credit_card_invoice_id IS NULL) = $16 AND fold(f.description) LIKE fold($17) AND fold(f.description) LIKE fold($18) AND f.document = $19 AND f.due_date >= CAST($20 AS date) AND f.due_date <= CAST($21 AS date) AND f.expected_deposit_account_id = $22 AND (f.expected_deposit_account_id IS NULL) = $23 AND f.external_id = $24 AND f.id = ANY(CAST($25 AS bigint[])) AND f.occurred_at >= CAST($26 AS date) AND f.occurred_at <= CAST($27 AS date) AND (f.due_date <= CAST($28 AS date) OR f.created_at < CAST($28 AS date) + 1)
		AND (f.occurred_at IS NULL OR f.occurred_at > CAST($28 AS date)) AND f.person_id = $29 AND (f.person_id IS NULL) = $30 AND f.person_id IN (SELECT id FROM people WHERE account_id = $1 AND deleted_at IS NULL AND fold(name) = fold($31) AND name = $31) AND f.reconcile_id IN (
		SELECT r.id FROM reconciles r WHERE r.account_id = $1 AND r.month = CAST($32 AS date)
		UNION ALL
		SELECT r.id FROM reconciles r WHERE r.account_id = $1 AND r.month IS NULL AND EXISTS (
			SELECT FROM financial_transactions x WHERE x.account_id = $1 AND x.reconcile_id = r.id
				AND x.occurred_at >= CAST($32 AS date) AND x.occurred_at < CAST($32 AS date) + interval '1 month')) AND (f.sale_account_id IS NULL) = $33 AND f.status = CAST($34 AS int) AND f.updated_at >= CAST($35 AS timestamptz);

-- $1 = 1
-- $2 = []
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
			WHERE account_id = f.account_id AND reconcile_id = f.reconcile_id AND (t.deposit_account_id <> ALL (ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE ORDER BY id LIMIT 20) m) END AS reconciled_with
		FROM financial_accounts f WHERE f.account_id = $1 AND f.id = ANY($2) ORDER BY f.due_date, f.id;

-- $1 = 1
-- $2 = 2
-- $3 = payable
-- $4 = 7
-- $5 = 2026-01-31
-- $6 = 7
-- $7 = 31
SELECT f.id, ARRAY[CAST(f.status AS text), CAST(f.due_date AS text), CAST(f.id AS text)]
FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2
	AND f.kind = $3 AND (f.status, f.due_date, f.id) > (CAST($4 AS int), CAST($5 AS date), CAST($6 AS bigint))
ORDER BY f.status, f.due_date, f.id LIMIT $7;

-- $1 = 1
-- $2 = []
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
			WHERE account_id = f.account_id AND reconcile_id = f.reconcile_id AND (t.deposit_account_id <> ALL (ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE ORDER BY id LIMIT 20) m) END AS reconciled_with
		FROM financial_accounts f WHERE f.account_id = $1 AND f.id = ANY($2) ORDER BY f.status, f.due_date, f.id;
