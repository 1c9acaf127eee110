-- $1 = 1
-- $2 = [2026-01-01 2026-01-02]
-- $3 = 2026-01-01
-- $4 = [2]
-- $5 = 2026-01-01
-- $6 = true
SELECT CASE WHEN grouping(day) = 0 THEN 'day' WHEN grouping(deposit_account_id) = 0
		THEN 'deposit_account' ELSE 'entity' END AS level,
	day, bucket, entity_id, deposit_account_id,
		coalesce(sum(due) FILTER (WHERE kind = 'receivable'), 0) AS "in",
		coalesce(sum(due) FILTER (WHERE kind = 'payable'), 0) AS "out"
	FROM (
		SELECT lines.*, width_bucket(lines.day, CAST($2 AS date[])) AS bucket
		FROM (
			SELECT e.id AS entity_id, k.kind, lines.deposit_account_id,
				greatest(lines.due_date, CAST($3 AS date)) AS day, lines.due
			FROM unnest(CAST($4 AS bigint[])) AS e (id)
				CROSS JOIN (VALUES ('payable'), ('receivable')) AS k (kind) CROSS JOIN LATERAL (
				SELECT f.due_date, f.expected_deposit_account_id AS deposit_account_id,
					sum(f.amount) + coalesce(sum(f.ticket_amount), 0) + coalesce(sum(f.interest_amount), 0)
						- coalesce(sum(f.discount_amount), 0) AS due
				FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = e.id AND f.kind = k.kind
					AND f.status = 1 AND f.due_date <= CAST($5 AS date)
				GROUP BY f.due_date, f.expected_deposit_account_id) AS lines) AS lines) AS lines
	GROUP BY GROUPING SETS ((day), (bucket, entity_id), (bucket, entity_id, deposit_account_id))
	HAVING CASE WHEN grouping(day) = 0 THEN day <= CAST($5 AS date)
		WHEN grouping(deposit_account_id) = 0 THEN $6 ELSE true END
	ORDER BY entity_id, deposit_account_id, bucket, day;

-- $1 = 1
-- $2 = [2]
-- $3 = 2026-01-01
-- $4 = 2026-01-01
SELECT coalesce(sum(total) FILTER (WHERE kind = 'receivable'), 0) AS "in",
		coalesce(sum(total) FILTER (WHERE kind = 'payable'), 0) AS "out"
	FROM unnest(CAST($2 AS bigint[])) AS e (id)
		CROSS JOIN (VALUES ('payable'), ('receivable')) AS k (kind) CROSS JOIN LATERAL (
		SELECT sum(f.total_amount) AS total
		FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = e.id AND f.kind = k.kind
			AND f.status = 2 AND f.occurred_at BETWEEN CAST($3 AS date) AND CAST($4 AS date)
		) AS lines;
