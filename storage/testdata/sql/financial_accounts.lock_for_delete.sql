-- $1 = account
-- $2 = entity
-- $3 = kind
-- $4 = id
SELECT f.id, f.sale_account_id, f.credit_card_invoice_id FROM financial_accounts f WHERE f.account_id = $1 AND f.entity_id = $2
	AND f.kind = $3
		AND f.id = $4 FOR UPDATE
