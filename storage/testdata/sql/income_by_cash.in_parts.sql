-- $1 = account
-- $2 = entities
-- $3 = from
-- $4 = last
-- $5 = all
-- $6 = to
/* planned each time */ 
		WITH several AS MATERIALIZED (
			SELECT id
			FROM (
				SELECT id FROM reconciles WHERE account_id = $1 AND entity_id = ANY($2) AND month IS NULL
				UNION SELECT unnest(ARRAY(
				SELECT h.reconcile_id FROM deposit_accounts d JOIN financial_transactions h
					ON h.account_id = $1 AND h.deposit_account_id = d.id AND h.reconcile_id IS NOT NULL
				WHERE d.account_id = $1 AND d.deleted_at IS NOT NULL
				UNION ALL
				SELECT reconcile_id FROM financial_transactions
				WHERE account_id = $1 AND transfer_id IS NOT NULL
					AND reconcile_id IS NOT NULL))) r
			WHERE EXISTS (
				SELECT FROM financial_transactions t WHERE t.account_id = $1 AND t.reconcile_id = r.id
					AND t.occurred_at BETWEEN CAST($3 AS date) AND CAST($4 AS date)
					AND t.transfer_id IS NULL AND (t.deposit_account_id <> ALL (ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE)
		)
		SELECT r.entity_id, CAST(NULL AS date) AS month, (
				SELECT coalesce(json_agg(m ORDER BY m.month), '[]')
				FROM (SELECT CAST(date_trunc('month', t.occurred_at) AS date) AS month, sum(t.amount)::text AS amount
					FROM financial_transactions t WHERE t.account_id = $1 AND t.reconcile_id = r.id
						AND t.transfer_id IS NULL AND (t.deposit_account_id <> ALL (ARRAY(SELECT id FROM deposit_accounts WHERE account_id = $1 AND deleted_at IS NOT NULL))) IS NOT FALSE
					GROUP BY 1) m) AS months, (
				SELECT coalesce(json_agg(a ORDER BY a.id), '[]') FROM (
					SELECT f.id, f.kind, f.category_id, f.classification_center_id, f.amount::text,
						f.total_amount::text AS total,
						f.interest_amount::text AS interest, f.ticket_amount::text AS fine,
						f.discount_amount::text AS discount, f.withheld_tax_amount::text AS withheld,
						f.fee_amount::text AS fee,
						(
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName',
			k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM financial_account_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id
			AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM financial_account_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id
			AND z.deleted_at IS NULL
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS center_classifications, (
						SELECT json_agg(p ORDER BY p.id)
						FROM (
							SELECT t.id, t.category_id, t.classification_center_id, t.amount::text,
								(
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName',
			k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM credit_card_transaction_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id
			AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = t.account_id AND x.credit_card_transaction_id = t.id) AS custom_classifications
							FROM credit_card_transactions t WHERE t.account_id = $1
								AND t.credit_card_invoice_id = f.credit_card_invoice_id) p) AS purchases, (
						SELECT json_agg(p ORDER BY p.id)
						FROM (
							SELECT s.id, s.category_id, s.classification_center_id, s.total_amount::text AS amount,
								s.receivable_amount::text AS receivable,
								(
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName',
			k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id
			AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id
			AND z.deleted_at IS NULL
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS center_classifications
							FROM sales s WHERE s.account_id = $1 AND s.financial_account_id = f.id) p) AS sales
					FROM financial_accounts f WHERE f.account_id = $1 AND f.reconcile_id = r.id) a) AS accounts
		FROM several v JOIN reconciles r ON r.account_id = $1 AND r.id = v.id AND r.entity_id = ANY($2)
		UNION ALL
		SELECT r.entity_id, r.month, CAST('[]' AS json), (
				SELECT coalesce(json_agg(a ORDER BY a.id), '[]') FROM (
					SELECT f.id, f.kind, f.category_id, f.classification_center_id, f.amount::text,
						f.total_amount::text AS total,
						f.interest_amount::text AS interest, f.ticket_amount::text AS fine,
						f.discount_amount::text AS discount, f.withheld_tax_amount::text AS withheld,
						f.fee_amount::text AS fee,
						(
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName',
			k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM financial_account_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id
			AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM financial_account_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id
			AND z.deleted_at IS NULL
		WHERE x.account_id = f.account_id AND x.financial_account_id = f.id) AS center_classifications, (
						SELECT json_agg(p ORDER BY p.id)
						FROM (
							SELECT t.id, t.category_id, t.classification_center_id, t.amount::text,
								(
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName',
			k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM credit_card_transaction_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id
			AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = t.account_id AND x.credit_card_transaction_id = t.id) AS custom_classifications
							FROM credit_card_transactions t WHERE t.account_id = $1
								AND t.credit_card_invoice_id = f.credit_card_invoice_id) p) AS purchases, (
						SELECT json_agg(p ORDER BY p.id)
						FROM (
							SELECT s.id, s.category_id, s.classification_center_id, s.total_amount::text AS amount,
								s.receivable_amount::text AS receivable,
								(
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'CustomClassifierID', k.id, 'CustomClassifierName',
			k.name, 'ValueID', v.id,
			'Name', v.value, 'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_custom_classifications x
		JOIN custom_classifier_values v ON v.account_id = x.account_id AND v.id = x.custom_classifier_value_id
			AND v.deleted_at IS NULL
		JOIN custom_classifiers k ON k.account_id = v.account_id AND k.id = v.custom_classifier_id
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS custom_classifications, (
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM sale_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id
			AND z.deleted_at IS NULL
		WHERE x.account_id = s.account_id AND x.sale_id = s.id) AS center_classifications
							FROM sales s WHERE s.account_id = $1 AND s.financial_account_id = f.id) p) AS sales
					FROM financial_accounts f WHERE f.account_id = $1 AND f.reconcile_id = r.id AND ($5 OR ((f.credit_card_invoice_id IS NOT NULL OR f.sale_account_id IS NOT NULL)
				AND f.amount <> (f.total_amount - coalesce(f.interest_amount, 0) - coalesce(f.ticket_amount, 0)
				+ coalesce(f.discount_amount, 0) + coalesce(f.withheld_tax_amount, 0)
				+ CASE f.kind WHEN 'payable' THEN -1 ELSE 1 END * coalesce(f.fee_amount, 0))))) a)
		FROM reconciles r
		WHERE r.account_id = $1 AND r.entity_id = ANY($2)
				AND r.month = ANY(ARRAY(SELECT CAST(m AS date) FROM generate_series(
					CAST($3 AS timestamp), CAST($6 AS timestamp), interval '1 month') m))
				AND r.id NOT IN (SELECT unnest(ARRAY(
				SELECT h.reconcile_id FROM deposit_accounts d JOIN financial_transactions h
					ON h.account_id = $1 AND h.deposit_account_id = d.id AND h.reconcile_id IS NOT NULL
				WHERE d.account_id = $1 AND d.deleted_at IS NOT NULL
				UNION ALL
				SELECT reconcile_id FROM financial_transactions
				WHERE account_id = $1 AND transfer_id IS NOT NULL
					AND reconcile_id IS NOT NULL))) AND ($5 OR r.id IN (
			SELECT f.reconcile_id FROM financial_accounts f
			WHERE f.account_id = $1 AND f.entity_id = ANY($2) AND f.reconcile_id IS NOT NULL
				AND ((f.credit_card_invoice_id IS NOT NULL OR f.sale_account_id IS NOT NULL)
				AND f.amount <> (f.total_amount - coalesce(f.interest_amount, 0) - coalesce(f.ticket_amount, 0)
				+ coalesce(f.discount_amount, 0) + coalesce(f.withheld_tax_amount, 0)
				+ CASE f.kind WHEN 'payable' THEN -1 ELSE 1 END * coalesce(f.fee_amount, 0)))))
