-- $1 = 1
-- $2 = 2
-- $3 = [7], for ids
-- $4 = 7, for name
-- $5 = %7%, for name_contains
-- $6 = 2026-01-31T00:00:00, for updated_at_gte
-- $7 = 30, for size
-- $8 = 30, for offset
/* planned each time */ SELECT k.id, k.account_id, k.entity_id, k.name, k.flag,
	coalesce(p.closing_day, d.closing_day) AS closing_day,
	coalesce(p.expiration_day, d.expiration_day) AS expiration_day,
	d.billings, CASE WHEN p.starts_on IS NOT NULL THEN json_build_object('StartsOn', p.starts_on,
		'FirstMonth', p.first_month, 'ClosingDay', p.closing_day, 'ExpirationDay', p.expiration_day) END AS pending,
	(SELECT min(t.occurred_at) FROM credit_card_transactions t WHERE t.account_id = k.account_id
		AND t.credit_card_id = k.id) AS first_purchase, k.observation,
	k.category_id, k.person_id, k.classification_center_id, k.archived_at, k.created_at, k.updated_at,
	(SELECT coalesce(sum(i.balance), 0) FROM credit_card_invoices i
		WHERE i.account_id = k.account_id AND i.credit_card_id = k.id AND NOT EXISTS (
			SELECT FROM financial_accounts f WHERE f.account_id = i.account_id AND f.credit_card_invoice_id = i.id
				AND f.status > 1)) AS balance
FROM credit_cards k LEFT JOIN pending_card_days p ON p.account_id = k.account_id
		AND p.credit_card_id = k.id AND k.deleted_at IS NULL
	CROSS JOIN LATERAL (
		SELECT (array_agg(b.closing_day ORDER BY b.starts_on DESC))[1] AS closing_day,
			(array_agg(b.expiration_day ORDER BY b.starts_on DESC))[1] AS expiration_day,
			json_agg(json_build_object('StartsOn', b.starts_on, 'FirstMonth', b.first_month, 'ClosingDay',
				b.closing_day,
				'ExpirationDay', b.expiration_day) ORDER BY b.starts_on) AS billings
		FROM credit_card_billings b WHERE b.account_id = k.account_id AND b.credit_card_id = k.id) d
	WHERE k.account_id = $1 AND k.entity_id = $2 AND k.deleted_at IS NULL AND k.id = ANY(CAST($3 AS bigint[])) AND k.name = $4 AND fold(k.name) LIKE fold($5) AND k.updated_at >= CAST($6 AS timestamptz)
ORDER BY k.id + 0 LIMIT nullif($7, 0) OFFSET $8;

-- $1 = 1
-- $2 = 2
-- $3 = [7], for ids
-- $4 = 7, for name
-- $5 = %7%, for name_contains
-- $6 = 2026-01-31T00:00:00, for updated_at_gte
/* planned each time */ SELECT count(*) FROM credit_cards k LEFT JOIN pending_card_days p ON p.account_id = k.account_id
		AND p.credit_card_id = k.id AND k.deleted_at IS NULL
	CROSS JOIN LATERAL (
		SELECT (array_agg(b.closing_day ORDER BY b.starts_on DESC))[1] AS closing_day,
			(array_agg(b.expiration_day ORDER BY b.starts_on DESC))[1] AS expiration_day,
			json_agg(json_build_object('StartsOn', b.starts_on, 'FirstMonth', b.first_month, 'ClosingDay',
				b.closing_day,
				'ExpirationDay', b.expiration_day) ORDER BY b.starts_on) AS billings
		FROM credit_card_billings b WHERE b.account_id = k.account_id AND b.credit_card_id = k.id) d
	WHERE k.account_id = $1 AND k.entity_id = $2 AND k.deleted_at IS NULL AND k.id = ANY(CAST($3 AS bigint[])) AND k.name = $4 AND fold(k.name) LIKE fold($5) AND k.updated_at >= CAST($6 AS timestamptz);

-- $1 = 1
-- $2 = 2
-- $3 = 7
-- $4 = 31
SELECT k.id, k.account_id, k.entity_id, k.name, k.flag,
	coalesce(p.closing_day, d.closing_day) AS closing_day,
	coalesce(p.expiration_day, d.expiration_day) AS expiration_day,
	d.billings, CASE WHEN p.starts_on IS NOT NULL THEN json_build_object('StartsOn', p.starts_on,
		'FirstMonth', p.first_month, 'ClosingDay', p.closing_day, 'ExpirationDay', p.expiration_day) END AS pending,
	(SELECT min(t.occurred_at) FROM credit_card_transactions t WHERE t.account_id = k.account_id
		AND t.credit_card_id = k.id) AS first_purchase, k.observation,
	k.category_id, k.person_id, k.classification_center_id, k.archived_at, k.created_at, k.updated_at,
	(SELECT coalesce(sum(i.balance), 0) FROM credit_card_invoices i
		WHERE i.account_id = k.account_id AND i.credit_card_id = k.id AND NOT EXISTS (
			SELECT FROM financial_accounts f WHERE f.account_id = i.account_id AND f.credit_card_invoice_id = i.id
				AND f.status > 1)) AS balance, ARRAY[CAST(k.id AS text)]
FROM credit_cards k LEFT JOIN pending_card_days p ON p.account_id = k.account_id
		AND p.credit_card_id = k.id AND k.deleted_at IS NULL
	CROSS JOIN LATERAL (
		SELECT (array_agg(b.closing_day ORDER BY b.starts_on DESC))[1] AS closing_day,
			(array_agg(b.expiration_day ORDER BY b.starts_on DESC))[1] AS expiration_day,
			json_agg(json_build_object('StartsOn', b.starts_on, 'FirstMonth', b.first_month, 'ClosingDay',
				b.closing_day,
				'ExpirationDay', b.expiration_day) ORDER BY b.starts_on) AS billings
		FROM credit_card_billings b WHERE b.account_id = k.account_id AND b.credit_card_id = k.id) d
	WHERE k.account_id = $1 AND k.entity_id = $2 AND k.deleted_at IS NULL AND (k.id) > (CAST($3 AS bigint))
ORDER BY k.id LIMIT $4;
