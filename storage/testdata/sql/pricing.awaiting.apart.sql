-- $1 = account
-- $2 = sale_account
-- $3 = sales
WITH rules AS MATERIALIZED (SELECT id, payment_method, coalesce(issuer, '') AS issuer, fee_percentage, fixed_fee_amount,
		minimum_fee_amount, days_to_liquidation, weekdays,
		ARRAY(SELECT (SELECT coalesce(min((w::int - day + 7) % 7), 0)
		FROM unnest(string_to_array(weekdays, ',')) w)
		FROM generate_series(0, 6) day ORDER BY day) AS shifts FROM sale_rules WHERE account_id = $1
		AND sale_account_id = $2),
	sales_to_price AS MATERIALIZED (
		SELECT h.* FROM unnest($3::bigint[]) AS l (id),
		LATERAL (SELECT s.id, s.payment_method, coalesce(s.issuer, '') AS issuer, s.total_amount,
	coalesce(s.confirmed_at, s.occurred_at) AS sold_on,
	s.description, s.awaiting_pricing, s.sale_rule_id, s.financial_account_id, s.fee_percentage, s.fee_percentage_amount, s.fixed_fee_amount,
	s.receivable_amount, s.days_to_liquidation, s.liquidation_weekday, s.estimated_liquidated_at FROM sales s WHERE s.account_id = $1 AND s.id = l.id OFFSET 0) h),
	priced AS (
	SELECT h.*, false AS awaits, r.id AS rule, r.fee_percentage AS percentage, p.part, r.fixed_fee_amount AS fixed,
		greatest(h.total_amount - greatest(coalesce(p.part, 0) + coalesce(r.fixed_fee_amount, 0),
			coalesce(r.minimum_fee_amount, 0)), 0) AS receivable,
		r.days_to_liquidation AS days, CASE WHEN r.weekdays IS NOT NULL
			THEN extract(dow FROM d.day)::smallint END AS weekday,
		CASE WHEN r.id IS NOT NULL THEN d.day END AS day
	FROM sales_to_price h
	LEFT JOIN rules r ON r.payment_method = h.payment_method AND r.issuer = h.issuer
	CROSS JOIN LATERAL (SELECT round(h.total_amount * r.fee_percentage * 0.01, 2) AS part,
		h.sold_on + r.days_to_liquidation AS first) p
	CROSS JOIN LATERAL (SELECT least(p.first + r.shifts[extract(dow FROM p.first)::int + 1],
		date '9999-12-31') AS day) d),
	candidates AS MATERIALIZED (
	SELECT p.*, g.id AS target, p.id AS apart FROM priced p
	LEFT JOIN financial_accounts g ON p.day IS NOT NULL
		AND g.account_id = $1 AND g.id = p.financial_account_id AND g.sale_account_id = $2
			AND NOT g.consolidated),
	new_ids AS (
		SELECT t, CASE WHEN row_number() OVER (PARTITION BY day, apart ORDER BY id) = 1
			THEN nextval('financial_accounts_id_seq') END AS first
		FROM candidates t WHERE day IS NOT NULL AND target IS NULL),
	in_new_accounts AS MATERIALIZED (SELECT (t).*, max(first) OVER (PARTITION BY (t).day, (t).apart) AS target_id
		FROM new_ids),
	placed AS (SELECT t.*, target AS target_id FROM candidates t WHERE day IS NULL OR target IS NOT NULL UNION ALL
		SELECT * FROM in_new_accounts),
	new_accounts AS MATERIALIZED (
		SELECT target_id AS id, min(day) AS day, min(apart) AS apart, sum(receivable) AS amount, count(*) AS count,
			min(description) AS description
		FROM in_new_accounts GROUP BY target_id),
	inserted_accounts AS (
		INSERT INTO financial_accounts (id, account_id, entity_id, kind, due_date, competency_month, amount,
			sales_count, sale_account_id,
			consolidated, gathering, description, category_id, person_id, classification_center_id,
				expected_deposit_account_id)
		SELECT n.id, a.account_id, a.entity_id, 'receivable', n.day, date_trunc('month', n.day), n.amount, n.count,
			a.id, n.apart = 0, n.apart = 0,
			CASE WHEN n.apart = 0 THEN left(a.name, 240) || to_char(n.day, ' DD/MM/YYYY') ELSE coalesce(n.description,
				a.name) END,
			a.category_id, a.person_id, a.classification_center_id, a.expected_deposit_account_id
		FROM new_accounts n, sale_accounts a WHERE a.account_id = $1 AND a.id = $2 ORDER BY n.id),
	updated_sales AS (
		UPDATE sales s
		SET status = CASE WHEN p.day IS NULL THEN 0 ELSE 1 END, awaiting_pricing = p.awaits, sale_rule_id = p.rule,
			financial_account_id = p.target_id, fee_percentage = p.percentage, fee_percentage_amount = p.part,
			fixed_fee_amount = p.fixed, receivable_amount = CASE WHEN p.day IS NOT NULL THEN p.receivable END,
				days_to_liquidation = p.days,
			liquidation_weekday = p.weekday, estimated_liquidated_at = p.day, updated_at = now()
		FROM placed p
		WHERE s.account_id = $1 AND s.id = p.id AND (p.awaiting_pricing <> p.awaits
			OR (p.sale_rule_id, p.financial_account_id, p.fee_percentage, p.fee_percentage_amount, p.fixed_fee_amount,
				p.receivable_amount,
				p.days_to_liquidation, p.liquidation_weekday, p.estimated_liquidated_at) IS DISTINCT FROM
				(p.rule, p.target_id, p.percentage, p.part, p.fixed, CASE WHEN p.day IS NOT NULL THEN p.receivable END,
				p.days, p.weekday, p.day))),
	account_deltas AS (
		SELECT id, sum(amount) AS amount, sum(count) AS count, max(due) AS due FROM (
			SELECT financial_account_id AS id, -receivable_amount AS amount, -1 AS count, NULL::date AS due
				FROM candidates WHERE financial_account_id IS NOT NULL
			UNION ALL SELECT target, receivable, 1, day FROM candidates WHERE target IS NOT NULL AND day IS NOT NULL) d
		GROUP BY id),
	updated_accounts AS (
		UPDATE financial_accounts f
		SET amount = f.amount + d.amount, discount_amount = CASE WHEN f.discount_amount IS NOT NULL THEN
		least(f.discount_amount, f.amount + d.amount + coalesce(f.ticket_amount, 0) + coalesce(f.interest_amount, 0)) END, sales_count = f.sales_count + d.count, due_date = coalesce(d.due, f.due_date),
			competency_month = CASE f.competency_month WHEN date_trunc('month', f.due_date)::date
				THEN date_trunc('month', coalesce(d.due, f.due_date))::date ELSE f.competency_month END,
			updated_at = now()
		FROM account_deltas d
		WHERE f.account_id = $1 AND f.id = d.id AND (d.amount <> 0 OR d.count <> 0 OR f.due_date <> d.due)
		RETURNING f.id, f.entity_id, CASE f.sales_count WHEN 0 THEN 'destroyed' ELSE 'updated' END AS action)
	SELECT id, entity_id, action FROM updated_accounts
	UNION ALL SELECT n.id, a.entity_id, 'created' FROM new_accounts n, sale_accounts a WHERE a.account_id = $1
		AND a.id = $2
