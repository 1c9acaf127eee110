SELECT account_id, record, expected, found
		FROM (
		SELECT f.account_id, format('%s account %s', f.kind, f.id),
			format('a center and a deposit account of entity %s', f.entity_id),
			concat_ws(', ', 'center of entity ' || z.entity_id, 'deposit account of entity ' || d.entity_id)
		FROM financial_accounts f
		LEFT JOIN classification_centers z ON z.account_id = f.account_id AND z.id = f.classification_center_id
		LEFT JOIN deposit_accounts d ON d.account_id = f.account_id AND d.id = f.expected_deposit_account_id
		WHERE z.entity_id <> f.entity_id OR d.entity_id <> f.entity_id) AS d (account_id, record, expected, found) ORDER BY account_id, record
