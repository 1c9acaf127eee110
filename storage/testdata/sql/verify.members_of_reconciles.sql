SELECT account_id, record, expected, found
		FROM (
		SELECT r.account_id, format('%s account %s', f.kind, f.id), format('a %s one of entity %s, as reconcile %s',
			r.kind, r.entity_id, r.id),
			format('a %s one of entity %s', f.kind, f.entity_id)
		FROM financial_accounts f JOIN reconciles r ON r.account_id = f.account_id AND r.id = f.reconcile_id
		WHERE (f.kind, f.entity_id) <> (r.kind, r.entity_id)
		UNION ALL
		SELECT r.account_id, format('transaction %s of deposit account %s', t.id, d.id),
			format('a %s of entity %s, as reconcile %s', CASE r.kind WHEN 'payable' THEN 'Debit' ELSE 'Credit' END,
				r.entity_id, r.id),
			format('%s of entity %s', t.amount, d.entity_id)
		FROM financial_transactions t JOIN reconciles r ON r.account_id = t.account_id AND r.id = t.reconcile_id
		JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
		WHERE d.entity_id <> r.entity_id OR (r.kind = 'payable') <> (t.amount < 0)) AS d (account_id, record, expected, found) ORDER BY account_id, record
