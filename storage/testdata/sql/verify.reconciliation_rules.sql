SELECT account_id, record, expected, found
		FROM (
		SELECT r.account_id, format('reconciliation rule %s', r.id),
			format('a center and a deposit account of entity %s', r.entity_id),
			concat_ws(', ', 'center of entity ' || z.entity_id, 'deposit account of entity ' || d.entity_id)
		FROM reconciliation_rules r
		LEFT JOIN classification_centers z ON z.account_id = r.account_id AND z.id = r.classification_center_id
		LEFT JOIN deposit_accounts d ON d.account_id = r.account_id AND d.id = r.deposit_account_id
		WHERE z.entity_id <> r.entity_id OR d.entity_id <> r.entity_id
		UNION ALL
		SELECT account_id, format('entity %s', entity_id), 'at most 100 reconciliation rules', count(*)::text
		FROM reconciliation_rules GROUP BY account_id, entity_id HAVING count(*) > 100) AS d (account_id, record, expected, found) ORDER BY account_id, record
