-- $1 = account
-- $2 = statement
-- $3 = item
-- $4 = deposit_account
INSERT INTO financial_transactions AS t (account_id, deposit_account_id, bank_statement_id, currency_id,
		amount, occurred_at, guid, document, original_description, end_to_end_id, txid, counterpart_name, counterpart_document)
	SELECT d.account_id, d.id, i.bank_statement_id, d.currency_id, i.amount, i.day, i.fitid, i.document, i.description,
		end_to_end_id, txid, counterpart_name, counterpart_document
	FROM deposit_accounts d JOIN ignored_items i ON i.account_id = d.account_id AND i.bank_statement_id = $2
		AND i.number = $3
	WHERE d.account_id = $1 AND d.id = $4
	RETURNING t.id
