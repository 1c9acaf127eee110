-- $1 = account
-- $2 = sees_all
-- $3 = entities
-- $4 = id
SELECT a.id, a.account_id, a.entity_id, a.name, a.provider, a.description, a.payment_methods, a.consolidate, a.category_id, a.person_id, a.classification_center_id, a.expected_deposit_account_id, a.created_at, a.updated_at, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName',
			k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_account_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id
			AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = a.account_id AND x.sale_account_id = a.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_account_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id
			AND z.deleted_at IS NULL
		WHERE x.account_id = a.account_id AND x.sale_account_id = a.id) AS center_classifications FROM sale_accounts a WHERE a.account_id = $1 AND a.deleted_at IS NULL
	AND ($2 OR a.entity_id = ANY($3)) AND a.id = $4
