-- $1 = 1
-- $2 = 2
-- $3 = 103
-- $4 = 0001-01
-- $5 = [7], for ids
-- $6 = 30, for size
-- $7 = 30, for offset
SELECT t.id
FROM credit_card_transactions t
		JOIN credit_card_invoices i ON i.account_id = t.account_id AND i.id = t.credit_card_invoice_id JOIN credit_cards k ON k.account_id = t.account_id
		AND k.id = t.credit_card_id
		WHERE t.account_id = $1 AND k.entity_id = $2 AND k.deleted_at IS NULL AND t.credit_card_id = $3 AND i.month = $4 AND t.id = ANY(CAST($5 AS bigint[]))
ORDER BY t.occurred_at + 0, t.id LIMIT nullif($6, 0) OFFSET $7;

-- $1 = 1
-- $2 = 2
-- $3 = 103
-- $4 = 0001-01
-- $5 = [7], for ids
SELECT count(*) FROM credit_card_transactions t
		JOIN credit_card_invoices i ON i.account_id = t.account_id AND i.id = t.credit_card_invoice_id JOIN credit_cards k ON k.account_id = t.account_id
		AND k.id = t.credit_card_id
		WHERE t.account_id = $1 AND k.entity_id = $2 AND k.deleted_at IS NULL AND t.credit_card_id = $3 AND i.month = $4 AND t.id = ANY(CAST($5 AS bigint[]));

-- $1 = 1
-- $2 = []
SELECT t.id, t.external_id, t.account_id, t.credit_card_id, t.occurred_at, t.amount, t.document, t.observation, t.description, t.category_id, t.person_id, t.classification_center_id, t.recurrence_id, t.parcel, t.parcels, t.created_at, t.updated_at,
	i.id AS "invoice.id", i.start_date AS "invoice.start_date", i.end_date AS "invoice.end_date",
		i.due_date AS "invoice.due_date",
	i.balance AS "invoice.balance",
	(SELECT p.id FROM credit_card_transactions p WHERE p.account_id = t.account_id
		AND p.recurrence_id = t.recurrence_id AND p.parcel < t.parcel
		ORDER BY p.parcel DESC LIMIT 1) AS previous_id,
	(SELECT n.id FROM credit_card_transactions n WHERE n.account_id = t.account_id
		AND n.recurrence_id = t.recurrence_id AND n.parcel > t.parcel
		ORDER BY n.parcel LIMIT 1) AS next_id, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName',
			k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM credit_card_transaction_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id
			AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = t.account_id AND x.credit_card_transaction_id = t.id) AS custom_classifications
		FROM credit_card_transactions t
		JOIN credit_card_invoices i ON i.account_id = t.account_id AND i.id = t.credit_card_invoice_id WHERE t.account_id = $1 AND t.id = ANY($2) ORDER BY t.occurred_at, t.id;

-- $1 = 1
-- $2 = 2
-- $3 = 103
-- $4 = 0001-01
-- $5 = 2026-01-31
-- $6 = 7
-- $7 = 31
SELECT t.id, ARRAY[CAST(t.occurred_at AS text), CAST(t.id AS text)]
FROM credit_card_transactions t
		JOIN credit_card_invoices i ON i.account_id = t.account_id AND i.id = t.credit_card_invoice_id JOIN credit_cards k ON k.account_id = t.account_id
		AND k.id = t.credit_card_id
		WHERE t.account_id = $1 AND k.entity_id = $2 AND k.deleted_at IS NULL AND t.credit_card_id = $3 AND i.month = $4 AND (t.occurred_at, t.id) > (CAST($5 AS date), CAST($6 AS bigint))
ORDER BY t.occurred_at, t.id LIMIT $7;
