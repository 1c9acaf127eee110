-- $1 = account
SELECT coalesce(sum(file_bytes), 0)::bigint AS file_bytes,
		coalesce(sum(statement_rows), 0)::bigint AS statement_rows
	FROM account_usage WHERE account_id = $1
