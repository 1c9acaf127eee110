-- $1 = account
-- $2 = record
-- $3 = files
DELETE FROM financial_transaction_attachments WHERE account_id = $1 AND financial_transaction_id = $2
		AND attachment_id <> ALL($3)
