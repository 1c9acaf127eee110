SELECT account_id, record, expected, found
		FROM (
		SELECT x.account_id, format('attachment %s', a.id), format('a record of entity %s', a.entity_id),
			format('%s of entity %s', x.record, x.entity_id)
		FROM (SELECT l.account_id, l.attachment_id, format('%s account %s', f.kind, f.id) AS record, f.entity_id
				FROM financial_account_attachments l JOIN financial_accounts f ON f.account_id = l.account_id
					AND f.id = l.financial_account_id
			UNION ALL SELECT l.account_id, l.attachment_id, format('transaction %s', t.id), d.entity_id
				FROM financial_transaction_attachments l JOIN financial_transactions t ON t.account_id = l.account_id
					AND t.id = l.financial_transaction_id
				JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
			UNION ALL SELECT l.account_id, l.attachment_id, format('sale %s', s.id), s.entity_id
				FROM sale_attachments l JOIN sales s ON s.account_id = l.account_id AND s.id = l.sale_id) x
		JOIN attachments a ON a.account_id = x.account_id AND a.id = x.attachment_id
		WHERE a.entity_id <> x.entity_id) AS d (account_id, record, expected, found) ORDER BY account_id, record
