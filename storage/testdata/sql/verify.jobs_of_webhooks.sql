SELECT account_id, record, expected, found
		FROM (
		SELECT w.account_id, format('webhook %s', w.id),
			'a job that is due when the first of its pending deliveries is',
			format('%s pending since %s, and none', count(*), min(d.next_at))
		FROM webhooks w JOIN deliveries d ON d.account_id = w.account_id AND d.webhook_id = w.id
			AND d.status = 'pending'
		WHERE w.status = 'active' AND w.deleted_at IS NULL AND NOT EXISTS (
			SELECT FROM jobs j WHERE j.kind = 'deliver_webhook' AND j.key = 'webhook:' || w.id
				AND (j.due_at <= greatest(d.next_at, now()) + interval '1 minute' OR j.attempts > 0))
		GROUP BY w.account_id, w.id) AS d (account_id, record, expected, found) ORDER BY account_id, record
