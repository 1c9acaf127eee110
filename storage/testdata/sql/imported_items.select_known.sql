-- $1 = account
-- $2 = deposit_account
-- $3 = format
-- $4 = preview
INSERT INTO remembered (day, amount, mark, items, ordinal, fitid, description, has_gap, same_door)
	SELECT g.day, g.amount, g.mark, g.items, i.ordinal, i.fitid, i.description, i.has_gap,
		i.bank_statement_id NOT IN (SELECT id FROM bank_statements WHERE account_id = $1
	AND deposit_account_id = $2 AND file_format <> $3)
	FROM (SELECT day, amount, mark, count(*) AS items FROM staged WHERE ignored IS NULL GROUP BY day, amount,
		mark ORDER BY day, amount, mark) g,
	LATERAL (
		SELECT ordinal, fitid, description, bank_statement_id, max(ordinal) OVER () > count(*) OVER () AS has_gap
		FROM imported_items
		WHERE account_id = $1 AND deposit_account_id = $2
			AND NOT ($4 AND bank_statement_id = ANY(ARRAY(SELECT id FROM bank_statements WHERE account_id = $1
	AND deposit_account_id = $2 AND deleted_at IS NOT NULL))) AND day = g.day AND amount = g.amount AND mark = g.mark) i
