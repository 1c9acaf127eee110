-- $1 = 1
-- $2 = false
-- $3 = [2]
-- $4 = 7, for entity_id_equals
-- $5 = [7], for ids
-- $6 = 7, for name_equals
-- $7 = 2026-01-31T00:00:00, for updated_at_gte
-- $8 = 30, for size
-- $9 = 30, for offset
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
		WHERE x.account_id = a.account_id AND x.sale_account_id = a.id) AS center_classifications
FROM sale_accounts a WHERE a.account_id = $1 AND a.deleted_at IS NULL
	AND ($2 OR a.entity_id = ANY($3)) AND a.entity_id = $4 AND a.id = ANY(CAST($5 AS bigint[])) AND a.name = $6 AND a.updated_at >= CAST($7 AS timestamptz)
ORDER BY a.id + 0 LIMIT nullif($8, 0) OFFSET $9;

-- $1 = 1
-- $2 = false
-- $3 = [2]
-- $4 = 7, for entity_id_equals
-- $5 = [7], for ids
-- $6 = 7, for name_equals
-- $7 = 2026-01-31T00:00:00, for updated_at_gte
SELECT count(*) FROM sale_accounts a WHERE a.account_id = $1 AND a.deleted_at IS NULL
	AND ($2 OR a.entity_id = ANY($3)) AND a.entity_id = $4 AND a.id = ANY(CAST($5 AS bigint[])) AND a.name = $6 AND a.updated_at >= CAST($7 AS timestamptz);

-- $1 = 1
-- $2 = false
-- $3 = [2]
-- $4 = 7
-- $5 = 31
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
		WHERE x.account_id = a.account_id AND x.sale_account_id = a.id) AS center_classifications, ARRAY[CAST(a.id AS text)]
FROM sale_accounts a WHERE a.account_id = $1 AND a.deleted_at IS NULL
	AND ($2 OR a.entity_id = ANY($3)) AND (a.id) > (CAST($4 AS bigint))
ORDER BY a.id LIMIT $5;
