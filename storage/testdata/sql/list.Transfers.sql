-- $1 = 1
-- $2 = 2
-- $3 = 7, for deposit_account_id
-- $4 = 7, for financial_transaction_id
-- $5 = [7], for ids
-- $6 = 30, for size
-- $7 = 30, for offset
SELECT p.id, p.account_id, p.entity_id, p.debit_transaction_id, p.credit_transaction_id,
		d.deposit_account_id AS debit_deposit_account_id, c.deposit_account_id AS credit_deposit_account_id, c.amount, p.created_at
FROM transfers p
		JOIN financial_transactions d ON d.account_id = p.account_id AND d.id = p.debit_transaction_id
		JOIN financial_transactions c ON c.account_id = p.account_id AND c.id = p.credit_transaction_id WHERE p.account_id = $1 AND p.entity_id = $2 AND $3 IN (d.deposit_account_id, c.deposit_account_id) AND p.id = (SELECT pair_id FROM financial_transactions WHERE account_id = $1 AND id = $4) AND p.id = ANY(CAST($5 AS bigint[]))
ORDER BY p.id + 0 DESC LIMIT nullif($6, 0) OFFSET $7;

-- $1 = 1
-- $2 = 2
-- $3 = 7, for deposit_account_id
-- $4 = 7, for financial_transaction_id
-- $5 = [7], for ids
SELECT count(*) FROM transfers p
		JOIN financial_transactions d ON d.account_id = p.account_id AND d.id = p.debit_transaction_id
		JOIN financial_transactions c ON c.account_id = p.account_id AND c.id = p.credit_transaction_id WHERE p.account_id = $1 AND p.entity_id = $2 AND $3 IN (d.deposit_account_id, c.deposit_account_id) AND p.id = (SELECT pair_id FROM financial_transactions WHERE account_id = $1 AND id = $4) AND p.id = ANY(CAST($5 AS bigint[]));

-- $1 = 1
-- $2 = 2
-- $3 = 7
-- $4 = 31
SELECT p.id, p.account_id, p.entity_id, p.debit_transaction_id, p.credit_transaction_id,
		d.deposit_account_id AS debit_deposit_account_id, c.deposit_account_id AS credit_deposit_account_id, c.amount, p.created_at, ARRAY[CAST(p.id AS text)]
FROM transfers p
		JOIN financial_transactions d ON d.account_id = p.account_id AND d.id = p.debit_transaction_id
		JOIN financial_transactions c ON c.account_id = p.account_id AND c.id = p.credit_transaction_id WHERE p.account_id = $1 AND p.entity_id = $2 AND (p.id) < (CAST($3 AS bigint))
ORDER BY p.id DESC LIMIT $4;
