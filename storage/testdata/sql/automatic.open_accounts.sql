-- $1 = account
-- $2 = entity
-- $3 = first
-- $4 = reach
-- $5 = last
-- $6 = amounts
SELECT f.id, CAST(f.version AS bigint) AS version, coalesce(f.expected_deposit_account_id,
			0) AS deposit_account_id, f.day AS occurred_at,
			CASE f.kind WHEN 'payable' THEN -f.total ELSE f.total END AS amount, coalesce(f.document, '') AS document,
		coalesce(p.federation_subscription_code, '') AS counterpart_document, coalesce(p.name, '') AS counterpart_name,
			left(concat_ws(' ', f.description, p.name), 1000) AS text, f.status = 1 AS open, f.category_id, f.person_id
		FROM (
			SELECT *, xmin::text AS version, occurred_at AS day, total_amount AS total FROM financial_accounts
			WHERE account_id = $1 AND entity_id = $2 AND kind = ANY('{payable,receivable}') AND status = 2
				AND occurred_at BETWEEN CAST($3 AS date) - $4::int AND CAST($5 AS date) + $4::int
			UNION ALL
			SELECT * FROM (
				SELECT *, xmin::text, due_date AS day,
					amount + coalesce(ticket_amount, 0) + coalesce(interest_amount, 0) - coalesce(discount_amount,
						0) AS total
				FROM financial_accounts
				WHERE account_id = $1 AND entity_id = $2 AND kind = ANY('{payable,receivable}')
					AND status = 1
					AND due_date <= CAST($5 AS date) + $4::int) o
			WHERE o.day >= CAST($3 AS date) - $4::int OR o.total IN (SELECT unnest($6::numeric[]))) f
		LEFT JOIN people p ON p.account_id = f.account_id AND p.id = f.person_id
		WHERE (f.credit_card_invoice_id <> ALL (ARRAY(SELECT id FROM credit_card_invoices
			WHERE account_id = $1 AND credit_card_id = ANY (ARRAY(SELECT id FROM credit_cards WHERE account_id = $1 AND deleted_at IS NOT NULL))))) IS NOT FALSE AND (f.sale_account_id <> ALL (ARRAY(SELECT id FROM sale_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE
