-- $1 = account
-- $2 = entity
-- $3 = kind
-- $4 = ids
SELECT f.id, f.status, f.sale_account_id, f.credit_card_invoice_id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2
	AND f.kind = $3
		AND f.id = ANY($4) ORDER BY f.id FOR UPDATE
