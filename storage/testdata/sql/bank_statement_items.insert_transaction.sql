-- $1 = account
-- $2 = statement
-- $3 = amount
-- $4 = day
-- $5 = fitid
-- $6 = document
-- $7 = description
-- $8 = deposit_account
INSERT INTO financial_transactions AS t (account_id, deposit_account_id, bank_statement_id, currency_id,
		amount, occurred_at, guid, document, original_description)
	SELECT account_id, id, $2, currency_id, $3, $4, $5, $6, $7
	FROM deposit_accounts WHERE account_id = $1 AND id = $8
	RETURNING t.id
