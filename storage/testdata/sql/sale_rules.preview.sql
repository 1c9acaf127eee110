-- $1 = account
-- $2 = method
-- $3 = issuer
-- $4 = percentage
-- $5 = fixed
-- $6 = minimum
-- $7 = days
-- $8 = weekdays
-- $9 = sale_account
-- $10 = most_days
WITH rules AS MATERIALIZED (
		SELECT id, payment_method, issuer, fee_percentage, fixed_fee_amount, minimum_fee_amount, days_to_liquidation,
			weekdays,
			ARRAY(SELECT (SELECT coalesce(min((w::int - day + 7) % 7), 0)
		FROM unnest(string_to_array(weekdays, ',')) w)
		FROM generate_series(0, 6) day ORDER BY day) AS shifts
		FROM (SELECT 0 AS id, $2::text AS payment_method, $3::text AS issuer,
			$4::numeric AS fee_percentage,
			$5::numeric AS fixed_fee_amount, $6::numeric AS minimum_fee_amount,
				$7::int AS days_to_liquidation,
			$8::text AS weekdays) r),
	sales_to_price AS (
		SELECT s.id, s.payment_method, coalesce(s.issuer, '') AS issuer, s.total_amount,
	coalesce(s.confirmed_at, s.occurred_at) AS sold_on,
	s.description, s.awaiting_pricing, s.sale_rule_id, s.financial_account_id, s.fee_percentage, s.fee_percentage_amount, s.fixed_fee_amount,
	s.receivable_amount, s.days_to_liquidation, s.liquidation_weekday, s.estimated_liquidated_at FROM sales s
		WHERE s.account_id = $1 AND s.sale_account_id = $9 AND s.status < 2
			AND s.payment_method = $2 AND coalesce(s.issuer, '') = $3
			AND (s.financial_account_id IS NULL OR EXISTS (
				SELECT FROM financial_accounts f WHERE f.account_id = s.account_id AND f.id = s.financial_account_id
					AND f.status = 1))),
	priced AS MATERIALIZED (
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
	days AS (
		SELECT day AS on, sum(before) AS before, sum(after) AS after FROM (
			SELECT estimated_liquidated_at AS day, receivable_amount AS before, 0 AS after FROM priced
				WHERE estimated_liquidated_at IS NOT NULL
			UNION ALL SELECT day, 0, receivable FROM priced) d
		GROUP BY day HAVING sum(before) <> sum(after))
	SELECT count(*) AS sales_count,
		count(*) FILTER (WHERE (receivable_amount, estimated_liquidated_at) IS DISTINCT FROM (receivable,
			day)) AS changed_sales_count,
		coalesce(sum(total_amount), 0) AS total_amount, coalesce(sum(receivable_amount), 0) AS receivable_amount,
		coalesce(sum(receivable), 0) AS new_receivable_amount, (SELECT count(*) FROM days) AS changed_days_count,
		(SELECT coalesce(json_agg(json_build_object('On', d.on, 'Before', d.before::text, 'After', d.after::text)
			ORDER BY d.on), '[]')
			FROM (SELECT * FROM days ORDER BY days.on LIMIT $10) d) AS days
	FROM priced
