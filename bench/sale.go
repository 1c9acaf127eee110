package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/lib/pq"
)

// pricing is the service over a consolidated sale account with sales, over 30 dates, that are all
// priced.
type pricing struct {
	*service
	percentage int // of the rule; it differs in each run
}

// measureSalesPrice compares pricing all sales again, from the request that changes the rule to
// the end of its last job, with the statement that prices them, run by the driver alone.
func measureSalesPrice(ctx context.Context, h *harness) (ours, floor figure) {
	p := &pricing{service: h.service(ctx, "api", "work sales", "scheduler"), percentage: 2}
	p.newSaleAccount(ctx)
	p.exec(ctx, `
		INSERT INTO sales (account_id, entity_id, sale_account_id, payment_method, occurred_at, competency_month,
			nominal_amount, total_amount)
		SELECT $1, $2, 1, 'pix', date '2026-03-01' + n % 30, '2026-03-01', n % 1000 + 10, n % 1000 + 10
			FROM generate_series(1, $3::int) n`, p.AccountID, p.EntityID, p.priced)
	p.ask(ctx, http.MethodPost, "/sale_accounts/1/rules", `{"sale_rule":{"payment_method":"pix","fee_percentage":"1",`+
		`"days_to_liquidation":30,"apply_rules":1}}`, nil)
	p.clean(ctx)
	return p.once(func(ctx context.Context) {
			rule := fmt.Sprintf(`{"sale_rule":{"fee_percentage":"%d","apply_rules":1}}`, p.percentage)
			p.ask(ctx, http.MethodPut, "/sale_accounts/1/rules/1", rule, nil)
			p.rest(ctx)
		}), p.once(func(ctx context.Context) {
			readGolden("pricing.insert_application").named(ctx, p.db, map[string]any{"account": p.AccountID,
				"sale_account": 1, "method": "pix", "rule": 1, "percentage": p.percentage, "days": 30})
			p.price(ctx)
		})
}

// price is the floor: it prices the sales in chunks. It does not lock them first, as the worker does, so
// that none changes meanwhile.
func (p *pricing) price(ctx context.Context) {
	const chunk = 20_000 // as the worker
	application := one[int64](ctx, p.db, `SELECT max(id) FROM sale_rule_applications`)
	for after := 0; after < p.priced; after += chunk {
		var sales []int64
		for id := after + 1; id <= min(after+chunk, p.priced); id++ {
			sales = append(sales, int64(id))
		}
		readGolden("pricing.application.together").named(ctx, p.db, map[string]any{"account": p.AccountID,
			"sale_account": 1, "application": application, "sales": pq.Array(sales)})
	}
}

// clean waits until no job is left, and cleans up after either side.
func (p *pricing) clean(ctx context.Context) {
	p.rest(ctx)
	p.exec(ctx, `DELETE FROM sale_rule_applications`)
	p.vacuum(ctx, "sales", "financial_accounts")
}

// once prices all sales one time, and checks their prices.
func (p *pricing) once(price func(context.Context)) figure {
	return func(ctx context.Context, _ time.Duration) sample {
		p.percentage = p.percentage%9 + 1
		took := timed(func() { price(ctx) })
		priced := one[int](ctx, p.db, `
			SELECT count(*) FROM sales WHERE fee_percentage = $1
				AND receivable_amount = total_amount - round(total_amount * $1 * 0.01, 2)`, p.percentage)
		if priced != p.priced {
			check(fmt.Errorf("%d of %d sales are priced", priced, p.priced))
		}
		p.clean(ctx)
		return sample{value: float64(p.priced) / took.Seconds()}
	}
}
