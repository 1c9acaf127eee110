SELECT account_id, record, expected, found
		FROM (
		SELECT b.account_id, format('budget %s', b.id), format('a center of entity %s', b.entity_id),
			format('center of entity %s', z.entity_id)
		FROM budgets b
		JOIN classification_centers z ON z.account_id = b.account_id AND z.id = b.classification_center_id
		WHERE z.entity_id <> b.entity_id) AS d (account_id, record, expected, found) ORDER BY account_id, record
