-- $1 = account
-- $2 = invoices
UPDATE financial_accounts f SET amount = i.balance, discount_amount = CASE WHEN f.discount_amount IS NOT NULL THEN
		least(f.discount_amount, i.balance + coalesce(f.ticket_amount, 0) + coalesce(f.interest_amount, 0)) END, updated_at = now() FROM credit_card_invoices i
		WHERE f.account_id = $1 AND i.account_id = $1 AND f.credit_card_invoice_id = i.id
			AND i.id = ANY($2)
			AND f.amount <> i.balance
		RETURNING f.id
