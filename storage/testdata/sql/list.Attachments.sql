-- $1 = 1
SELECT EXISTS (SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL) OR EXISTS (SELECT id FROM credit_cards WHERE account_id = $1 AND deleted_at IS NOT NULL)
		OR EXISTS (SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL);

-- $1 = 1
-- $2 = 2
-- $3 = [7], for ids
-- $4 = 2026-01-31T00:00:00, for updated_at_gte
-- $5 = 30, for size
-- $6 = 30, for offset
SELECT a.id, a.account_id, a.entity_id, a.title, a.file_key, a.attachment_file_name, a.attachment_content_type,
		a.attachment_file_size,
	a.created_at, a.updated_at, (SELECT coalesce(json_agg(r.id ORDER BY r.id), '[]') FROM ((SELECT x.financial_account_id AS id FROM financial_account_attachments x JOIN financial_accounts r ON r.account_id = x.account_id AND r.id = x.financial_account_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND r.kind = 'payable' ORDER BY 1 LIMIT 20) UNION ALL (SELECT x.financial_account_id AS id FROM financial_account_attachments x JOIN financial_accounts r ON r.account_id = x.account_id AND r.id = x.financial_account_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND r.kind = 'receivable' ORDER BY 1 LIMIT 20)) r) AS account_ids,
	(SELECT coalesce(json_agg(r.id ORDER BY r.id), '[]') FROM ((SELECT x.financial_transaction_id AS id FROM financial_transaction_attachments x JOIN financial_transactions r ON r.account_id = x.account_id AND r.id = x.financial_transaction_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id ORDER BY 1 LIMIT 20)) r) AS transaction_ids, (SELECT coalesce(json_agg(r.id ORDER BY r.id), '[]') FROM ((SELECT x.sale_id AS id FROM sale_attachments x JOIN sales r ON r.account_id = x.account_id AND r.id = x.sale_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id ORDER BY 1 LIMIT 20)) r) AS sale_ids
FROM attachments a WHERE a.account_id = $1 AND a.entity_id = $2 AND a.id = ANY(CAST($3 AS bigint[])) AND a.updated_at >= CAST($4 AS timestamptz)
ORDER BY a.id + 0 DESC LIMIT nullif($5, 0) OFFSET $6;

-- $1 = 1
-- $2 = 2
-- $3 = [7], for ids
-- $4 = 2026-01-31T00:00:00, for updated_at_gte
SELECT count(*) FROM attachments a WHERE a.account_id = $1 AND a.entity_id = $2 AND a.id = ANY(CAST($3 AS bigint[])) AND a.updated_at >= CAST($4 AS timestamptz);

-- $1 = 1
-- $2 = 2
-- $3 = 7
-- $4 = 31
SELECT a.id, a.account_id, a.entity_id, a.title, a.file_key, a.attachment_file_name, a.attachment_content_type,
		a.attachment_file_size,
	a.created_at, a.updated_at, (SELECT coalesce(json_agg(r.id ORDER BY r.id), '[]') FROM ((SELECT x.financial_account_id AS id FROM financial_account_attachments x JOIN financial_accounts r ON r.account_id = x.account_id AND r.id = x.financial_account_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND r.kind = 'payable' ORDER BY 1 LIMIT 20) UNION ALL (SELECT x.financial_account_id AS id FROM financial_account_attachments x JOIN financial_accounts r ON r.account_id = x.account_id AND r.id = x.financial_account_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id AND r.kind = 'receivable' ORDER BY 1 LIMIT 20)) r) AS account_ids,
	(SELECT coalesce(json_agg(r.id ORDER BY r.id), '[]') FROM ((SELECT x.financial_transaction_id AS id FROM financial_transaction_attachments x JOIN financial_transactions r ON r.account_id = x.account_id AND r.id = x.financial_transaction_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id ORDER BY 1 LIMIT 20)) r) AS transaction_ids, (SELECT coalesce(json_agg(r.id ORDER BY r.id), '[]') FROM ((SELECT x.sale_id AS id FROM sale_attachments x JOIN sales r ON r.account_id = x.account_id AND r.id = x.sale_id
		WHERE x.account_id = a.account_id AND x.attachment_id = a.id ORDER BY 1 LIMIT 20)) r) AS sale_ids, ARRAY[CAST(a.id AS text)]
FROM attachments a WHERE a.account_id = $1 AND a.entity_id = $2 AND (a.id) < (CAST($3 AS bigint))
ORDER BY a.id DESC LIMIT $4;
