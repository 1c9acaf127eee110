SELECT account_id, record, expected, found
		FROM (
		SELECT s.account_id, format('sale %s', s.id),
			format('status %s, due on %s, liquidated on %s, in a receivable account of sale account %s of entity %s',
				CASE WHEN f.settling THEN s.status ELSE f.status END,
				f.due_date, coalesce(CASE WHEN f.settling THEN s.liquidated_at ELSE f.occurred_at END::text, 'none'),
					s.sale_account_id, s.entity_id),
			format('status %s, due on %s, liquidated on %s, in a %s account of sale account %s of entity %s', s.status,
				s.estimated_liquidated_at,
				coalesce(s.liquidated_at::text, 'none'), f.kind, f.sale_account_id, f.entity_id)
		FROM sales s JOIN financial_accounts f ON f.account_id = s.account_id AND f.id = s.financial_account_id
		WHERE f.due_date <> s.estimated_liquidated_at OR (f.kind, f.entity_id) <> ('receivable', s.entity_id)
			OR f.sale_account_id IS DISTINCT FROM s.sale_account_id AND NOT s.awaiting_pricing
			OR NOT f.settling AND (f.status, f.occurred_at) IS DISTINCT FROM (s.status, s.liquidated_at)) AS d (account_id, record, expected, found) ORDER BY account_id, record
