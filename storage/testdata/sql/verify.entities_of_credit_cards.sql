SELECT account_id, record, expected, found
		FROM (
		SELECT k.account_id, format('credit card %s', k.id), format('a center of entity %s', k.entity_id),
			format('center of entity %s', z.entity_id)
		FROM credit_cards k JOIN classification_centers z ON z.account_id = k.account_id
			AND z.id = k.classification_center_id
		WHERE z.entity_id <> k.entity_id
		UNION ALL
		SELECT t.account_id, format('transaction %s of credit card %s', t.id, k.id),
			format('a center of entity %s', k.entity_id),
			format('center of entity %s', z.entity_id)
		FROM credit_card_transactions t JOIN credit_cards k ON k.account_id = t.account_id AND k.id = t.credit_card_id
		JOIN classification_centers z ON z.account_id = t.account_id AND z.id = t.classification_center_id
		WHERE z.entity_id <> k.entity_id) AS d (account_id, record, expected, found) ORDER BY account_id, record
