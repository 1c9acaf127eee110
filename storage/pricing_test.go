package storage_test

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/list"
	"bordero/storage/pricing"
	"bordero/storage/storagetest"

	"pgregory.net/rapid"
)

func ptr[T any](v T) *T { return &v }

// pricingHarness is an entity with a sale account.
type pricingHarness struct {
	*storage.Store
	tenant storagetest.Tenant
	url    string
	db     *sql.DB
	finance.SaleAccount
}

func newPricingHarness(t testing.TB, consolidate bool) *pricingHarness {
	t.Helper()
	database := storagetest.Borrow(t)
	s := &pricingHarness{Store: database.Store, url: database.URL, db: database.Owner}
	s.tenant = storagetest.NewTenant(t, s.Store)
	s.SaleAccount = finance.SaleAccount{
		AccountID: s.tenant.AccountID, EntityID: s.tenant.EntityID, Name: "Cielo", Provider: "cielo",
		Consolidate:    consolidate,
		PaymentMethods: strings.Join(finance.PaymentMethods, ","),
	}
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error { return tx.InsertSaleAccount(ctx, &s.SaleAccount) })
	return s
}

func (s *pricingHarness) tx(t testing.TB, do func(context.Context, *storage.Tx) error) {
	t.Helper()
	if err := s.InTx(t.Context(), func(tx *storage.Tx) error { return do(t.Context(), tx) }); err != nil {
		t.Fatal(err)
	}
}

func (s *pricingHarness) scope() storage.Scope { return s.tenant.Scope }

// rule stores a rule, made by the function from one of 2 % after 30 days.
func (s *pricingHarness) rule(t testing.TB, method string, change func(*finance.SaleRule)) *finance.SaleRule {
	t.Helper()
	r := &finance.SaleRule{
		AccountID: s.AccountID, SaleAccountID: s.ID, PaymentMethod: method,
		FeePercentage: ptr(finance.Percentage(2_0000)), DaysToLiquidation: 30, ApplyRules: 1,
	}
	if change != nil {
		change(r)
	}
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error { return tx.InsertSaleRule(ctx, r) })
	return r
}

// sale stores a sale of that many cents on a day of March 2026.
func (s *pricingHarness) sale(t testing.TB, method string, cents finance.Amount, day int) int64 {
	t.Helper()
	d, _ := finance.NewDate(2026, 3, day)
	v := &finance.Sale{
		AccountID: s.AccountID, EntityID: s.EntityID, SaleAccountID: s.ID, PaymentMethod: method, NominalAmount: cents,
		TotalAmount: cents,
		OccurredAt:  d, CompetencyMonth: finance.MonthOf(d),
	}
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error { return tx.InsertSales(ctx, []*finance.Sale{v}) })
	return v.ID
}

// price prices all there is to price, in batches of so many.
func (s *pricingHarness) price(t testing.TB, most int) (batches int) {
	t.Helper()
	for all := false; !all; batches++ {
		s.tx(t, func(ctx context.Context, tx *storage.Tx) (err error) {
			all, err = pricing.Price(ctx, tx, s.AccountID, s.ID, most)
			return err
		})
	}
	s.summed(t)
	return batches
}

// batch prices one batch.
func (s *pricingHarness) batch(t testing.TB, most int) {
	t.Helper()
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
		_, err := pricing.Price(ctx, tx, s.AccountID, s.ID, most)
		return err
	})
}

// correct changes a sale, which awaits pricing then.
func (s *pricingHarness) correct(t testing.TB, id int64, change func(*finance.Sale)) {
	t.Helper()
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
		v, err := tx.LockSaleForDelete(ctx, s.scope(), id)
		if err != nil {
			return err
		}
		change(v)
		v.AwaitingPricing = true
		return tx.UpdateSale(ctx, v)
	})
}

// summed checks that receivable accounts are what their sales bring.
func (s *pricingHarness) summed(t testing.TB) {
	t.Helper()
	var wrong int
	err := s.db.QueryRowContext(t.Context(), `
		SELECT count(*) FROM financial_accounts f WHERE NOT EXISTS (
			SELECT FROM sales s WHERE s.financial_account_id = f.id AND s.estimated_liquidated_at = f.due_date
			HAVING sum(receivable_amount) = f.amount AND count(*) = f.sales_count)`).Scan(&wrong)
	if err != nil || wrong > 0 {
		t.Fatalf("%d accounts are not the sum of their sales, %v", wrong, err)
	}
}

// settle has all sales follow their accounts, in batches of so many.
func (s *pricingHarness) settle(t testing.TB, most int) (batches int) {
	t.Helper()
	for all := false; !all; batches++ {
		s.tx(t, func(ctx context.Context, tx *storage.Tx) (err error) {
			all, err = pricing.Settle(ctx, tx, s.AccountID, s.ID, most)
			return err
		})
	}
	s.agrees(t)
	return batches
}

func (s *pricingHarness) agrees(t testing.TB) {
	t.Helper()
	storagetest.Agrees(t, s.Store)
}

// saleState is the result of pricing a sale. Its zero value is the state of a sale that no rule prices.
type saleState struct {
	status     int64
	receivable sql.Null[finance.Amount]
	due        string // the day
	awaiting   bool   // the next pricing
}

// known is an amount that is not null.
func known(cents finance.Amount) sql.Null[finance.Amount] {
	return sql.Null[finance.Amount]{V: cents, Valid: true}
}

// is checks a sale.
func (s *pricingHarness) is(t testing.TB, sale int64, want saleState) {
	t.Helper()
	var got saleState
	err := s.db.QueryRowContext(t.Context(), `
		SELECT status, receivable_amount, coalesce(estimated_liquidated_at::text, ''), awaiting_pricing
		FROM sales WHERE id = $1`, sale).Scan(&got.status, &got.receivable, &got.due, &got.awaiting)
	if err != nil || got != want {
		t.Errorf("sale %d is %+v, want %+v, %v", sale, got, want, err)
	}
}

// accountState is a receivable account of sales.
type accountState struct {
	amount finance.Amount
	sales  int
	due    string // the day
	status int64
}

// accountsAre checks all receivable accounts, in the order of their ids.
func (s *pricingHarness) accountsAre(t testing.TB, want ...accountState) {
	t.Helper()
	rows, err := s.db.QueryContext(t.Context(),
		`SELECT amount, sales_count, due_date::text, status FROM financial_accounts ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got []accountState
	for rows.Next() {
		var a accountState
		if err := rows.Scan(&a.amount, &a.sales, &a.due, &a.status); err != nil {
			t.Fatal(err)
		}
		got = append(got, a)
	}
	if err := rows.Err(); err != nil || !slices.Equal(got, want) {
		t.Errorf("accounts %+v\nwant     %+v, %v", got, want, err)
	}
}

// change changes an account as a request does.
func (s *pricingHarness) change(t testing.TB, id int64, change func(*finance.FinancialAccount) error) {
	t.Helper()
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
		f, err := tx.LockFinancialAccountForDelete(ctx, s.scope(), finance.Receivable, id)
		if err != nil {
			return err
		}
		if err := change(f); err != nil {
			return err
		}
		return tx.UpdateFinancialAccount(ctx, f)
	})
}

func (s *pricingHarness) receive(t testing.TB, id int64, total finance.Amount) {
	t.Helper()
	s.change(t, id, func(f *finance.FinancialAccount) error {
		day, _ := finance.NewDate(2026, 5, 5)
		f.OccurredAt, f.TotalAmount = &day, &total
		return f.Settle()
	})
}

func (s *pricingHarness) reopen(t testing.TB, id int64) {
	t.Helper()
	s.change(t, id, (*finance.FinancialAccount).Reopen)
}

func (s *pricingHarness) accountOf(t testing.TB, sale int64) (id int64) {
	t.Helper()
	if err := s.db.QueryRowContext(t.Context(), `SELECT financial_account_id FROM sales WHERE id = $1`, sale).Scan(
		&id); err != nil {
		t.Fatal(err)
	}
	return id
}

func (s *pricingHarness) exec(t testing.TB, query string, args ...any) {
	t.Helper()
	if _, err := s.db.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatal(err)
	}
}

func TestSalesOfADayAreOneReceivableAccount(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, true)
	s.rule(t, "pix", nil)
	a, b, c := s.sale(t, "pix", 1000, 1), s.sale(t, "pix", 2000, 1), s.sale(t, "pix", 500, 2)
	none := s.sale(t, "cash", 100, 1)
	s.is(t, a, saleState{awaiting: true})
	s.price(t, 100)
	s.exec(t, `DELETE FROM jobs`)
	s.agrees(t)
	s.is(t, a, saleState{status: finance.SalePriced, receivable: known(980), due: "2026-03-31"})
	s.is(t, b, saleState{status: finance.SalePriced, receivable: known(1960), due: "2026-03-31"})
	s.is(t, c, saleState{status: finance.SalePriced, receivable: known(490), due: "2026-04-01"})
	s.is(t, none, saleState{})
	s.accountsAre(t,
		accountState{amount: 2940, sales: 2, due: "2026-03-31", status: finance.Outstanding},
		accountState{amount: 490, sales: 1, due: "2026-04-01", status: finance.Outstanding})
}

func TestSalesHaveAReceivableAccountEach(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, false)
	r := s.rule(t, "pix", nil)
	a := s.sale(t, "pix", 1000, 1)
	s.sale(t, "pix", 2000, 1)
	s.price(t, 100)
	s.accountsAre(t,
		accountState{amount: 980, sales: 1, due: "2026-03-31", status: finance.Outstanding},
		accountState{amount: 1960, sales: 1, due: "2026-03-31", status: finance.Outstanding})
	before := s.accountOf(t, a)
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
		r.DaysToLiquidation, r.FeePercentage = 31, ptr(finance.Percentage(10_0000))
		return tx.UpdateSaleRule(ctx, r)
	})
	s.price(t, 1)
	s.accountsAre(t,
		accountState{amount: 900, sales: 1, due: "2026-04-01", status: finance.Outstanding},
		accountState{amount: 1800, sales: 1, due: "2026-04-01", status: finance.Outstanding})
	if after := s.accountOf(t, a); after != before {
		t.Errorf("it has account %d now, not %d", after, before)
	}
}

// A rule that goes to another method, for later sales only, is applied to the sales of its former method if that is
// still to be done, as one that is deleted is.
func TestARuleThatLeavesItsMethodIsStillAppliedToIt(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, true)
	r := s.rule(t, "pix", nil)
	a := s.sale(t, "pix", 1000, 1)
	s.price(t, 100)
	update := func(change func()) {
		change()
		s.tx(t, func(ctx context.Context, tx *storage.Tx) error { return tx.UpdateSaleRule(ctx, r) })
	}
	update(func() { r.FeePercentage = ptr(finance.Percentage(10_0000)) })
	update(func() { r.PaymentMethod, r.ApplyRules = "cash", 0 })
	s.price(t, 100)
	s.is(t, a, saleState{status: finance.SalePriced, receivable: known(900), due: "2026-03-31"})
	update(func() { r.PaymentMethod, r.FeePercentage, r.ApplyRules = "pix", ptr(finance.Percentage(20_0000)), 1 })
	s.price(t, 100)
	s.is(t, a, saleState{status: finance.SalePriced, receivable: known(800), due: "2026-03-31"})
}

// A rule is applied as it was when that was asked for, to the sales that were there,
// however late the job comes; what it is changed to is for later sales.
func TestARuleIsAppliedAsItWasThen(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, true)
	r := s.rule(t, "pix", nil)
	a, b := s.sale(t, "pix", 1000, 1), s.sale(t, "pix", 2000, 1)
	s.price(t, 100)
	update := func(apply int64, percent finance.Percentage) {
		r.ApplyRules, r.FeePercentage = apply, ptr(percent)
		s.tx(t, func(ctx context.Context, tx *storage.Tx) error { return tx.UpdateSaleRule(ctx, r) })
	}
	update(1, 10_0000)
	update(0, 20_0000)
	later := s.sale(t, "pix", 1000, 1)
	s.price(t, 1)
	s.is(t, a, saleState{status: finance.SalePriced, receivable: known(900), due: "2026-03-31"})
	s.is(t, b, saleState{status: finance.SalePriced, receivable: known(1800), due: "2026-03-31"})
	s.is(t, later, saleState{status: finance.SalePriced, receivable: known(800), due: "2026-03-31"})
	update(1, 30_0000)
	s.price(t, 100)
	s.accountsAre(t, accountState{amount: 2800, sales: 3, due: "2026-03-31", status: finance.Outstanding})
}

// A sale that awaits its price, and that an application looks at in the same transaction, is announced once.
func TestASaleThatIsPricedTwiceAtOnceHasOneEvent(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, true)
	s.sale(t, "pix", 1000, 1)
	s.rule(t, "pix", nil)
	s.price(t, 100)
	s.accountsAre(t, accountState{amount: 980, sales: 1, due: "2026-03-31", status: finance.Outstanding})
	n := 0
	err := s.db.QueryRowContext(t.Context(), `SELECT count(*) FROM unsealed_changes WHERE family = 'sales'
		AND action = 'updated'`).Scan(&n)
	if err != nil || n != 1 {
		t.Errorf("%d changes of the sale, %v", n, err)
	}
}

// While an account that was reopened takes its sales back, neither a rule nor a grouping skips them.
func TestAGroupingWaitsForReopenedSales(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, true)
	s.rule(t, "pix", nil)
	s.sale(t, "pix", 1000, 1)
	s.sale(t, "pix", 2000, 1)
	s.price(t, 100)
	_, err := s.db.ExecContext(t.Context(), `WITH a AS (UPDATE financial_accounts SET settling = true)
		UPDATE sales SET status = 2, liquidated_at = '2026-03-31', amount_difference = 0`)
	if err != nil {
		t.Fatal(err)
	}
	s.Consolidate = false
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error { return tx.UpdateSaleAccount(ctx, &s.SaleAccount) })
	s.price(t, 100)
	_, err = s.db.ExecContext(t.Context(), `WITH a AS (UPDATE financial_accounts SET settling = false)
		UPDATE sales SET status = 1, liquidated_at = NULL, amount_difference = NULL`)
	if err != nil {
		t.Fatal(err)
	}
	s.price(t, 100)
	s.accountsAre(t, accountState{amount: 980, sales: 1, due: "2026-03-31", status: finance.Outstanding},
		accountState{amount: 1960, sales: 1, due: "2026-03-31", status: finance.Outstanding})
}

// Pricing in SQL is finance's, for any rules and sales, in batches of any size; and
// so is pricing again, when the rules have changed.
func TestPricingIsTheRulesArithmetic(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, true)
	methods := []string{"pix", "cash", "credit"}
	rapid.Check(t, func(r *rapid.T) {
		sales := rapid.SliceOfN(rapid.Custom(anySale), 1, 12).Draw(r, "sales")
		s.exec(t, `DELETE FROM sales; DELETE FROM financial_accounts; DELETE FROM sale_rule_applications`)
		s.exec(t, `UPDATE sale_accounts SET consolidate = $1`, rapid.Bool().Draw(r, "consolidate"))
		var rows []string
		for i, v := range sales {
			rows = append(rows, fmt.Sprintf("(%d, %d, %d, %d, '%s', '%s', '2026-03-01', 1, %v)", i+1, s.AccountID,
				s.EntityID, s.ID, methods[v.method], v.day, v.total))
		}
		s.exec(t, `INSERT INTO sales (id, account_id, entity_id, sale_account_id, payment_method, occurred_at,
			competency_month, nominal_amount, total_amount)
			VALUES `+strings.Join(rows, ", "))
		for round := range 2 {
			rules := make([]*finance.SaleRule, len(methods))
			s.exec(t, `DELETE FROM sale_rules`)
			for i, method := range methods {
				if rule := anyRule(r); rule != nil {
					rules[i] = rule
					s.exec(t, `
						INSERT INTO sale_rules (account_id, sale_account_id, payment_method, fee_percentage,
							fixed_fee_amount, minimum_fee_amount, days_to_liquidation, weekdays)
						VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, s.AccountID, s.ID, method,
						rule.FeePercentage, rule.FixedFeeAmount, rule.MinimumFeeAmount, rule.DaysToLiquidation,
						rule.Weekdays)
				}
			}
			if round > 0 { // the sales have a price
				s.exec(t, `INSERT INTO sale_rule_applications (account_id, sale_account_id, payment_method,
					sale_rule_id, fee_percentage, fixed_fee_amount,
						minimum_fee_amount, days_to_liquidation, weekdays, up_to)
					SELECT $1, $2, m, r.id, r.fee_percentage, r.fixed_fee_amount, r.minimum_fee_amount,
						r.days_to_liquidation, r.weekdays, 1e18
					FROM unnest(string_to_array('pix,cash,credit', ',')) m
					LEFT JOIN sale_rules r ON r.account_id = $1 AND r.sale_account_id = $2 AND r.payment_method = m`,
					s.AccountID, s.ID)
			}
			s.price(t, rapid.IntRange(len(sales)/3+1, 13).Draw(r, "batch"))
			listed, err := s.Sales(t.Context(), s.scope(), list.Query{})
			if err != nil || len(listed.Items) != len(sales) {
				r.Fatal(len(listed.Items), err)
			}
			for i, v := range listed.Items {
				rule, of := rules[sales[i].method], sales[i]
				got := fmt.Sprintln(v.Status, v.AwaitingPricing, show(v.FeePercentageAmount), show(v.ReceivableAmount),
					show(v.EstimatedLiquidatedAt), show(v.LiquidationWeekday))
				want := fmt.Sprintln(0, false, "none", "none", "none", "none")
				if rule != nil {
					p := rule.Price(of.total, of.day)
					want = fmt.Sprintln(1, false, show(p.FeePercentageAmount), p.ReceivableAmount,
						p.EstimatedLiquidatedAt, show(p.LiquidationWeekday))
				}
				if got != want {
					r.Fatalf("%+v by %+v: %s, want %s", of, rule, got, want)
				}
			}
		}
	})
}

type sold struct {
	method int
	total  finance.Amount
	day    finance.Date
}

func anySale(r *rapid.T) sold {
	most := rapid.SampledFrom([]int64{100, 1e6, int64(finance.MaxAmount)}).Draw(r, "most")
	return sold{
		method: rapid.IntRange(0, 2).Draw(r, "method"),
		total:  finance.Amount(rapid.Int64Range(0, most).Draw(r, "total")),
		day:    finance.DateOf(time.Date(2026, 3, rapid.IntRange(1, 12).Draw(r, "day"), 0, 0, 0, 0, time.UTC)),
	}
}

func show[T any](v *T) string {
	if v == nil {
		return "none"
	}
	return fmt.Sprint(*v)
}

// anyRule is a rule, or none.
func anyRule(r *rapid.T) *finance.SaleRule {
	if rapid.IntRange(0, 3).Draw(r, "without") == 0 {
		return nil
	}
	amount := rapid.Ptr(rapid.Custom(func(t *rapid.T) finance.Amount {
		return finance.Amount(rapid.Int64Range(0, 5000).Draw(t, "cents"))
	}), true)
	percentage := rapid.Ptr(rapid.Custom(func(t *rapid.T) finance.Percentage {
		return finance.Percentage(rapid.Int64Range(0, int64(finance.Hundred)).Draw(t, "units"))
	}), true)
	rule := &finance.SaleRule{
		FeePercentage: percentage.Draw(r, "percentage"), FixedFeeAmount: amount.Draw(r, "fixed"),
		MinimumFeeAmount:  amount.Draw(r, "minimum"),
		DaysToLiquidation: rapid.Int64Range(0, 5).Draw(r, "days"),
		Weekdays:          finance.Weekdays(rapid.Uint8Range(0, 127).Draw(r, "weekdays")),
	}
	if rule.FeePercentage == nil && rule.FixedFeeAmount == nil {
		rule.FixedFeeAmount = ptr(finance.Amount(1))
	}
	return rule
}

// A receivable account is less than 10,000,000,000,000,000.00. A sale that does not fit is left
// without a price, and delays no other.
func TestASumBeyondTheLimitLeavesOtherSalesPriced(t *testing.T) {
	t.Parallel()
	for name, most := range map[string]int{"in one batch": 2000, "in batches": 300, "one by one at the edge": 1000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newPricingHarness(t, true)
			s.rule(t, "pix", func(r *finance.SaleRule) { r.FeePercentage = ptr(finance.Percentage(0)) })
			s.price(t, most)
			// 1001 sales of the largest amount, with the ids 1 to 1001
			s.exec(t, `INSERT INTO sales (account_id, entity_id, sale_account_id, payment_method, occurred_at,
				competency_month, nominal_amount, total_amount)
				SELECT $1, $2, $3, 'pix', '2026-03-01', '2026-03-01', $4, $4 FROM generate_series(1, 1001)`,
				s.AccountID, s.EntityID, s.ID, finance.MaxAmount)
			fits, over, other := s.sale(t, "pix", 999, 1), s.sale(t, "pix", 101, 1), s.sale(t, "pix", 1000, 2)
			s.price(t, most)
			s.is(t, 1000,
				saleState{status: finance.SalePriced, receivable: known(finance.MaxAmount), due: "2026-03-31"})
			s.is(t, 1001, saleState{})
			s.is(t, fits, saleState{status: finance.SalePriced, receivable: known(999), due: "2026-03-31"})
			s.is(t, over, saleState{})
			s.is(t, other, saleState{status: finance.SalePriced, receivable: known(1000), due: "2026-04-01"})
			s.accountsAre(t,
				accountState{1000*finance.MaxAmount + 999, 1001, "2026-03-31", finance.Outstanding},
				accountState{1000, 1, "2026-04-01", finance.Outstanding})
			s.agrees(t)
		})
	}
}
