-- $1 = account
-- $2 = deposit_account
-- $3 = preview
-- $4 = same_file
WITH unique_fitids AS (
		SELECT fitid, min(number) AS number, min(day) AS day, min(amount) AS amount, min(description) AS description
		FROM staged WHERE fitid IS NOT NULL AND ignored IS NULL
		GROUP BY fitid HAVING count(*) = 1
	), earlier AS (
		SELECT s.number, r.day, r.amount
		FROM unique_fitids s, LATERAL (
			SELECT day, amount, description, count(*) OVER () AS times FROM imported_items
			WHERE account_id = $1 AND deposit_account_id = $2
			AND NOT ($3 AND bank_statement_id = ANY(ARRAY(SELECT id FROM bank_statements WHERE account_id = $1
	AND deposit_account_id = $2 AND deleted_at IS NOT NULL))) AND card IS NULL AND fitid = s.fitid AND bank_statement_id = ANY(ARRAY(
				SELECT id FROM bank_statements WHERE account_id = $1 AND deposit_account_id = $2
					AND file_format IS NULL))) r
		WHERE r.times = 1 AND (r.day, r.amount) <> (s.day, s.amount) AND abs(r.amount) = abs(s.amount)
			AND (r.description IS NOT DISTINCT FROM s.description OR strpos(s.description, r.description) > 0)
			AND ARRAY(SELECT unnest(string_to_array(to_char(r.day, 'YY-MM-DD'), '-')) ORDER BY 1) = ARRAY(SELECT unnest(string_to_array(to_char(s.day, 'YY-MM-DD'), '-')) ORDER BY 1)
	), compared AS (
		SELECT number, coalesce(f.items, 0) AS items, (
			SELECT count(*) FROM imported_items i
			WHERE i.account_id = $1 AND i.deposit_account_id = $2 AND i.day = e.day
				AND i.amount = e.amount) AS remembered
		FROM earlier e LEFT JOIN (
			SELECT day, amount, count(*) AS items FROM staged WHERE ignored IS NULL GROUP BY day, amount) f
			USING (day, amount)
	), of_file AS (
		SELECT number, day, amount FROM imported_items WHERE account_id = $1
			AND bank_statement_id = $4
		UNION ALL
		SELECT number, day, amount FROM (
		SELECT number, day, amount, mark FROM ignored_items
		WHERE account_id = $1 AND bank_statement_id = $4 AND outcome = 'duplicate'
		UNION ALL
		SELECT u.number, u.day, u.amount, u.mark FROM folded_items f,
			unnest(f.numbers, f.lines, f.days, f.amounts, f.marks) u (number, line, day, amount, mark)
		WHERE f.account_id = $1 AND f.bank_statement_id = $4 AND f.outcome = 'duplicate') i
		WHERE EXISTS (
			SELECT FROM imported_items r
			WHERE r.account_id = $1 AND r.deposit_account_id = $2 AND r.day = i.day
				AND r.amount = i.amount)
	)
	UPDATE staged SET ignored = 'duplicate' WHERE ignored IS NULL AND number IN (
		SELECT number FROM compared WHERE items < remembered
		UNION ALL
		SELECT number FROM of_file o JOIN staged s USING (number)
		WHERE (o.day, o.amount) <> (s.day, s.amount) AND abs(o.amount) = abs(s.amount))
