-- $1 = 1
SELECT EXISTS (SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL) OR EXISTS (SELECT id FROM credit_cards WHERE account_id = $1 AND deleted_at IS NOT NULL)
		OR EXISTS (SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL);

-- $1 = 1
-- $2 = [2]
-- $3 = 0
/* planned each time */ SELECT CAST(coalesce(sum(count), 0) AS bigint) AS count, ARRAY[CAST(coalesce(sum(sum_1), 0) AS text)] AS sums
FROM (SELECT count(*) AS count, sum(t.amount) AS sum_1
FROM credit_card_transactions t
			WHERE t.account_id = $1 AND t.credit_card_id = ANY (ARRAY(
				SELECT id FROM credit_cards WHERE account_id = $1 AND entity_id = ANY($2)
					AND deleted_at IS NULL AND ($3 = 0 OR id = $3)))) g;

-- $1 = 1
-- $2 = [2]
-- $3 = 0
/* planned each time */ SELECT CAST(coalesce(sum(count), 0) AS bigint) AS count, ARRAY[CAST(coalesce(sum(sum_1), 0) AS text)] AS sums, CAST(key1 AS text) AS key1, CAST(to_char(key2, 'YYYY-MM') AS text) AS key2
FROM (SELECT count(*) AS count, sum(t.amount) AS sum_1, t.category_id AS key1, t.occurred_at AS key2
FROM credit_card_transactions t
			WHERE t.account_id = $1 AND t.credit_card_id = ANY (ARRAY(
				SELECT id FROM credit_cards WHERE account_id = $1 AND entity_id = ANY($2)
					AND deleted_at IS NULL AND ($3 = 0 OR id = $3)))
GROUP BY key1, key2) g
GROUP BY 3, 4
LIMIT 10001;

-- $1 = 1
SELECT id, coalesce(parent_id, 0) AS parent_id FROM categories
		WHERE account_id = $1 AND deleted_at IS NULL;

-- $1 = 1
-- $2 = 105
SELECT EXISTS (SELECT FROM custom_classifiers WHERE account_id = $1
			AND id = $2 AND deleted_at IS NULL);

-- $1 = 1
-- $2 = [2]
-- $3 = 0
-- $4 = 105
/* planned each time */ SELECT CAST(coalesce(sum(count), 0) AS bigint) AS count, ARRAY[CAST(coalesce(sum(sum_1), 0) AS text)] AS sums, CAST(key1 AS text) AS key1, CAST(key2 AS text) AS key2
FROM (SELECT count(*) AS count, sum(t.amount) AS sum_1, t.classification_center_id AS key1, CAST(NULL AS bigint) AS key2
FROM credit_card_transactions t
			WHERE t.account_id = $1 AND t.credit_card_id = ANY (ARRAY(
				SELECT id FROM credit_cards WHERE account_id = $1 AND entity_id = ANY($2)
					AND deleted_at IS NULL AND ($3 = 0 OR id = $3))) AND NOT (EXISTS (
		SELECT FROM credit_card_transaction_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id
			AND v.deleted_at IS NULL AND v.custom_classifier_id = $4
		WHERE x.account_id = t.account_id AND x.credit_card_transaction_id = t.id))
GROUP BY key1, key2) g
GROUP BY 3, 4
LIMIT 10001;

-- $1 = 1
-- $2 = [2]
-- $3 = 0
-- $4 = 105
/* planned each time */ SELECT ARRAY[CAST(coalesce(t.amount, 0) * 100 AS bigint)] AS cents, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName',
			k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM credit_card_transaction_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id
			AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = t.account_id AND x.credit_card_transaction_id = t.id) AS custom_classifications, CAST(t.classification_center_id AS text) AS key1, CAST(CAST(NULL AS bigint) AS text) AS key2
FROM credit_card_transactions t
			WHERE t.account_id = $1 AND t.credit_card_id = ANY (ARRAY(
				SELECT id FROM credit_cards WHERE account_id = $1 AND entity_id = ANY($2)
					AND deleted_at IS NULL AND ($3 = 0 OR id = $3))) AND (EXISTS (
		SELECT FROM credit_card_transaction_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id
			AND v.deleted_at IS NULL AND v.custom_classifier_id = $4
		WHERE x.account_id = t.account_id AND x.credit_card_transaction_id = t.id));
