-- $1 = account
-- $2 = deposit_account
-- $3 = first
-- $4 = last
-- $5 = end
-- $6 = own_days
-- $7 = earlier_days
SELECT EXISTS (
		SELECT FROM (SELECT DISTINCT day, amount, mark FROM imported_items
			WHERE account_id = $1 AND deposit_account_id = $2 AND day >= $3 AND day <= $4
				AND ordinal > 1) g
		JOIN imported_items i ON i.account_id = $1 AND i.deposit_account_id = $2 AND i.day = g.day
			AND i.amount = g.amount AND i.mark = g.mark
		WHERE i.fitid IS NOT NULL GROUP BY i.day, i.amount, i.mark, i.fitid HAVING count(*) > 1) OR EXISTS (
		SELECT FROM bank_statements b JOIN imported_items i ON i.account_id = b.account_id
			AND i.bank_statement_id = b.id
		WHERE b.account_id = $1 AND b.deposit_account_id = $2 AND b.id > $5 AND (CASE WHEN b.period_start > b.period_end THEN b.period_end ELSE b.period_start END > $3 OR CASE WHEN b.period_start > b.period_end THEN b.period_start ELSE b.period_end END < $4)
			AND i.deposit_account_id = $2 AND i.day >= $3 AND i.day <= $4 AND (i.day < CASE WHEN b.period_start > b.period_end THEN b.period_end ELSE b.period_start END OR i.day > CASE WHEN b.period_start > b.period_end THEN b.period_start ELSE b.period_end END)) OR EXISTS (
		SELECT FROM (
			SELECT day, amount, mark, 1 AS more FROM imported_items
			WHERE account_id = $1 AND deposit_account_id = $2 AND day >= $3 AND day <= $4
				AND bank_statement_id <> $5
				AND (day < $4 OR bank_statement_id < $5)
				AND (day <@ CAST($6 AS datemultirange) OR bank_statement_id > $5
					AND day <@ CAST($7 AS datemultirange))
			UNION ALL
			SELECT day, amount, mark, -1 FROM (
		SELECT number, day, amount, mark FROM ignored_items
		WHERE account_id = $1 AND bank_statement_id = $5 AND outcome = 'duplicate'
		UNION ALL
		SELECT u.number, u.day, u.amount, u.mark FROM folded_items f,
			unnest(f.numbers, f.lines, f.days, f.amounts, f.marks) u (number, line, day, amount, mark)
		WHERE f.account_id = $1 AND f.bank_statement_id = $5 AND f.outcome = 'duplicate') k
			WHERE day >= $3 AND day <= $4) r
		GROUP BY day, amount, mark HAVING sum(more) > 0)
