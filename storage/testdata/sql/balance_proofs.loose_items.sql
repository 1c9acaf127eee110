-- $1 = account
-- $2 = deposit_account
-- $3 = first
-- $4 = last
-- $5 = statement
-- $6 = most
SELECT DISTINCT ON (i.day, i.amount, i.mark, i.outcome, i.fitid, i.description) i.bank_statement_id, i.number,
		i.day, i.amount, i.outcome
	FROM bank_statements b JOIN ignored_items i ON i.account_id = b.account_id AND i.bank_statement_id = b.id
	WHERE b.account_id = $1 AND b.deposit_account_id = $2 AND b.deleted_at IS NULL
		AND b.event_status = 'success' AND i.day >= $3 AND i.day <= $4
		AND (i.outcome IN ('balance', 'future') OR i.outcome = 'duplicate' AND i.suspect AND (
				SELECT t.id FROM financial_transactions t WHERE t.account_id = $1 AND t.id = i.replaces) IS NULL)
		AND (i.outcome = 'balance' OR NOT EXISTS (
			SELECT FROM imported_items m JOIN bank_statements brought ON brought.account_id = $1
				AND brought.id = m.bank_statement_id AND brought.deleted_at IS NULL
			WHERE m.account_id = $1 AND m.deposit_account_id = $2 AND m.day = i.day
				AND m.amount = i.amount AND m.mark = i.mark AND (m.day < $4 OR m.bank_statement_id <= $5)
				AND (i.outcome = 'future' OR m.fitid = i.fitid AND m.bank_statement_id <> i.bank_statement_id)))
	ORDER BY i.day, i.amount, i.mark, i.outcome, i.fitid, i.description, i.bank_statement_id, i.number LIMIT $6
