-- $1 = account
-- $2 = statement
WITH both_of AS (
		SELECT number, outcome AS previewed, NULL AS outcome FROM previewed_items WHERE account_id = $1 AND bank_statement_id = $2
		UNION ALL SELECT number, NULL, CASE WHEN fresh THEN 'imported' ELSE 'duplicate' END FROM placed
			WHERE EXISTS (SELECT FROM previewed_items WHERE account_id = $1 AND bank_statement_id = $2)
		UNION ALL SELECT number, NULL, ignored FROM staged WHERE ignored IS NOT NULL
			AND EXISTS (SELECT FROM previewed_items WHERE account_id = $1 AND bank_statement_id = $2)
	), items AS (SELECT max(previewed) AS previewed, max(outcome) AS outcome FROM both_of GROUP BY number)
	SELECT previewed, outcome, count(*) AS count FROM items WHERE previewed <> outcome GROUP BY 1, 2 ORDER BY 1, 2
