package pricing

import (
	"context"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"
)

// Preview returns the changes that applying the rule would make, and changes nothing. The
// rule need not be stored. Like Price, it leaves out the sales of received receivable
// accounts.
func Preview(ctx context.Context, q storage.Queries, r *finance.SaleRule) (*finance.SaleRulePreview, error) {
	p, err := db.OneNamed[finance.SaleRulePreview](ctx, q.DB, previewSaleRule, db.Args{
		"account": r.AccountID, "sale_account": r.SaleAccountID, "method": r.PaymentMethod,
		"issuer":     finance.OrZero(r.Issuer),
		"percentage": r.FeePercentage, "fixed": r.FixedFeeAmount, "minimum": r.MinimumFeeAmount,
		"days": r.DaysToLiquidation, "weekdays": r.Weekdays, "most_days": finance.MaxPreviewDays,
	})
	return &p, err
}

var previewSaleRule = db.Named("sale_rules.preview", `
	WITH rules AS MATERIALIZED (
		SELECT id, payment_method, issuer, fee_percentage, fixed_fee_amount, minimum_fee_amount, days_to_liquidation,
			weekdays,
			`+shifts+`
		FROM (SELECT 0 AS id, @method::text AS payment_method, @issuer::text AS issuer,
			@percentage::numeric AS fee_percentage,
			@fixed::numeric AS fixed_fee_amount, @minimum::numeric AS minimum_fee_amount,
				@days::int AS days_to_liquidation,
			@weekdays::text AS weekdays) r),
	sales_to_price AS (
		SELECT `+lockedColumns+` FROM sales s
		WHERE s.account_id = @account AND s.sale_account_id = @sale_account AND s.status < 2
			AND s.payment_method = @method AND coalesce(s.issuer, '') = @issuer
			AND (s.financial_account_id IS NULL OR EXISTS (
				SELECT FROM financial_accounts f WHERE f.account_id = s.account_id AND f.id = s.financial_account_id
					AND f.status = 1))),
	priced AS MATERIALIZED (`+priceByRule+`),
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
			FROM (SELECT * FROM days ORDER BY days.on LIMIT @most_days) d) AS days
	FROM priced`)
