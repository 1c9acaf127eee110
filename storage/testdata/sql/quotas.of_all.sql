SELECT a.id AS account_id, a.name, CASE WHEN q.account_id IS NOT NULL THEN ARRAY[coalesce(q.requests_per_minute, -1), coalesce(q.held_requests, -1), coalesce(q.exports, -1), coalesce(q.running_imports, -1), coalesce(q.file_bytes, -1), coalesce(q.statement_rows, -1), coalesce(q.webhooks, -1)] END AS set,
			coalesce(u.file_bytes, 0)::bigint AS file_bytes, coalesce(u.statement_rows, 0)::bigint AS statement_rows,
			(SELECT count(*) FROM webhooks w WHERE w.account_id = a.id AND w.deleted_at IS NULL
				AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = w.account_id AND e.id = w.entity_id AND e.deleted_at IS NOT NULL)) AS webhooks,
			(SELECT count(*) FROM jobs WHERE account_id = a.id AND running AND leased_until IS NOT NULL AND kind = 'import_statement' AND failed_at IS NULL ) AS running_imports
		FROM accounts a LEFT JOIN account_quotas q ON q.account_id = a.id
		LEFT JOIN LATERAL (SELECT sum(file_bytes) AS file_bytes, sum(statement_rows) AS statement_rows
			FROM account_usage WHERE account_id = a.id) u ON true
		WHERE true ORDER BY a.id
