WITH removed AS (
		DELETE FROM account_usage WHERE account_id IN (
			SELECT account_id FROM account_usage GROUP BY account_id HAVING count(*) > 1)
		RETURNING account_id, file_bytes, statement_rows)
	INSERT INTO account_usage (account_id, file_bytes, statement_rows)
	SELECT account_id, sum(file_bytes), sum(statement_rows) FROM removed GROUP BY account_id
	HAVING sum(file_bytes) <> 0 OR sum(statement_rows) <> 0
