SELECT account_id, record, expected, found
		FROM (
		SELECT w.account_id, format('webhook %s, active', w.id), 'nothing that is held',
			format('%s deliveries held', count(*))
		FROM webhooks w JOIN deliveries d ON d.account_id = w.account_id AND d.webhook_id = w.id AND d.status = 'held'
		WHERE w.status = 'active' AND w.deleted_at IS NULL
			AND NOT EXISTS (SELECT FROM jobs j WHERE j.kind = 'align_deliveries' AND j.key = 'webhook:' || w.id)
		GROUP BY w.account_id, w.id) AS d (account_id, record, expected, found) ORDER BY account_id, record
