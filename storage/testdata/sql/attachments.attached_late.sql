-- $1 = account
-- $2 = id
-- $3 = financial_account_ids
-- $4 = financial_transaction_ids
-- $5 = sale_ids
SELECT EXISTS (SELECT FROM financial_account_attachments WHERE account_id = $1 AND attachment_id = $2
	AND financial_account_id <> ALL($3)) OR EXISTS (SELECT FROM financial_transaction_attachments WHERE account_id = $1 AND attachment_id = $2
	AND financial_transaction_id <> ALL($4)) OR EXISTS (SELECT FROM sale_attachments WHERE account_id = $1 AND attachment_id = $2
	AND sale_id <> ALL($5))
