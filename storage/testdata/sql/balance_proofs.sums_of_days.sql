-- $1 = account
-- $2 = deposit_account
-- $3 = after
-- $4 = day
-- $5 = statement
SELECT day, coalesce(i.sum, 0) - coalesce(l.sum, 0) AS items, coalesce(t.sum, 0) AS ours, l.sum IS NOT NULL AS later
	FROM (
		SELECT i.day, sum(i.amount) FROM deposit_accounts d JOIN imported_items i ON i.deposit_account_id = d.id
		WHERE d.account_id = $1 AND d.id = $2 AND i.day > $3 AND i.day <= $4 GROUP BY i.day) i
	FULL JOIN (
		SELECT occurred_at AS day, sum(amount) FROM financial_transactions
		WHERE account_id = $1 AND deposit_account_id = $2 AND occurred_at > $3
			AND occurred_at <= $4 GROUP BY occurred_at) t USING (day)
	LEFT JOIN (SELECT day, sum(amount) FROM (
		SELECT day, amount, bank_statement_id, number, financial_transaction_id, bank_statement_id > $5 AND nth > named AS later
		FROM (
			SELECT *, row_number() OVER (equal ORDER BY bank_statement_id, ordinal) AS nth,
				count(*) FILTER (WHERE bank_statement_id IS NULL OR bank_statement_id = $5) OVER equal AS named
			FROM (
				SELECT day, amount, mark, ordinal, bank_statement_id, number, financial_transaction_id
					FROM imported_items
				WHERE account_id = $1 AND deposit_account_id = $2 AND day = $4
				UNION ALL
				SELECT day, amount, mark, NULL, NULL, NULL, NULL
				FROM (
		SELECT number, day, amount, mark FROM ignored_items
		WHERE account_id = $1 AND bank_statement_id = $5 AND outcome = 'duplicate'
		UNION ALL
		SELECT u.number, u.day, u.amount, u.mark FROM folded_items f,
			unnest(f.numbers, f.lines, f.days, f.amounts, f.marks) u (number, line, day, amount, mark)
		WHERE f.account_id = $1 AND f.bank_statement_id = $5 AND f.outcome = 'duplicate') k
				WHERE day = $4 AND EXISTS (
					SELECT FROM imported_items
					WHERE account_id = $1 AND deposit_account_id = $2 AND day = $4 AND bank_statement_id > $5)) r
			WINDOW equal AS (PARTITION BY amount, mark)) r
		WHERE bank_statement_id IS NOT NULL) r WHERE later GROUP BY day) l USING (day)
	ORDER BY day
