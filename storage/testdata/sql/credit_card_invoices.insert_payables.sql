-- $1 = account
-- $2 = entity
-- $3 = category
-- $4 = person
-- $5 = center
-- $6 = invoices
-- $7 = descriptions
INSERT INTO financial_accounts (account_id, entity_id, kind, due_date, amount, competency_month, description,
			credit_card_invoice_id,
			category_id, person_id, classification_center_id)
		SELECT i.account_id, $2, 'payable', i.due_date, i.balance, i.month, s.description, i.id,
			(SELECT id FROM categories WHERE account_id = $1 AND id = $3
				AND deleted_at IS NULL FOR KEY SHARE),
			(SELECT id FROM people WHERE account_id = $1 AND id = $4 AND deleted_at IS NULL FOR KEY SHARE),
			(SELECT id FROM classification_centers WHERE account_id = $1 AND id = $5
				AND deleted_at IS NULL FOR KEY SHARE)
		FROM unnest($6::bigint[], $7::text[]) AS s (id, description)
		JOIN credit_card_invoices i ON i.account_id = $1 AND i.id = s.id
		WHERE NOT EXISTS (SELECT FROM financial_accounts f WHERE f.account_id = $1
			AND f.credit_card_invoice_id = i.id)
		ORDER BY i.end_date
		RETURNING id
