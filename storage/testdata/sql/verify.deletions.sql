SELECT account_id, record, expected, found
		FROM (
		SELECT h.account_id, format('%s %s, deleted', h.root, h.id), 'a job that removes it', 'none'
		FROM (SELECT account_id, 'entities' AS root, id FROM entities WHERE deleted_at IS NOT NULL
			UNION ALL SELECT account_id, 'deposit_accounts', id FROM deposit_accounts WHERE deleted_at IS NOT NULL
			UNION ALL SELECT account_id, 'credit_cards', id FROM credit_cards WHERE deleted_at IS NOT NULL
			UNION ALL SELECT account_id, 'sale_accounts', id FROM sale_accounts WHERE deleted_at IS NOT NULL
			UNION ALL SELECT account_id, 'webhooks', id FROM webhooks w WHERE deleted_at IS NOT NULL AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = w.account_id AND e.id = w.entity_id AND e.deleted_at IS NOT NULL)) h
		WHERE NOT EXISTS (SELECT FROM jobs j WHERE j.kind = 'delete_cascade' AND j.account_id = h.account_id
			AND (j.args::json ->> 'root' = h.root AND CAST(j.args::json ->> 'id' AS bigint) = h.id OR j.args::json ->> 'root' IN ('accounts', 'sandboxes')))) AS d (account_id, record, expected, found) ORDER BY account_id, record
