package verify

import (
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/queue"
)

// saleChecks are the rules of sales and their receivable accounts.
var saleChecks = []check{
	rule("texts of sales", `
		WITH folded AS (
			SELECT account_id, entity_id, id AS sale_id, fold(description) AS description,
				fold(observation) AS observation FROM sales
			WHERE description IS NOT NULL OR observation IS NOT NULL)
		SELECT account_id, format('sale %s', sale_id), CASE WHEN f IS NULL THEN 'none'
			ELSE 'its description and observation' END,
			CASE WHEN t IS NULL THEN 'none' ELSE 'others' END
		FROM folded f FULL JOIN sale_texts t USING (account_id, entity_id, sale_id)
		WHERE (f.description, f.observation) IS DISTINCT FROM (t.description, t.observation)`),

	rule("receivable accounts of sales", `
		WITH recomputed AS (
			SELECT account_id, financial_account_id AS id, sum(receivable_amount) AS sum, count(*) AS count
			FROM sales WHERE financial_account_id IS NOT NULL GROUP BY 1, 2)
		SELECT f.account_id, format('%s account %s', f.kind, f.id),
			format('%s of %s sales%s', coalesce(k.sum, 0), coalesce(k.count, 0), CASE WHEN NOT f.consolidated
				AND k.count > 1 THEN ' of a day' END),
			format('%s of %s sales', f.amount, f.sales_count)
		FROM financial_accounts f LEFT JOIN recomputed k USING (account_id, id)
		WHERE (f.sale_account_id IS NOT NULL OR k.count > 0)
			AND ((f.amount, f.sales_count) IS DISTINCT FROM (coalesce(k.sum, 0), coalesce(k.count, 0))
			OR f.sales_count = 0 OR f.sales_count > 1 AND NOT f.consolidated) AND `+storage.EntityVisible("f")),

	// A sale that moved to another sale account remains in a receivable account of the former
	// one until it is priced.
	rule("sales in receivable accounts", `
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
			OR NOT f.settling AND (f.status, f.occurred_at) IS DISTINCT FROM (s.status, s.liquidated_at)`),

	rule("differences of sales", `
		WITH wanted AS (
			SELECT *, coalesce(total_amount - amount + coalesce(fee_amount, 0) + coalesce(withheld_tax_amount, 0),
				0) AS difference
			FROM financial_accounts WHERE sale_account_id IS NOT NULL),
		spread AS (
			SELECT account_id, financial_account_id AS id, coalesce(sum(amount_difference), 0) AS sum
			FROM sales WHERE financial_account_id IS NOT NULL GROUP BY 1, 2)
		SELECT f.account_id, format('receivable account %s', f.id), format('%s spread among its sales', f.difference),
			format('%s spread', p.sum)
		FROM wanted f JOIN spread p USING (account_id, id)
		WHERE NOT f.settling AND p.sum <> f.difference AND `+storage.EntityVisible("f")),

	// A failed job counts: an operator can retry it. Sales of a settling receivable account need
	// no pricing job yet, nor do applications of rules: the job that settles them enqueues it at its end.
	rule("jobs of sales", `
		WITH wanted_jobs AS (
			SELECT account_id, sale_account_id AS id, ARRAY[`+queue.KindName(jobs.PriceSalesKind)+
		`] AS kinds, count(*) AS count
			FROM sales s WHERE awaiting_pricing AND status < 2 AND (financial_account_id IS NULL OR EXISTS (
				SELECT FROM financial_accounts f WHERE f.account_id = s.account_id AND f.id = s.financial_account_id
					AND f.status = 1 AND NOT f.settling)) GROUP BY 1, 2
			UNION ALL SELECT account_id, sale_account_id, ARRAY[`+queue.KindName(jobs.PriceSalesKind)+`, `+
		queue.KindName(jobs.SettleSalesKind)+`], count(*) FROM sale_rule_applications GROUP BY 1, 2
			UNION ALL SELECT account_id, sale_account_id, ARRAY[`+queue.KindName(jobs.SettleSalesKind)+
		`], count(*) FROM financial_accounts WHERE settling GROUP BY 1, 2)
		SELECT a.account_id, format('sale account %s', a.id), format('a job %s', q.kinds[1]),
			format('%s to do and no job', q.count)
		FROM wanted_jobs q JOIN sale_accounts a USING (account_id, id) JOIN entities e ON e.account_id = a.account_id
			AND e.id = a.entity_id
		WHERE a.deleted_at IS NULL AND e.deleted_at IS NULL
			AND NOT EXISTS (SELECT FROM jobs j WHERE j.kind = ANY(q.kinds) AND j.key = a.account_id || ':' || a.id)`),
}
