-- $1 = account
-- $2 = period_start
-- $3 = period_end
-- $4 = balance_on
-- $5 = deposit_account
-- $6 = preview
WITH file AS MATERIALIZED (
		SELECT least($2, $3, $4, min(day)) AS first,
			greatest($2, $3, $4, max(day)) AS last
		FROM staged WHERE ignored IS NULL
	), unique_fitids AS MATERIALIZED (
		SELECT min(number) AS number FROM staged WHERE fitid IS NOT NULL AND ignored IS NULL AND (SELECT EXISTS (
			SELECT FROM imported_items
			WHERE account_id = $1 AND deposit_account_id = $5
			AND NOT ($6 AND bank_statement_id = ANY(ARRAY(SELECT id FROM bank_statements WHERE account_id = $1
	AND deposit_account_id = $5 AND deleted_at IS NOT NULL))) AND day >= (SELECT first FROM file) AND day <= (SELECT last FROM file)))
		GROUP BY fitid HAVING count(*) = 1
	), candidates AS MATERIALIZED (
		SELECT p.number, r.day, r.amount, r.mark, r.fitid, r.bank_statement_id, r.financial_transaction_id
		FROM placed p JOIN unique_fitids USING (number) JOIN (
			SELECT * FROM imported_items
			WHERE account_id = $1 AND deposit_account_id = $5
			AND NOT ($6 AND bank_statement_id = ANY(ARRAY(SELECT id FROM bank_statements WHERE account_id = $1
	AND deposit_account_id = $5 AND deleted_at IS NOT NULL))) AND day >= (SELECT first FROM file) AND day <= (SELECT last FROM file)
				AND (SELECT EXISTS (SELECT FROM placed WHERE fresh))) r
			ON r.fitid = p.fitid AND r.amount = p.amount AND r.day <> p.day
				AND r.description IS NOT DISTINCT FROM p.description
		WHERE p.fresh
	), remembered AS (
		SELECT k.*, r.items FROM (SELECT DISTINCT day, amount, mark FROM candidates) k, LATERAL (
			SELECT count(*) AS items FROM imported_items
			WHERE account_id = $1 AND deposit_account_id = $5
			AND NOT ($6 AND bank_statement_id = ANY(ARRAY(SELECT id FROM bank_statements WHERE account_id = $1
	AND deposit_account_id = $5 AND deleted_at IS NOT NULL))) AND day = k.day AND amount = k.amount AND mark = k.mark) r
	), staying AS (
		SELECT day, amount, mark, count(*) AS items FROM staged WHERE ignored IS NULL GROUP BY day, amount, mark
	), once AS (
		SELECT bank_statement_id, fitid FROM imported_items
		WHERE account_id = $1
			AND bank_statement_id = ANY(ARRAY(SELECT DISTINCT bank_statement_id FROM candidates))
		GROUP BY bank_statement_id, fitid HAVING count(*) = 1
	), moved AS (
		SELECT DISTINCT ON (c.number) c.number, t.id
		FROM candidates c JOIN remembered r USING (day, amount, mark) LEFT JOIN staying s USING (day, amount, mark)
		JOIN once USING (bank_statement_id, fitid)
		JOIN financial_transactions t ON t.account_id = $1 AND t.deposit_account_id = $5
			AND t.id = c.financial_transaction_id
		WHERE coalesce(s.items, 0) < r.items
		ORDER BY c.number, c.bank_statement_id DESC
	)
	UPDATE placed SET moved_from = m.id FROM moved m WHERE placed.number = m.number
