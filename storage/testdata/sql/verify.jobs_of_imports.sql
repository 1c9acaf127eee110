SELECT account_id, record, expected, found
		FROM (
		WITH waiting AS (
			SELECT CAST(args::json ->> 'bank_statement_id' AS bigint) AS id, count(*) AS count
			FROM jobs WHERE kind = 'import_statement' AND failed_at IS NULL GROUP BY 1)
		SELECT b.account_id, format('bank statement %s, %s', b.id, event_status),
			CASE WHEN event_status IN ('queued', 'processing') THEN 'one job and no end' ELSE 'an end and no job' END,
			format('%s jobs, ended at %s', coalesce(j.count, 0), coalesce(event_finished_at::text, 'none'))
		FROM bank_statements b LEFT JOIN waiting j USING (id)
		WHERE ((event_status IN ('queued', 'processing') AND coalesce(j.count, 0) <> 1)
			OR (event_status IN ('success', 'previewed') AND j.count > 0)
			OR (event_finished_at IS NULL) = (event_status IN ('success', 'error', 'previewed'))) AND EXISTS (
		SELECT FROM deposit_accounts d WHERE d.account_id = b.account_id AND d.id = b.deposit_account_id
			AND d.deleted_at IS NULL
			AND NOT EXISTS (
		SELECT FROM entities e WHERE e.account_id = d.account_id AND e.id = d.entity_id AND e.deleted_at IS NOT NULL))) AS d (account_id, record, expected, found) ORDER BY account_id, record
