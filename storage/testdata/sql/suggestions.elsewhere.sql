-- $1 = account
-- $2 = entity
-- $3 = currency
-- $4 = first
-- $5 = from
-- $6 = reach
-- $7 = window
-- $8 = last
-- $9 = to
-- $10 = amounts
-- $11 = deposit_account
-- $12 = most
/* planned each time */ 
	SELECT t.deposit_account_id, t.occurred_at, t.amount, count(*) AS count
	FROM deposit_accounts d JOIN financial_transactions t ON t.account_id = d.account_id
		AND t.deposit_account_id = d.id
	WHERE t.account_id = $1 AND t.reconcile_id IS NULL AND t.transfer_id IS NULL AND NOT EXISTS (
		SELECT FROM bank_statements b WHERE b.account_id = $1 AND b.id = t.bank_statement_id
			AND b.deleted_at IS NOT NULL) AND d.entity_id = $2 AND d.currency_id = $3 AND d.deleted_at IS NULL
		AND t.occurred_at BETWEEN greatest(CAST($4 AS date), CAST($5 AS date) - $6::int) - $7::int
			AND least(CAST($8 AS date), CAST($9 AS date) + $6::int) + $7::int
		AND t.amount = ANY($10::numeric[])
		AND NOT (d.id = $11 AND t.occurred_at BETWEEN CAST($5 AS date) AND CAST($9 AS date))
	GROUP BY 1, 2, 3 LIMIT $12
