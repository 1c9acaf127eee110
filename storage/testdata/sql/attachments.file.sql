-- $1 = account
-- $2 = entity
-- $3 = permissions
-- $4 = id
SELECT a.file_key FROM attachments a WHERE a.account_id = $1 AND a.entity_id = $2 AND ((EXISTS (SELECT FROM financial_account_attachments x JOIN financial_accounts r ON r.account_id = x.account_id AND r.id = x.financial_account_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND (r.credit_card_invoice_id <> ALL (ARRAY(SELECT id FROM credit_card_invoices
			WHERE account_id = $1 AND credit_card_id = ANY (ARRAY(SELECT id FROM credit_cards WHERE account_id = $1 AND deleted_at IS NOT NULL))))) IS NOT FALSE AND (r.sale_account_id <> ALL (ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND r.kind || '_accounts' = ANY($3)) OR EXISTS (SELECT FROM financial_transaction_attachments x JOIN financial_transactions r ON r.account_id = x.account_id AND r.id = x.financial_transaction_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND (r.deposit_account_id <> ALL (ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND 'financial_transactions' = ANY($3)) OR EXISTS (SELECT FROM sale_attachments x JOIN sales r ON r.account_id = x.account_id AND r.id = x.sale_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND (r.sale_account_id <> ALL (ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND 'receivable_accounts' = ANY($3)))
	OR (a.detached_from IS NULL OR a.detached_from = ANY($3)) AND NOT (EXISTS (SELECT FROM financial_account_attachments x JOIN financial_accounts r ON r.account_id = x.account_id AND r.id = x.financial_account_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id) OR EXISTS (SELECT FROM financial_transaction_attachments x JOIN financial_transactions r ON r.account_id = x.account_id AND r.id = x.financial_transaction_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id) OR EXISTS (SELECT FROM sale_attachments x JOIN sales r ON r.account_id = x.account_id AND r.id = x.sale_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id))) AND a.id = $4
