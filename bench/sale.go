package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"bordero/finance"
	"bordero/storage"
)

// salesChunk is how many sales our worker prices at once.
const salesChunk = 20_000

// pricing is the service over a consolidated sale account with sales, over 30 dates, that are all
// priced.
type pricing struct {
	matching
	sales      int
	percentage int // of the rule; it differs in each run
}

func newPricing(ctx context.Context, h *harness) (*pricing, error) {
	m, err := newMatching(ctx, h)
	if err != nil {
		return nil, err
	}
	p := &pricing{m, h.priced, 2}
	for _, args := range [][]string{{"work", "sales"}, {"scheduler"}} {
		if err := h.bordero(ctx, m.lease, freeAddr(), args...); err != nil {
			return nil, err
		}
	}
	store, err := storage.Open(m.databaseURL, storage.Options{Timezone: zone})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	percentage := finance.Percentage(1_0000)
	account := finance.SaleAccount{AccountID: m.AccountID, EntityID: m.EntityID, Name: "Cielo", Provider: "cielo",
		PaymentMethods: "pix", Consolidate: true}
	if err := store.InTx(ctx, func(tx *storage.Tx) error { return tx.InsertSaleAccount(ctx, &account) }); err != nil {
		return nil, err
	}
	_, err = m.db.ExecContext(ctx, `
		INSERT INTO sales (account_id, entity_id, sale_account_id, payment_method, occurred_at, competency_month,
			nominal_amount, total_amount)
		SELECT $1, $2, $3, 'pix', date '2026-03-01' + n % 30, '2026-03-01', n % 1000 + 10, n % 1000 + 10
			FROM generate_series(1, $4::int) n`,
		m.AccountID, m.EntityID, account.ID, p.sales)
	if err != nil {
		return nil, err
	}
	err = store.InTx(ctx, func(tx *storage.Tx) error {
		return tx.InsertSaleRule(ctx, &finance.SaleRule{
			AccountID: m.AccountID, SaleAccountID: account.ID, PaymentMethod: "pix", FeePercentage: &percentage,
			DaysToLiquidation: 30,
		})
	})
	if err != nil {
		return nil, err
	}
	return p, p.rest(ctx)
}

// rest waits until no job is left, and cleans up after both sides.
func (p *pricing) rest(ctx context.Context) error {
	if err := p.done(ctx); err != nil {
		return err
	}
	for _, query := range []string{
		`UPDATE financial_accounts f SET amount = s.sum FROM (SELECT financial_account_id AS id,
			sum(receivable_amount) AS sum FROM sales GROUP BY 1) s WHERE f.id = s.id`,
		`VACUUM ANALYZE sales`, `VACUUM ANALYZE financial_accounts`,
	} {
		if _, err := p.db.ExecContext(ctx, query); err != nil {
			return err
		}
	}
	return nil
}

func (p *pricing) done(ctx context.Context) error {
	return until(ctx, 10*time.Millisecond, func() (done bool, err error) {
		err = p.db.QueryRowContext(ctx, `SELECT NOT EXISTS (SELECT FROM jobs)`).Scan(&done)
		return done, err
	})
}

// reprice changes the rule, which enqueues the pricing.
func (p *pricing) reprice(ctx context.Context) error {
	p.percentage = p.percentage%9 + 1
	_, err := p.ask(ctx, http.MethodPut, "/sale_accounts/1/rules/1",
		fmt.Sprintf(`{"sale_rule":{"fee_percentage":"%d","apply_rules":1}}`, p.percentage))
	return err
}

// once prices all sales one time.
func (p *pricing) once(price func(context.Context) error) figure {
	return func(ctx context.Context, _ time.Duration) (sample, error) {
		began := time.Now()
		if err := price(ctx); err != nil {
			return sample{}, err
		}
		took := time.Since(began)
		var priced int
		err := p.db.QueryRowContext(ctx, `
			SELECT count(*) FROM sales WHERE fee_percentage = $1
				AND receivable_amount = total_amount - round(total_amount * $1 * 0.01, 2)`, p.percentage).Scan(&priced)
		if err == nil && priced != p.sales {
			err = fmt.Errorf("%d of %d sales are priced", priced, p.sales)
		}
		if err != nil {
			return sample{}, err
		}
		return sample{value: float64(p.sales) / took.Seconds()}, p.rest(ctx)
	}
}

// measureSalesPrice compares pricing all sales again, from the request that changes the rule to
// the end of its last job, with an UPDATE of the same columns.
func measureSalesPrice(ctx context.Context, h *harness) (ours, floor figure, err error) {
	p, err := newPricing(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	return p.once(func(ctx context.Context) error {
		if err := p.reprice(ctx); err != nil {
			return err
		}
		return p.done(ctx)
	}), p.once(p.bare), nil
}

// bare prices the sales with the driver alone. It does not update the sums of the receivable
// accounts.
func (p *pricing) bare(ctx context.Context) error {
	p.percentage = p.percentage%9 + 1
	for after := 0; after < p.sales; after += salesChunk {
		_, err := p.db.ExecContext(ctx, `
			UPDATE sales s
			SET status = 1, awaiting_pricing = false, sale_rule_id = r.id, financial_account_id = f.id,
				fee_percentage = $3::numeric,
				fee_percentage_amount = round(s.total_amount * $3::numeric * 0.01, 2),
					fixed_fee_amount = r.fixed_fee_amount,
				receivable_amount = s.total_amount - round(s.total_amount * $3::numeric * 0.01, 2),
					days_to_liquidation = r.days_to_liquidation,
				liquidation_weekday = NULL, estimated_liquidated_at = s.occurred_at + r.days_to_liquidation,
					updated_at = now()
			FROM sale_rules r, financial_accounts f
			WHERE s.account_id = $1 AND s.id > $2 AND s.id <= $2 + $4::bigint AND r.account_id = $1
				AND r.sale_account_id = s.sale_account_id
				AND r.payment_method = s.payment_method AND f.account_id = $1
					AND f.due_date = s.occurred_at + r.days_to_liquidation`,
			p.AccountID, after, p.percentage, salesChunk)
		if err != nil {
			return err
		}
	}
	return nil
}
