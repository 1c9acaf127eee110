-- $1 = 1
-- $2 = 2
-- $3 = 103
-- $4 = [7], for ids
-- $5 = 30, for size
-- $6 = 30, for offset
SELECT i.id, i.account_id, i.credit_card_id, i.start_date, i.end_date, i.due_date, i.balance, i.transactions_count, f.id AS payable_account_id
FROM credit_card_invoices i JOIN credit_cards k ON k.account_id = i.account_id AND k.id = i.credit_card_id
		LEFT JOIN financial_accounts f ON f.account_id = i.account_id AND f.credit_card_invoice_id = i.id
		WHERE i.account_id = $1 AND k.entity_id = $2 AND k.deleted_at IS NULL
			AND i.credit_card_id = $3 AND i.id = ANY(CAST($4 AS bigint[]))
ORDER BY i.month + 0, i.id LIMIT nullif($5, 0) OFFSET $6;

-- $1 = 1
-- $2 = 2
-- $3 = 103
-- $4 = [7], for ids
SELECT count(*) FROM credit_card_invoices i JOIN credit_cards k ON k.account_id = i.account_id AND k.id = i.credit_card_id
		LEFT JOIN financial_accounts f ON f.account_id = i.account_id AND f.credit_card_invoice_id = i.id
		WHERE i.account_id = $1 AND k.entity_id = $2 AND k.deleted_at IS NULL
			AND i.credit_card_id = $3 AND i.id = ANY(CAST($4 AS bigint[]));

-- $1 = 1
-- $2 = 2
-- $3 = 103
-- $4 = 2026-01-31
-- $5 = 7
-- $6 = 31
SELECT i.id, i.account_id, i.credit_card_id, i.start_date, i.end_date, i.due_date, i.balance, i.transactions_count, f.id AS payable_account_id, ARRAY[CAST(i.month AS text), CAST(i.id AS text)]
FROM credit_card_invoices i JOIN credit_cards k ON k.account_id = i.account_id AND k.id = i.credit_card_id
		LEFT JOIN financial_accounts f ON f.account_id = i.account_id AND f.credit_card_invoice_id = i.id
		WHERE i.account_id = $1 AND k.entity_id = $2 AND k.deleted_at IS NULL
			AND i.credit_card_id = $3 AND (i.month, i.id) > (CAST($4 AS date), CAST($5 AS bigint))
ORDER BY i.month, i.id LIMIT $6;
