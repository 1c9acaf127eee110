-- $1 = account
-- $2 = deposit_account
-- $3 = day
-- $4 = since
-- $5 = most
WITH suspected AS MATERIALIZED (
		SELECT i.day, max(b.id) AS last
		FROM bank_statements b JOIN ignored_items i ON i.account_id = b.account_id AND i.bank_statement_id = b.id
		WHERE b.account_id = $1 AND b.deposit_account_id = $2 AND b.deleted_at IS NULL
			AND b.event_status = 'success'
			AND i.day < $3 AND i.day >= coalesce($4, date '-infinity') AND i.outcome = 'duplicate' AND i.suspect
			AND NOT EXISTS (
			SELECT FROM bank_statements own
			JOIN imported_items m ON m.account_id = own.account_id AND m.deposit_account_id = own.deposit_account_id
				AND m.day = i.day AND m.amount = i.amount AND m.mark = i.mark AND m.fitid = i.fitid
				AND m.bank_statement_id <> own.id
			JOIN bank_statements other ON other.account_id = m.account_id AND other.id = m.bank_statement_id
				AND other.deleted_at IS NULL
			WHERE own.account_id = i.account_id AND own.id = i.bank_statement_id)
		GROUP BY i.day)
	SELECT a.id, a.bank, a.day, coalesce((
		SELECT sum(amount) FROM financial_transactions t
		WHERE t.account_id = $1 AND t.deposit_account_id = $2 AND t.occurred_at > a.day
			AND t.occurred_at <= a.until), 0) AS moved
	FROM (
		SELECT id, bank, day, lag(day, 1, CAST($3 AS date)) OVER (ORDER BY day DESC) AS until
		FROM (
			SELECT DISTINCT ON (b.ledger_balance_on) b.id, b.ledger_balance AS bank, b.ledger_balance_on AS day
			FROM bank_statements b
			WHERE b.account_id = $1 AND b.deleted_at IS NULL AND b.event_status = 'success'
	AND b.ledger_balance IS NOT NULL AND b.deposit_account_id = $2 AND b.ledger_balance_on < $3
				AND b.ledger_balance_on >= coalesce($4, date '-infinity')
			ORDER BY b.ledger_balance_on DESC, b.id DESC) a
		WHERE NOT EXISTS (SELECT FROM (
		SELECT day, amount, bank_statement_id, number, financial_transaction_id, bank_statement_id > a.id AND nth > named AS later
		FROM (
			SELECT *, row_number() OVER (equal ORDER BY bank_statement_id, ordinal) AS nth,
				count(*) FILTER (WHERE bank_statement_id IS NULL OR bank_statement_id = a.id) OVER equal AS named
			FROM (
				SELECT day, amount, mark, ordinal, bank_statement_id, number, financial_transaction_id
					FROM imported_items
				WHERE account_id = $1 AND deposit_account_id = $2 AND day = a.day
				UNION ALL
				SELECT day, amount, mark, NULL, NULL, NULL, NULL
				FROM (
		SELECT number, day, amount, mark FROM ignored_items
		WHERE account_id = $1 AND bank_statement_id = a.id AND outcome = 'duplicate'
		UNION ALL
		SELECT u.number, u.day, u.amount, u.mark FROM folded_items f,
			unnest(f.numbers, f.lines, f.days, f.amounts, f.marks) u (number, line, day, amount, mark)
		WHERE f.account_id = $1 AND f.bank_statement_id = a.id AND f.outcome = 'duplicate') k
				WHERE day = a.day AND EXISTS (
					SELECT FROM imported_items
					WHERE account_id = $1 AND deposit_account_id = $2 AND day = a.day AND bank_statement_id > a.id)) r
			WINDOW equal AS (PARTITION BY amount, mark)) r
		WHERE bank_statement_id IS NOT NULL) r WHERE later)
			AND NOT EXISTS (SELECT FROM suspected s WHERE s.day = a.day AND s.last > a.id)
		ORDER BY day DESC LIMIT $5) a
	ORDER BY day DESC
