-- $1 = account
-- $2 = currency
-- $3 = from
-- $4 = entities
SELECT d.id, d.currency_id, d.name,
		coalesce(d.initial_balance, 0) + CASE WHEN d.currency_id <> $2 THEN 0
			WHEN CAST($3 AS date) - (SELECT min(occurred_at) FROM financial_transactions
					WHERE account_id = $1 AND deposit_account_id = d.id)
				< d.last_transaction_date - CAST($3 AS date)
			THEN (SELECT coalesce(sum(amount), 0) FROM financial_transactions
				WHERE account_id = $1 AND deposit_account_id = d.id AND occurred_at < CAST($3 AS date))
			ELSE d.transactions_sum - (SELECT coalesce(sum(amount), 0) FROM financial_transactions
				WHERE account_id = $1 AND deposit_account_id = d.id AND occurred_at >= CAST($3 AS date))
			END AS balance,
		(SELECT coalesce(sum(amount), 0) FROM financial_transactions
			WHERE account_id = $1 AND deposit_account_id = d.id AND occurred_at >= CAST($3 AS date)
				AND transfer_id IS NOT NULL) AS transferred
	FROM deposit_accounts d WHERE d.account_id = $1 AND d.entity_id = ANY($4) AND d.deleted_at IS NULL
	ORDER BY d.entity_id, fold(d.name), d.id
