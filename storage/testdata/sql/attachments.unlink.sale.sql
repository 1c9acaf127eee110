-- $1 = account
-- $2 = record
-- $3 = files
DELETE FROM sale_attachments WHERE account_id = $1 AND sale_id = $2
		AND attachment_id <> ALL($3)
