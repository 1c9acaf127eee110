SELECT account_id, record, expected, found
		FROM (
		WITH attempts AS (
			SELECT account_id, delivery_id AS id, count(*) AS count, max(number) AS last,
				count(*) FILTER (WHERE finished_at IS NULL) AS open
			FROM delivery_attempts GROUP BY 1, 2)
		SELECT d.account_id, format('delivery %s of webhook %s, %s', d.id, d.webhook_id, d.status),
			format('%s attempts of %s, by number, all closed but the last%s', d.attempts_count, d.attempts_allowed,
				CASE WHEN d.delivered_at IS NOT NULL THEN ', delivered' END),
			format('%s attempts, %s the last, %s open', coalesce(m.count, 0), coalesce(m.last, 0), coalesce(m.open, 0))
		FROM deliveries d LEFT JOIN attempts m USING (account_id, id)
		WHERE d.attempts_count <> coalesce(m.count, 0) OR d.attempts_count <> coalesce(m.last, 0)
			OR d.attempts_count > d.attempts_allowed
			OR m.open > 1 OR (m.open > 0 AND d.status IN ('delivered', 'failed'))
				OR (d.status = 'delivered') <> (d.delivered_at IS NOT NULL)
			OR (d.status = 'failed' AND d.attempts_count <> d.attempts_allowed)
				OR (d.status = 'delivered' AND d.attempts_count = 0)) AS d (account_id, record, expected, found) ORDER BY account_id, record
