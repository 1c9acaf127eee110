-- $1 = account
-- $2 = entities
-- $3 = from
-- $4 = to
/* planned each time */ 
		SELECT g.month, g.entity_id, g.family, v.kind,
			CASE v.kind WHEN 'category' THEN coalesce(g.category_id, 0) ELSE 0 END AS category_id,
			CAST(v.amount AS text) AS amount
		FROM (
			SELECT r.month, r.entity_id, f.kind || '_accounts' AS family, f.category_id,
				CASE f.kind WHEN 'payable' THEN -1 ELSE 1 END AS sign,
				sum(CASE WHEN f.credit_card_invoice_id IS NULL AND f.sale_account_id IS NULL
					THEN (f.total_amount - coalesce(f.interest_amount, 0) - coalesce(f.ticket_amount, 0)
				+ coalesce(f.discount_amount, 0) + coalesce(f.withheld_tax_amount, 0)
				+ CASE f.kind WHEN 'payable' THEN -1 ELSE 1 END * coalesce(f.fee_amount, 0)) END) AS amount,
				sum(f.interest_amount) AS interest, sum(f.ticket_amount) AS fines, sum(f.discount_amount) AS discounts,
				sum(f.withheld_tax_amount) AS withheld, sum(f.fee_amount) AS fees
			FROM reconciles r JOIN financial_accounts f ON f.account_id = r.account_id AND f.reconcile_id = r.id
			WHERE r.account_id = $1 AND r.entity_id = ANY($2)
				AND r.month = ANY(ARRAY(SELECT CAST(m AS date) FROM generate_series(
					CAST($3 AS timestamp), CAST($4 AS timestamp), interval '1 month') m))
				AND r.id NOT IN (SELECT unnest(ARRAY(
				SELECT h.reconcile_id FROM deposit_accounts d JOIN financial_transactions h
					ON h.account_id = $1 AND h.deposit_account_id = d.id AND h.reconcile_id IS NOT NULL
				WHERE d.account_id = $1 AND d.deleted_at IS NOT NULL
				UNION ALL
				SELECT reconcile_id FROM financial_transactions
				WHERE account_id = $1 AND transfer_id IS NOT NULL
					AND reconcile_id IS NOT NULL)))
				AND NOT ((f.credit_card_invoice_id IS NOT NULL OR f.sale_account_id IS NOT NULL)
				AND f.amount <> (f.total_amount - coalesce(f.interest_amount, 0) - coalesce(f.ticket_amount, 0)
				+ coalesce(f.discount_amount, 0) + coalesce(f.withheld_tax_amount, 0)
				+ CASE f.kind WHEN 'payable' THEN -1 ELSE 1 END * coalesce(f.fee_amount, 0)))
			GROUP BY 1, 2, 3, 4, 5
			) g CROSS JOIN LATERAL (VALUES ('category', sign * amount), ('interest', sign * interest),
				('fines', sign * fines), ('discounts', -sign * discounts), ('withheld_tax', -sign * withheld),
				('fees', -fees)) v (kind, amount)
		WHERE v.amount <> 0
		UNION ALL
		SELECT r.month, r.entity_id, 'credit_card_transactions', 'category', coalesce(t.category_id, 0),
			CAST(-sum(t.amount) AS text)
		FROM reconciles r JOIN financial_accounts f ON f.account_id = r.account_id AND f.reconcile_id = r.id
			JOIN credit_card_transactions t ON t.account_id = f.account_id
				AND t.credit_card_invoice_id = f.credit_card_invoice_id
		WHERE r.account_id = $1 AND r.entity_id = ANY($2)
				AND r.month = ANY(ARRAY(SELECT CAST(m AS date) FROM generate_series(
					CAST($3 AS timestamp), CAST($4 AS timestamp), interval '1 month') m))
				AND r.id NOT IN (SELECT unnest(ARRAY(
				SELECT h.reconcile_id FROM deposit_accounts d JOIN financial_transactions h
					ON h.account_id = $1 AND h.deposit_account_id = d.id AND h.reconcile_id IS NOT NULL
				WHERE d.account_id = $1 AND d.deleted_at IS NOT NULL
				UNION ALL
				SELECT reconcile_id FROM financial_transactions
				WHERE account_id = $1 AND transfer_id IS NOT NULL
					AND reconcile_id IS NOT NULL)))
			AND NOT ((f.credit_card_invoice_id IS NOT NULL OR f.sale_account_id IS NOT NULL)
				AND f.amount <> (f.total_amount - coalesce(f.interest_amount, 0) - coalesce(f.ticket_amount, 0)
				+ coalesce(f.discount_amount, 0) + coalesce(f.withheld_tax_amount, 0)
				+ CASE f.kind WHEN 'payable' THEN -1 ELSE 1 END * coalesce(f.fee_amount, 0)))
		GROUP BY 1, 2, 5
		UNION ALL
		SELECT g.month, g.entity_id, 'sales', v.kind,
			CASE v.kind WHEN 'category' THEN coalesce(g.category_id, 0) ELSE 0 END, CAST(v.amount AS text)
		FROM (
			SELECT r.month, r.entity_id, s.category_id, sum(s.total_amount) AS amount,
				sum(s.total_amount - s.receivable_amount) AS fees
			FROM reconciles r JOIN financial_accounts f ON f.account_id = r.account_id AND f.reconcile_id = r.id
				JOIN sales s ON s.account_id = f.account_id AND s.financial_account_id = f.id
			WHERE r.account_id = $1 AND r.entity_id = ANY($2)
				AND r.month = ANY(ARRAY(SELECT CAST(m AS date) FROM generate_series(
					CAST($3 AS timestamp), CAST($4 AS timestamp), interval '1 month') m))
				AND r.id NOT IN (SELECT unnest(ARRAY(
				SELECT h.reconcile_id FROM deposit_accounts d JOIN financial_transactions h
					ON h.account_id = $1 AND h.deposit_account_id = d.id AND h.reconcile_id IS NOT NULL
				WHERE d.account_id = $1 AND d.deleted_at IS NOT NULL
				UNION ALL
				SELECT reconcile_id FROM financial_transactions
				WHERE account_id = $1 AND transfer_id IS NOT NULL
					AND reconcile_id IS NOT NULL)))
				AND NOT ((f.credit_card_invoice_id IS NOT NULL OR f.sale_account_id IS NOT NULL)
				AND f.amount <> (f.total_amount - coalesce(f.interest_amount, 0) - coalesce(f.ticket_amount, 0)
				+ coalesce(f.discount_amount, 0) + coalesce(f.withheld_tax_amount, 0)
				+ CASE f.kind WHEN 'payable' THEN -1 ELSE 1 END * coalesce(f.fee_amount, 0)))
			GROUP BY 1, 2, 3
			) g CROSS JOIN LATERAL (VALUES ('category', amount), ('card_fees', -fees)) v (kind, amount)
		WHERE v.amount <> 0
