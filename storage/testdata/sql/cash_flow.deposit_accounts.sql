-- $1 = account
-- $2 = entities
SELECT id, currency_id, name, coalesce(initial_balance, 0) + transactions_sum AS balance
	FROM deposit_accounts WHERE account_id = $1 AND entity_id = ANY($2) AND deleted_at IS NULL
	ORDER BY entity_id, fold(name), id
