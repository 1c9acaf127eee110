SELECT account_id, record, expected, found
		FROM (
		SELECT t.account_id, format('transaction %s of deposit account %s', t.id, t.deposit_account_id),
			format('a center and a transfer within entity %s', d.entity_id),
			concat_ws(', ', 'center of entity ' || z.entity_id, 'transfer with entity ' || o.entity_id)
		FROM financial_transactions t
		JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
		LEFT JOIN classification_centers z ON z.account_id = t.account_id AND z.id = t.classification_center_id
		LEFT JOIN deposit_accounts o ON o.account_id = t.account_id AND o.id = t.transfer_deposit_account_id
		WHERE (t.classification_center_id IS NOT NULL OR t.transfer_deposit_account_id IS NOT NULL)
			AND (z.entity_id <> d.entity_id OR o.entity_id <> d.entity_id)) AS d (account_id, record, expected, found) ORDER BY account_id, record
