-- $1 = 1
-- $2 = [payable_accounts receivable_accounts cash_flows budgets bank_slips credit_cards]
-- $3 = 2
-- $4 = [7], for ids
-- $5 = 2026-01-31T00:00:00, for updated_at_gte
-- $6 = 30, for size
-- $7 = 30, for offset
SELECT a.id, a.account_id, a.entity_id, a.title, a.file_key, a.attachment_file_name, a.attachment_content_type,
		a.attachment_file_size,
	a.created_at, a.updated_at, (SELECT coalesce(json_agg(r.id ORDER BY r.id), '[]') FROM ((SELECT x.financial_account_id AS id FROM financial_account_attachments x JOIN financial_accounts r ON r.account_id = x.account_id AND r.id = x.financial_account_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND (r.credit_card_invoice_id <> ALL (ARRAY(SELECT id FROM credit_card_invoices
			WHERE account_id = $1 AND credit_card_id = ANY (ARRAY(SELECT id FROM credit_cards WHERE account_id = $1 AND deleted_at IS NOT NULL))))) IS NOT FALSE AND (r.sale_account_id <> ALL (ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND r.kind || '_accounts' = ANY($2) AND r.kind = 'payable' ORDER BY 1 LIMIT 20) UNION ALL (SELECT x.financial_account_id AS id FROM financial_account_attachments x JOIN financial_accounts r ON r.account_id = x.account_id AND r.id = x.financial_account_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND (r.credit_card_invoice_id <> ALL (ARRAY(SELECT id FROM credit_card_invoices
			WHERE account_id = $1 AND credit_card_id = ANY (ARRAY(SELECT id FROM credit_cards WHERE account_id = $1 AND deleted_at IS NOT NULL))))) IS NOT FALSE AND (r.sale_account_id <> ALL (ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND r.kind || '_accounts' = ANY($2) AND r.kind = 'receivable' ORDER BY 1 LIMIT 20)) r) AS account_ids,
	(SELECT coalesce(json_agg(r.id ORDER BY r.id), '[]') FROM ((SELECT x.financial_transaction_id AS id FROM financial_transaction_attachments x JOIN financial_transactions r ON r.account_id = x.account_id AND r.id = x.financial_transaction_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND (r.deposit_account_id <> ALL (ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND 'financial_transactions' = ANY($2) ORDER BY 1 LIMIT 20)) r) AS transaction_ids, (SELECT coalesce(json_agg(r.id ORDER BY r.id), '[]') FROM ((SELECT x.sale_id AS id FROM sale_attachments x JOIN sales r ON r.account_id = x.account_id AND r.id = x.sale_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND (r.sale_account_id <> ALL (ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND 'receivable_accounts' = ANY($2) ORDER BY 1 LIMIT 20)) r) AS sale_ids
FROM attachments a WHERE a.account_id = $1 AND a.entity_id = $3 AND ((EXISTS (SELECT FROM financial_account_attachments x JOIN financial_accounts r ON r.account_id = x.account_id AND r.id = x.financial_account_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND (r.credit_card_invoice_id <> ALL (ARRAY(SELECT id FROM credit_card_invoices
			WHERE account_id = $1 AND credit_card_id = ANY (ARRAY(SELECT id FROM credit_cards WHERE account_id = $1 AND deleted_at IS NOT NULL))))) IS NOT FALSE AND (r.sale_account_id <> ALL (ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND r.kind || '_accounts' = ANY($2)) OR EXISTS (SELECT FROM financial_transaction_attachments x JOIN financial_transactions r ON r.account_id = x.account_id AND r.id = x.financial_transaction_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND (r.deposit_account_id <> ALL (ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND 'financial_transactions' = ANY($2)) OR EXISTS (SELECT FROM sale_attachments x JOIN sales r ON r.account_id = x.account_id AND r.id = x.sale_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND (r.sale_account_id <> ALL (ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND 'receivable_accounts' = ANY($2)))
	OR (a.detached_from IS NULL OR a.detached_from = ANY($2)) AND NOT (EXISTS (SELECT FROM financial_account_attachments x JOIN financial_accounts r ON r.account_id = x.account_id AND r.id = x.financial_account_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id) OR EXISTS (SELECT FROM financial_transaction_attachments x JOIN financial_transactions r ON r.account_id = x.account_id AND r.id = x.financial_transaction_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id) OR EXISTS (SELECT FROM sale_attachments x JOIN sales r ON r.account_id = x.account_id AND r.id = x.sale_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id))) AND a.id = ANY(CAST($4 AS bigint[])) AND a.updated_at >= CAST($5 AS timestamptz)
ORDER BY a.id + 0 DESC LIMIT nullif($6, 0) OFFSET $7;

-- $1 = 1
-- $2 = 2
-- $3 = [payable_accounts receivable_accounts cash_flows budgets bank_slips credit_cards]
-- $4 = [7], for ids
-- $5 = 2026-01-31T00:00:00, for updated_at_gte
SELECT count(*) FROM attachments a WHERE a.account_id = $1 AND a.entity_id = $2 AND ((EXISTS (SELECT FROM financial_account_attachments x JOIN financial_accounts r ON r.account_id = x.account_id AND r.id = x.financial_account_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND (r.credit_card_invoice_id <> ALL (ARRAY(SELECT id FROM credit_card_invoices
			WHERE account_id = $1 AND credit_card_id = ANY (ARRAY(SELECT id FROM credit_cards WHERE account_id = $1 AND deleted_at IS NOT NULL))))) IS NOT FALSE AND (r.sale_account_id <> ALL (ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND r.kind || '_accounts' = ANY($3)) OR EXISTS (SELECT FROM financial_transaction_attachments x JOIN financial_transactions r ON r.account_id = x.account_id AND r.id = x.financial_transaction_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND (r.deposit_account_id <> ALL (ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND 'financial_transactions' = ANY($3)) OR EXISTS (SELECT FROM sale_attachments x JOIN sales r ON r.account_id = x.account_id AND r.id = x.sale_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND (r.sale_account_id <> ALL (ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND 'receivable_accounts' = ANY($3)))
	OR (a.detached_from IS NULL OR a.detached_from = ANY($3)) AND NOT (EXISTS (SELECT FROM financial_account_attachments x JOIN financial_accounts r ON r.account_id = x.account_id AND r.id = x.financial_account_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id) OR EXISTS (SELECT FROM financial_transaction_attachments x JOIN financial_transactions r ON r.account_id = x.account_id AND r.id = x.financial_transaction_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id) OR EXISTS (SELECT FROM sale_attachments x JOIN sales r ON r.account_id = x.account_id AND r.id = x.sale_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id))) AND a.id = ANY(CAST($4 AS bigint[])) AND a.updated_at >= CAST($5 AS timestamptz);

-- $1 = 1
-- $2 = [payable_accounts receivable_accounts cash_flows budgets bank_slips credit_cards]
-- $3 = 2
-- $4 = 7
-- $5 = 31
SELECT a.id, a.account_id, a.entity_id, a.title, a.file_key, a.attachment_file_name, a.attachment_content_type,
		a.attachment_file_size,
	a.created_at, a.updated_at, (SELECT coalesce(json_agg(r.id ORDER BY r.id), '[]') FROM ((SELECT x.financial_account_id AS id FROM financial_account_attachments x JOIN financial_accounts r ON r.account_id = x.account_id AND r.id = x.financial_account_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND (r.credit_card_invoice_id <> ALL (ARRAY(SELECT id FROM credit_card_invoices
			WHERE account_id = $1 AND credit_card_id = ANY (ARRAY(SELECT id FROM credit_cards WHERE account_id = $1 AND deleted_at IS NOT NULL))))) IS NOT FALSE AND (r.sale_account_id <> ALL (ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND r.kind || '_accounts' = ANY($2) AND r.kind = 'payable' ORDER BY 1 LIMIT 20) UNION ALL (SELECT x.financial_account_id AS id FROM financial_account_attachments x JOIN financial_accounts r ON r.account_id = x.account_id AND r.id = x.financial_account_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND (r.credit_card_invoice_id <> ALL (ARRAY(SELECT id FROM credit_card_invoices
			WHERE account_id = $1 AND credit_card_id = ANY (ARRAY(SELECT id FROM credit_cards WHERE account_id = $1 AND deleted_at IS NOT NULL))))) IS NOT FALSE AND (r.sale_account_id <> ALL (ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND r.kind || '_accounts' = ANY($2) AND r.kind = 'receivable' ORDER BY 1 LIMIT 20)) r) AS account_ids,
	(SELECT coalesce(json_agg(r.id ORDER BY r.id), '[]') FROM ((SELECT x.financial_transaction_id AS id FROM financial_transaction_attachments x JOIN financial_transactions r ON r.account_id = x.account_id AND r.id = x.financial_transaction_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND (r.deposit_account_id <> ALL (ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND 'financial_transactions' = ANY($2) ORDER BY 1 LIMIT 20)) r) AS transaction_ids, (SELECT coalesce(json_agg(r.id ORDER BY r.id), '[]') FROM ((SELECT x.sale_id AS id FROM sale_attachments x JOIN sales r ON r.account_id = x.account_id AND r.id = x.sale_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND (r.sale_account_id <> ALL (ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND 'receivable_accounts' = ANY($2) ORDER BY 1 LIMIT 20)) r) AS sale_ids, ARRAY[CAST(a.id AS text)]
FROM attachments a WHERE a.account_id = $1 AND a.entity_id = $3 AND ((EXISTS (SELECT FROM financial_account_attachments x JOIN financial_accounts r ON r.account_id = x.account_id AND r.id = x.financial_account_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND (r.credit_card_invoice_id <> ALL (ARRAY(SELECT id FROM credit_card_invoices
			WHERE account_id = $1 AND credit_card_id = ANY (ARRAY(SELECT id FROM credit_cards WHERE account_id = $1 AND deleted_at IS NOT NULL))))) IS NOT FALSE AND (r.sale_account_id <> ALL (ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND r.kind || '_accounts' = ANY($2)) OR EXISTS (SELECT FROM financial_transaction_attachments x JOIN financial_transactions r ON r.account_id = x.account_id AND r.id = x.financial_transaction_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND (r.deposit_account_id <> ALL (ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND 'financial_transactions' = ANY($2)) OR EXISTS (SELECT FROM sale_attachments x JOIN sales r ON r.account_id = x.account_id AND r.id = x.sale_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND (r.sale_account_id <> ALL (ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE AND 'receivable_accounts' = ANY($2)))
	OR (a.detached_from IS NULL OR a.detached_from = ANY($2)) AND NOT (EXISTS (SELECT FROM financial_account_attachments x JOIN financial_accounts r ON r.account_id = x.account_id AND r.id = x.financial_account_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id) OR EXISTS (SELECT FROM financial_transaction_attachments x JOIN financial_transactions r ON r.account_id = x.account_id AND r.id = x.financial_transaction_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id) OR EXISTS (SELECT FROM sale_attachments x JOIN sales r ON r.account_id = x.account_id AND r.id = x.sale_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id))) AND (a.id) < (CAST($4 AS bigint))
ORDER BY a.id DESC LIMIT $5;
