-- $1 = account
-- $2 = permission
-- $3 = record
-- $4 = files
UPDATE attachments SET detached_from = $2 WHERE account_id = $1 AND id = ANY(ARRAY(
			SELECT id FROM attachments WHERE account_id = $1 AND id IN (
				SELECT attachment_id FROM financial_account_attachments WHERE account_id = $1 AND financial_account_id = $3
		AND attachment_id <> ALL($4)) ORDER BY id FOR NO KEY UPDATE))
		RETURNING id
