-- $1 = names
-- $2 = defaults
-- $3 = most
WITH used AS (
		SELECT account_id, 'file_bytes' AS quota, sum(file_bytes) AS used FROM account_usage GROUP BY account_id
		UNION ALL
		SELECT account_id, 'statement_rows', sum(statement_rows) FROM account_usage GROUP BY account_id
		UNION ALL
		SELECT account_id, 'webhooks', count(*) FROM webhooks w
		WHERE deleted_at IS NULL AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = w.account_id AND e.id = w.entity_id AND e.deleted_at IS NOT NULL) GROUP BY account_id
		UNION ALL
		SELECT account_id, 'running_imports', count(*) FROM jobs WHERE running AND leased_until IS NOT NULL AND kind = 'import_statement' AND failed_at IS NULL GROUP BY account_id
	)
	SELECT a.id AS account_id, a.name, u.quota, l.most AS limit, u.used::bigint AS used
	FROM used u
	JOIN unnest($1::text[], $2::bigint[]) AS d (quota, most) ON d.quota = u.quota
	JOIN accounts a ON a.id = u.account_id
	LEFT JOIN account_quotas q ON q.account_id = a.id
	CROSS JOIN LATERAL (SELECT coalesce((to_jsonb(q) ->> u.quota)::bigint, d.most) AS most) l
	WHERE u.used > 0 AND u.used >= 0.8 * l.most
	ORDER BY u.used / greatest(l.most, 1) DESC, a.id, u.quota
	LIMIT $3
