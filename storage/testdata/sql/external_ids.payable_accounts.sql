-- $1 = account
-- $2 = entity
-- $3 = identities
SELECT r.id, r.external_id AS identity, NOT ((r.credit_card_invoice_id <> ALL (ARRAY(SELECT id FROM credit_card_invoices
			WHERE account_id = $1 AND credit_card_id = ANY (ARRAY(SELECT id FROM credit_cards WHERE account_id = $1 AND deleted_at IS NOT NULL))))) IS NOT FALSE AND (r.sale_account_id <> ALL (ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE) AS hidden
		FROM financial_accounts r
		WHERE r.account_id = $1 AND r.entity_id = $2 AND r.kind = 'payable' AND r.external_id = ANY($3) ORDER BY r.id
