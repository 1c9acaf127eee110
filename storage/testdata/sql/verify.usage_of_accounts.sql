SELECT account_id, record, expected, found
		FROM (
		WITH kept AS (
			SELECT account_id, sum(bytes) AS bytes, sum(items) AS items FROM (
				SELECT account AS account_id, bytes, 0 AS items FROM stored_files
				UNION ALL SELECT account_id, 0, coalesce(items_count, imported_items_count) FROM bank_statements) f
			GROUP BY account_id),
		counted AS (
			SELECT account_id, sum(file_bytes) AS bytes, sum(statement_rows) AS items FROM account_usage
			GROUP BY account_id)
		SELECT account_id, format('account %s', account_id),
			format('%s bytes of files, %s rows of statements', coalesce(k.bytes, 0), coalesce(k.items, 0)),
			format('%s bytes of files, %s rows of statements', coalesce(c.bytes, 0), coalesce(c.items, 0))
		FROM kept k FULL JOIN counted c USING (account_id)
		WHERE coalesce(k.bytes, 0) <> coalesce(c.bytes, 0) OR coalesce(k.items, 0) <> coalesce(c.items, 0)) AS d (account_id, record, expected, found) ORDER BY account_id, record
