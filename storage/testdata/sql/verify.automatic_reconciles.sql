SELECT account_id, record, expected, found
		FROM (
		SELECT r.account_id, format('reconcile %s, made by the worker', r.id),
			'1 transaction that is not left to people, 1 account',
			format('%s transactions, of which %s are left to people, %s accounts', t.count, t.lefts, f.count)
		FROM reconciles r
		CROSS JOIN LATERAL (SELECT count(*) AS count, count(*) FILTER (WHERE left_to_people) AS lefts
			FROM financial_transactions t WHERE t.account_id = r.account_id AND t.reconcile_id = r.id) t
		CROSS JOIN LATERAL (SELECT count(*) AS count FROM financial_accounts f WHERE f.account_id = r.account_id
			AND f.reconcile_id = r.id) f
		WHERE r.made_by = 'automatic' AND (t.count, t.lefts, f.count) <> (1, 0, 1) AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = r.account_id AND e.id = r.entity_id AND e.deleted_at IS NOT NULL)) AS d (account_id, record, expected, found) ORDER BY account_id, record
