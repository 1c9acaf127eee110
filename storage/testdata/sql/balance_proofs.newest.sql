-- $1 = account
-- $2 = deposit_account
-- $3 = most
-- $4 = days
SELECT id AS bank_statement_id, bank AS bank_balance, day AS "on", balance AS our_balance,
		bank - balance AS difference,
		CASE WHEN balance IS NULL THEN 'unknown' WHEN balance = bank THEN 'agrees' ELSE 'differs' END AS status
	FROM (
		SELECT s.*, CASE WHEN day IS NOT NULL THEN sum(CASE
			WHEN next IS NOT NULL THEN -coalesce((
				SELECT sum(amount) FROM financial_transactions
				WHERE account_id = s.account_id AND deposit_account_id = s.deposit_account_id AND occurred_at > day
					AND occurred_at <= next), 0)
			WHEN day - t.first < t.last - day THEN initial + coalesce((
				SELECT sum(amount) FROM financial_transactions
				WHERE account_id = s.account_id AND deposit_account_id = s.deposit_account_id AND occurred_at <= day),
					0)
			ELSE initial + transactions_sum - coalesce((
				SELECT sum(amount) FROM financial_transactions
				WHERE account_id = s.account_id AND deposit_account_id = s.deposit_account_id AND occurred_at > day), 0)
			END) OVER (ORDER BY day DESC NULLS LAST, id DESC) END AS balance
		FROM (
			SELECT b.id, b.account_id, b.deposit_account_id, b.ledger_balance AS bank, b.ledger_balance_on AS day,
				lag(b.ledger_balance_on) OVER (ORDER BY b.ledger_balance_on DESC NULLS LAST, b.id DESC) AS next,
				coalesce(d.initial_balance, 0) AS initial, d.transactions_sum
			FROM bank_statements b
			JOIN deposit_accounts d ON d.account_id = b.account_id AND d.id = b.deposit_account_id
				AND d.deleted_at IS NULL
			WHERE b.account_id = $1 AND b.deleted_at IS NULL AND b.event_status = 'success'
	AND b.ledger_balance IS NOT NULL AND b.id = ANY(ARRAY(
		SELECT id FROM (
			SELECT b.id, b.ledger_balance_on AS day, first_value(b.ledger_balance_on) OVER newest AS newest,
				row_number() OVER newest AS nth
			FROM bank_statements b WHERE b.account_id = $1 AND b.deleted_at IS NULL AND b.event_status = 'success'
	AND b.ledger_balance IS NOT NULL AND b.deposit_account_id = $2
			WINDOW newest AS (ORDER BY b.ledger_balance_on DESC NULLS LAST, b.id DESC)
			ORDER BY nth LIMIT $3) b
		WHERE nth = 1 OR day >= least(newest, current_date) - $4::int))) s,
		LATERAL (SELECT min(occurred_at) AS first, max(occurred_at) AS last FROM financial_transactions
			WHERE account_id = s.account_id AND deposit_account_id = s.deposit_account_id) t) p
	ORDER BY day DESC NULLS LAST, id DESC
