-- $1 = account
-- $2 = deposit_account
-- $3 = last
-- $4 = first
WITH duplicates AS MATERIALIZED (
		SELECT i.day, i.amount, i.mark, b.id AS bank_statement_id
		FROM bank_statements b, LATERAL (
		SELECT number, day, amount, mark FROM ignored_items
		WHERE account_id = b.account_id AND bank_statement_id = b.id AND outcome = 'duplicate'
		UNION ALL
		SELECT u.number, u.day, u.amount, u.mark FROM folded_items f,
			unnest(f.numbers, f.lines, f.days, f.amounts, f.marks) u (number, line, day, amount, mark)
		WHERE f.account_id = b.account_id AND f.bank_statement_id = b.id AND f.outcome = 'duplicate') i
		WHERE b.account_id = $1 AND b.deposit_account_id = $2 AND b.deleted_at IS NULL
			AND b.event_status = 'success'
			AND (b.first_item_on IS NULL OR b.first_item_on <= $3 AND b.last_item_on >= $4)
			AND i.day >= $4 AND i.day <= $3
	), compared AS (
		SELECT day, amount, mark, count(*)::int AS rows, count(ordinal)::int AS remembered, max(ordinal) AS last
			FROM (
			SELECT *, NULL::int AS ordinal FROM duplicates
			UNION ALL
			SELECT day, amount, mark, bank_statement_id, ordinal FROM imported_items
			WHERE account_id = $1 AND deposit_account_id = $2
				AND day = ANY(ARRAY(SELECT DISTINCT day FROM duplicates))) r
		GROUP BY day, amount, mark, bank_statement_id
	)
	SELECT DISTINCT day FROM (
		SELECT day FROM compared GROUP BY day, amount, mark
		HAVING sum(rows) > sum(remembered) AND greatest(max(rows), max(last)) > sum(remembered)) g
