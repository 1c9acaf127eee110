-- $1 = account
-- $2 = starts
-- $3 = from
-- $4 = to
-- $5 = entities
-- $6 = currency
-- $7 = by_account
SELECT CASE WHEN grouping(day) = 0 THEN 'day' WHEN grouping(deposit_account_id) = 0
		THEN 'deposit_account' ELSE 'entity' END AS level,
	day, bucket, entity_id, deposit_account_id,
		coalesce(sum(came) FILTER (WHERE NOT side), 0) AS "in", coalesce(sum(went) FILTER (WHERE NOT side), 0) AS "out",
		coalesce(sum(CASE WHEN side THEN -came ELSE came END), 0) AS own_in,
		coalesce(sum(CASE WHEN side THEN -went ELSE went END), 0) AS own_out
	FROM (
		SELECT d.entity_id, d.id AS deposit_account_id, lines.*,
			width_bucket(lines.day, CAST($2 AS date[])) AS bucket
		FROM deposit_accounts d CROSS JOIN LATERAL (
			SELECT false AS side, occurred_at AS day, sum(amount) FILTER (WHERE amount > 0) AS came,
				-sum(amount) FILTER (WHERE amount < 0) AS went
			FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = d.id
				AND occurred_at BETWEEN CAST($3 AS date) AND CAST($4 AS date)
			GROUP BY occurred_at
			UNION ALL
			SELECT true, occurred_at, sum(amount) FILTER (WHERE amount > 0), -sum(amount) FILTER (WHERE amount < 0)
			FROM financial_transactions WHERE account_id = $1 AND deposit_account_id = d.id
				AND occurred_at BETWEEN CAST($3 AS date) AND CAST($4 AS date) AND transfer_id IS NOT NULL
			GROUP BY occurred_at) AS lines
		WHERE d.account_id = $1 AND d.entity_id = ANY($5) AND d.deleted_at IS NULL
			AND d.currency_id = $6) AS lines
	GROUP BY GROUPING SETS ((day), (bucket, entity_id), (bucket, entity_id, deposit_account_id))
	HAVING CASE WHEN grouping(day) = 0 THEN day <= CAST($4 AS date)
		WHEN grouping(deposit_account_id) = 0 THEN $7 ELSE true END
	ORDER BY entity_id, deposit_account_id, bucket, day
