-- $1 = account
-- $2 = deposit_account
-- $3 = days
-- $4 = day
-- $5 = statement
-- $6 = most
SELECT * FROM (
		SELECT CASE
				WHEN i.later AND t.amount = i.amount THEN 'later_items'
				WHEN i.amount IS NULL AND t.bank_statement_id IS NULL THEN 'manual_transactions'
				WHEN i.amount IS NULL OR t.amount IS NOT NULL THEN 'edited_items'
				WHEN EXISTS (
					SELECT FROM financial_transactions x
					WHERE x.account_id = $1 AND x.deposit_account_id = $2
						AND x.id = i.financial_transaction_id) THEN 'edited_items'
				ELSE 'deleted_items' END AS kind,
			CASE WHEN i.later THEN 0 ELSE coalesce(i.amount, 0) END - coalesce(t.amount, 0) AS amount,
			coalesce(t.id, i.financial_transaction_id) AS transaction_id,
				coalesce(i.bank_statement_id, t.bank_statement_id) AS statement_id, i.number
		FROM (
			SELECT day, amount, bank_statement_id, number, financial_transaction_id, false AS later FROM imported_items
			WHERE account_id = $1 AND deposit_account_id = $2 AND day = ANY($3::date[])
				AND day <> $4
			UNION ALL SELECT * FROM (
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
		WHERE bank_statement_id IS NOT NULL) r WHERE day = ANY($3::date[])) i
		FULL JOIN (
			SELECT id, amount, bank_statement_id FROM financial_transactions
			WHERE account_id = $1 AND deposit_account_id = $2
				AND occurred_at = ANY($3::date[])) t ON t.id = i.financial_transaction_id
		WHERE t.amount IS DISTINCT FROM i.amount OR i.later) d
	WHERE amount <> 0 ORDER BY kind, transaction_id LIMIT $6
