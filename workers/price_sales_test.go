package workers

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/storagetest"
	"bordero/workers/runtime/runtimetest"
)

// pricingHarness is a harness whose workers price and settle the sales of one sale account, three at a
// time.
type pricingHarness struct {
	*runtimetest.Harness
	finance.SaleAccount
}

func newPricingHarness(t testing.TB) *pricingHarness {
	h := runtimetest.New(t, jobs.PriceSalesKind.Queue)
	tenant := storagetest.NewTenant(t, h.Store)
	l := &pricingHarness{h, finance.SaleAccount{
		AccountID: tenant.AccountID, EntityID: tenant.EntityID, Name: "Cielo", Provider: "cielo", Consolidate: true,
		PaymentMethods: strings.Join(finance.PaymentMethods, ","),
	}}
	l.InTx(func(ctx context.Context, tx *storage.Tx) error { return tx.InsertSaleAccount(ctx, &l.SaleAccount) })
	h.Start(nil, priceSales{h.Store, 3}.handler(), settleSales{h.Store, 3}.handler())
	return l
}

func (l *pricingHarness) rule(method, issuer string, change func(*finance.SaleRule)) *finance.SaleRule {
	l.T.Helper()
	r := &finance.SaleRule{AccountID: l.AccountID, SaleAccountID: l.ID, PaymentMethod: method, ApplyRules: 1}
	if issuer != "" {
		r.Issuer = &issuer
	}
	change(r)
	if err := r.Validate(); err != nil {
		l.T.Fatal(err)
	}
	l.InTx(func(ctx context.Context, tx *storage.Tx) error { return tx.InsertSaleRule(ctx, r) })
	return r
}

func (l *pricingHarness) sale(method, issuer string, cents finance.Amount, installments int64) int64 {
	l.T.Helper()
	s := l.newSale(method, issuer, cents, installments)
	l.InTx(func(ctx context.Context, tx *storage.Tx) error { return tx.InsertSales(ctx, []*finance.Sale{s}) })
	return s.ID
}

func (l *pricingHarness) newSale(method, issuer string, cents finance.Amount, installments int64) *finance.Sale {
	l.T.Helper()
	day, _ := finance.NewDate(2026, 1, 31)
	s := &finance.Sale{AccountID: l.AccountID, EntityID: l.EntityID, SaleAccountID: l.ID, PaymentMethod: method,
		NominalAmount: cents, OccurredAt: day}
	if issuer != "" {
		s.Issuer = &issuer
	}
	if installments > 1 {
		s.InstallmentCount = &installments
	}
	if err := s.Validate(); err != nil {
		l.T.Fatal(err)
	}
	return s
}

// are waits until no job is left, and compares the sales by id, each as "status receivable
// day".
func (l *pricingHarness) are(want ...string) {
	l.T.Helper()
	l.Eventually("the end of all jobs", func() bool {
		return l.Count(`SELECT count(*) FROM jobs WHERE kind <> 'delete_cascade'`) == 0
	})
	var got string
	err := l.DB.QueryRowContext(l.T.Context(), `
		SELECT coalesce(string_agg(concat_ws(' ', status, receivable_amount, estimated_liquidated_at),
			', ' ORDER BY id), '') FROM sales`).Scan(&got)
	if err != nil || got != strings.Join(want, ", ") {
		l.T.Errorf("sales %s\nwant  %s, %v", got, strings.Join(want, ", "), err)
	}
	storagetest.Agrees(l.T, l.Store)
}

func percent(n int64) *finance.Percentage { p := finance.Percentage(n * 1_0000); return &p }

func TestASaleParcelledInTwelveIsPricedByInstallment(t *testing.T) {
	t.Parallel()
	l := newPricingHarness(t)
	l.rule("parcelled", "Visa", func(r *finance.SaleRule) { r.FeePercentage, r.DaysToLiquidation = percent(3), 30 })
	l.sale("parcelled", "visa", 100_000, 12) // 83.37 and eleven of 83.33
	want := []string{"1 80.87 2026-03-02"}
	for _, day := range []string{"2026-03-30", "2026-04-30", "2026-05-30", "2026-06-30", "2026-07-30", "2026-08-30",
		"2026-09-30", "2026-10-30", "2026-11-30", "2026-12-30", "2027-01-30"} {
		want = append(want, "1 80.83 "+day)
	}
	l.are(want...)
}

func TestAVoucherIsPricedByItsProvidersRule(t *testing.T) {
	t.Parallel()
	l := newPricingHarness(t)
	l.rule("voucher", "Alelo", func(r *finance.SaleRule) { r.FeePercentage, r.DaysToLiquidation = percent(6), 28 })
	l.rule("voucher", "VR", func(r *finance.SaleRule) { r.FeePercentage = percent(50) })
	l.sale("voucher", "alelo", 10_000, 1)
	l.are("1 94.00 2026-02-28")
}

func TestAPixWithoutARuleStaysUnpriced(t *testing.T) {
	t.Parallel()
	l := newPricingHarness(t)
	l.sale("pix", "", 10_000, 1)
	l.are("0")
	if n := l.Count(`SELECT count(*) FROM sales WHERE awaiting_pricing`); n > 0 {
		t.Error("nobody has looked at it")
	}
	l.rule("pix", "", func(r *finance.SaleRule) { r.FeePercentage = percent(1) })
	l.are("1 99.00 2026-01-31")
}

func TestARuleAppliesToWhatItMatchesOrMatched(t *testing.T) {
	t.Parallel()
	l := newPricingHarness(t)
	pix := l.rule("pix", "", func(r *finance.SaleRule) { r.FeePercentage = percent(1) })
	for range 4 { // more than a batch
		l.sale("pix", "", 10_000, 1)
	}
	l.sale("cash", "", 10_000, 1)
	l.are("1 99.00 2026-01-31", "1 99.00 2026-01-31", "1 99.00 2026-01-31", "1 99.00 2026-01-31", "0")
	update := func(apply int64) {
		pix.ApplyRules = apply
		l.InTx(func(ctx context.Context, tx *storage.Tx) error { return tx.UpdateSaleRule(ctx, pix) })
	}
	pix.FeePercentage = percent(2)
	update(0)
	l.are("1 99.00 2026-01-31", "1 99.00 2026-01-31", "1 99.00 2026-01-31", "1 99.00 2026-01-31", "0")
	update(1)
	l.are("1 98.00 2026-01-31", "1 98.00 2026-01-31", "1 98.00 2026-01-31", "1 98.00 2026-01-31", "0")
	pix.PaymentMethod = "cash"
	update(1)
	l.are("0", "0", "0", "0", "1 98.00 2026-01-31")
	l.InTx(func(ctx context.Context, tx *storage.Tx) error { return tx.RemoveSaleRule(ctx, pix) })
	l.are("0", "0", "0", "0", "1 98.00 2026-01-31")
}

// Sales are made, changed and removed while rules come and go. Prices are never mixed: in
// the end each follows from the last rule and the last amount.
func TestSalesThatChangeWhileTheyArePricedAreAsTheyWereChangedLast(t *testing.T) {
	t.Parallel()
	l := newPricingHarness(t)
	rule := l.rule("pix", "", func(r *finance.SaleRule) { r.FeePercentage = percent(1) })
	const sales = 12
	var ids []int64
	for range sales {
		ids = append(ids, l.sale("pix", "", 10_000, 1))
	}
	var want []string
	for round := range int64(4) {
		want = nil
		rule.FeePercentage, rule.DaysToLiquidation = percent(round), round%2
		l.InTx(func(ctx context.Context, tx *storage.Tx) error { return tx.UpdateSaleRule(ctx, rule) })
		for _, id := range ids {
			l.InTx(func(ctx context.Context, tx *storage.Tx) error {
				s, err := tx.LockSaleForDelete(ctx, storage.Scope{AccountID: l.AccountID, EntityID: l.EntityID}, id)
				if err != nil {
					return err
				}
				s.NominalAmount, s.AwaitingPricing = finance.Amount(100*(100+id)), true
				if err := s.Validate(); err != nil {
					return err
				}
				return tx.UpdateSale(ctx, s)
			})
			receivable := 100 * (100 + id) * (100 - round) / 100
			want = append(want, fmt.Sprintf("1 %d.%02d 2026-0%s", receivable/100, receivable%100,
				[]string{"1-31", "2-01"}[round%2]))
		}
		l.InTx(func(ctx context.Context, tx *storage.Tx) error {
			s, err := tx.LockSaleWithReceivablesForDelete(ctx, storage.Scope{
				AccountID: l.AccountID, EntityID: l.EntityID}, ids[0])
			if err != nil {
				return err
			}
			_, err = tx.RemoveSale(ctx, s)
			return err
		})
		ids, want = ids[1:], want[1:]
	}
	l.are(want...)
}

func TestPricingOfASaleAccountThatIsGoneEnds(t *testing.T) {
	t.Parallel()
	for _, gone := range []string{`UPDATE sale_accounts SET deleted_at = now()`,
		`UPDATE entities SET deleted_at = now()`} {
		t.Run(gone, func(t *testing.T) {
			t.Parallel()
			l := newPricingHarness(t)
			l.rule("pix", "", func(r *finance.SaleRule) { r.FeePercentage = percent(1) })
			l.are() // the rule's own job has ended, which could still see the entity
			s := l.newSale("pix", "", 10_000, 1)
			l.InTx(func(ctx context.Context, tx *storage.Tx) error {
				if err := tx.InsertSales(ctx, []*finance.Sale{s}); err != nil {
					return err
				}
				_, err := db.Exec(ctx, tx.DB, gone)
				return err
			})
			// The job that removes it runs later.
			l.Exec(`INSERT INTO jobs (kind, queue, args, account_id, due_at)
				SELECT 'delete_cascade', 'deletions', json_build_object('root', root, 'id', id), account_id,
					now() + interval '1 day' FROM (
					SELECT account_id, 'sale_accounts' AS root, id FROM sale_accounts WHERE deleted_at IS NOT NULL
					UNION ALL SELECT account_id, 'entities', id FROM entities WHERE deleted_at IS NOT NULL) g`)
			l.are("0")
		})
	}
}
