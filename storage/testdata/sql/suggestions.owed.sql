-- $1 = account
-- $2 = entity
-- $3 = kinds
-- $4 = from
-- $5 = late
-- $6 = to
-- $7 = early
-- $8 = window
-- $9 = deposit_account
-- $10 = most
SELECT f.id, f.day AS occurred_at, CASE f.kind WHEN 'payable' THEN -f.total ELSE f.total END AS amount,
		f.amount AS nominal, coalesce(f.document, '') AS document,
		coalesce(p.federation_subscription_code, '') AS counterpart_document, coalesce(p.name, '') AS counterpart_name,
		left(concat_ws(' ', f.description, p.name), 1000) AS text, f.status = 1 AS open, f.category_id, f.person_id
	FROM (
		SELECT *, due_date AS day, amount + coalesce(ticket_amount, 0) + coalesce(interest_amount, 0)
			- coalesce(discount_amount, 0) AS total
		FROM financial_accounts
		WHERE account_id = $1 AND entity_id = $2 AND status = 1 AND kind = ANY($3)
			AND due_date BETWEEN CAST($4 AS date) - $5::int AND CAST($6 AS date) + $7::int
			AND due_date NOT BETWEEN CAST($4 AS date) - $8::int AND CAST($6 AS date) + $8::int
			AND (person_id IS NOT NULL OR document IS NOT NULL)) f
	LEFT JOIN people p ON p.account_id = f.account_id AND p.id = f.person_id
	WHERE (f.expected_deposit_account_id IS NULL OR f.expected_deposit_account_id = $9)
		AND (f.credit_card_invoice_id <> ALL (ARRAY(SELECT id FROM credit_card_invoices
			WHERE account_id = $1 AND credit_card_id = ANY (ARRAY(SELECT id FROM credit_cards WHERE account_id = $1 AND deleted_at IS NOT NULL))))) IS NOT FALSE AND (f.sale_account_id <> ALL (ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE
	ORDER BY f.day DESC, f.id LIMIT $10
