-- $1 = account
-- $2 = deposit_account
-- $3 = statement
SELECT s.first AS begins, NOT s.openable AS begun, (
			SELECT CASE WHEN b.ledger_balance_on = f.ledger_balance_on THEN b.id ELSE f.id END FROM bank_statements f
			WHERE f.account_id = $1 AND f.deposit_account_id = $2 AND f.deleted_at IS NULL
				AND f.event_status = 'success'
				AND f.ledger_balance IS NOT NULL AND f.ledger_balance_on IS NOT NULL
			ORDER BY f.ledger_balance_on, f.id LIMIT 1) AS first
		FROM bank_statements b, (
	SELECT coalesce(d.initial_balance, 0) AS initial, coalesce((
			SELECT min(t.occurred_at) FROM financial_transactions t WHERE t.account_id = $1
				AND t.deposit_account_id = $2) >= s.first, true) AS openable, s.first
	FROM deposit_accounts d, LATERAL (
		SELECT least(b.period_start, b.period_end, b.ledger_balance_on, i.first) AS first
		FROM bank_statements b, LATERAL (
	SELECT coalesce(b.first_item_on, min(day)) AS first, coalesce(b.last_item_on, max(day)) AS last FROM (
		SELECT day FROM imported_items WHERE account_id = b.account_id AND bank_statement_id = b.id
			AND b.first_item_on IS NULL
		UNION ALL
		SELECT day FROM (
		SELECT number, day, amount, mark FROM ignored_items
		WHERE account_id = b.account_id AND bank_statement_id = b.id AND outcome = 'duplicate'
		UNION ALL
		SELECT u.number, u.day, u.amount, u.mark FROM folded_items f,
			unnest(f.numbers, f.lines, f.days, f.amounts, f.marks) u (number, line, day, amount, mark)
		WHERE f.account_id = b.account_id AND f.bank_statement_id = b.id AND f.outcome = 'duplicate') k WHERE b.first_item_on IS NULL) d) i WHERE b.account_id = $1 AND b.id = $3) s
	WHERE d.account_id = $1 AND d.id = $2) s
		WHERE b.account_id = $1 AND b.id = $3
