-- $1 = account
-- $2 = invoices
DELETE FROM financial_accounts WHERE account_id = $1 AND credit_card_invoice_id = ANY($2)
			RETURNING id
