-- $1 = account
-- $2 = ids
-- $3 = kind
-- $4 = records
DELETE FROM attachments a WHERE a.account_id = $1 AND a.id = ANY($2)
	AND NOT EXISTS (SELECT FROM financial_account_attachments x
		WHERE x.account_id = $1 AND x.attachment_id = a.id
			AND NOT ('financial_account' = $3 AND x.financial_account_id = ANY($4)))
	AND NOT EXISTS (SELECT FROM financial_transaction_attachments x
		WHERE x.account_id = $1 AND x.attachment_id = a.id
			AND NOT ('financial_transaction' = $3 AND x.financial_transaction_id = ANY($4)))
	AND NOT EXISTS (SELECT FROM sale_attachments x
		WHERE x.account_id = $1 AND x.attachment_id = a.id
			AND NOT ('sale' = $3 AND x.sale_id = ANY($4)))
	AND (EXISTS (SELECT FROM financial_account_attachments x
			WHERE 'financial_account' = $3 AND x.account_id = $1 AND x.attachment_id = a.id
				AND x.financial_account_id = ANY($4))
		OR EXISTS (SELECT FROM financial_transaction_attachments x
			WHERE 'financial_transaction' = $3 AND x.account_id = $1 AND x.attachment_id = a.id
				AND x.financial_transaction_id = ANY($4))
		OR EXISTS (SELECT FROM sale_attachments x
			WHERE 'sale' = $3 AND x.account_id = $1 AND x.attachment_id = a.id
				AND x.sale_id = ANY($4)))
	RETURNING a.id, a.entity_id, coalesce((SELECT json_agg(c.family) FROM (
		SELECT f.kind || '_accounts' FROM financial_account_attachments x JOIN financial_accounts f
			ON f.account_id = x.account_id AND f.id = x.financial_account_id
			WHERE x.account_id = a.account_id AND x.attachment_id = a.id
		UNION SELECT 'financial_transactions' FROM financial_transaction_attachments x
			WHERE x.account_id = a.account_id AND x.attachment_id = a.id
		UNION SELECT 'receivable_accounts' FROM sale_attachments x WHERE x.account_id = a.account_id
			AND x.attachment_id = a.id) AS c (family)),
	CASE WHEN a.detached_from IS NOT NULL THEN json_build_array(a.detached_from) END, '[]') AS visible_to
