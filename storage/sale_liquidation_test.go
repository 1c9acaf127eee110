package storage_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/cascade"
	"bordero/storage/storagetest"

	"pgregory.net/rapid"
)

// saleShare is the part of a sale in the payment of its receivable account.
type saleShare struct {
	status     int64
	liquidated string                   // the day, if its account is paid
	difference sql.Null[finance.Amount] // of the payment to the account's amount, if there is one
}

// sharesAre checks the sales of an account, in the order of their ids.
func (s *pricingHarness) sharesAre(t testing.TB, account int64, want ...saleShare) {
	t.Helper()
	rows, err := s.db.QueryContext(t.Context(), `
		SELECT status, coalesce(liquidated_at::text, ''), amount_difference
		FROM sales WHERE financial_account_id = $1 ORDER BY id`, account)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got []saleShare
	for rows.Next() {
		var v saleShare
		if err := rows.Scan(&v.status, &v.liquidated, &v.difference); err != nil {
			t.Fatal(err)
		}
		got = append(got, v)
	}
	if err := rows.Err(); err != nil || !slices.Equal(got, want) {
		t.Errorf("sales of account %d: %+v\nwant %+v, %v", account, got, want, err)
	}
}

func TestSalesFollowTheirReceivableAccount(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, true)
	s.rule(t, "pix", func(r *finance.SaleRule) { r.FeePercentage = ptr(finance.Percentage(0)) })
	a := s.sale(t, "pix", 1000, 1)
	s.sale(t, "pix", 1001, 1)
	s.sale(t, "pix", 1000, 1)
	s.price(t, 100)
	account := s.accountOf(t, a)
	s.receive(t, account, 3101)
	s.sharesAre(t, account,
		saleShare{status: finance.SaleLiquidated, liquidated: "2026-05-05", difference: known(33)},
		saleShare{status: finance.SaleLiquidated, liquidated: "2026-05-05", difference: known(34)},
		saleShare{status: finance.SaleLiquidated, liquidated: "2026-05-05", difference: known(33)})
	s.change(t, account, func(f *finance.FinancialAccount) error {
		f.TotalAmount = ptr(finance.Amount(3001))
		return nil
	})
	s.sharesAre(t, account,
		saleShare{status: finance.SaleLiquidated, liquidated: "2026-05-05"},
		saleShare{status: finance.SaleLiquidated, liquidated: "2026-05-05"},
		saleShare{status: finance.SaleLiquidated, liquidated: "2026-05-05"})

	deposit := storagetest.NewDepositAccount(t, s.Store, s.scope()).ID
	payment := &finance.FinancialTransaction{AccountID: s.AccountID, DepositAccountID: deposit, CurrencyID: finance.BRL,
		Amount: 3001}
	payment.OccurredAt, _ = finance.NewDate(2026, 5, 5)
	var reconcile int64
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
		if err := tx.InsertFinancialTransactions(ctx, []*finance.FinancialTransaction{payment}); err != nil {
			return err
		}
		r, err := tx.LockReconcilable(ctx, finance.Access{AccountID: s.AccountID, UserID: s.tenant.UserID,
			Administrator: true}, s.scope(), []int64{account}, []int64{payment.ID})
		if err != nil {
			return err
		}
		if err := r.Validate(); err != nil {
			return err
		}
		err = tx.InsertReconcile(ctx, r)
		reconcile = r.ID
		return err
	})
	s.sharesAre(t, account,
		saleShare{status: finance.SaleReconciled, liquidated: "2026-05-05"},
		saleShare{status: finance.SaleReconciled, liquidated: "2026-05-05"},
		saleShare{status: finance.SaleReconciled, liquidated: "2026-05-05"})
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
		r, err := tx.LockReconcileForDelete(ctx, s.scope(), reconcile)
		if err != nil {
			return err
		}
		return tx.RemoveReconcile(ctx, r)
	})
	s.sharesAre(t, account,
		saleShare{status: finance.SaleLiquidated, liquidated: "2026-05-05"},
		saleShare{status: finance.SaleLiquidated, liquidated: "2026-05-05"},
		saleShare{status: finance.SaleLiquidated, liquidated: "2026-05-05"})
	s.reopen(t, account)
	s.sharesAre(t, account,
		saleShare{status: finance.SalePriced},
		saleShare{status: finance.SalePriced},
		saleShare{status: finance.SalePriced})
	s.exec(t, `DELETE FROM jobs`)
	s.agrees(t)
}

// Of an account that was received nothing is priced, and a new sale of its day has
// another. It is priced, and all are one account again, when it is open again.
func TestAReceivedAccountRetainsItsSales(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, true)
	r := s.rule(t, "pix", nil)
	a := s.sale(t, "pix", 1000, 1)
	s.price(t, 100)
	first := s.accountOf(t, a)
	s.receive(t, first, 1000)
	s.exec(t, `UPDATE sales SET awaiting_pricing = true WHERE id = $1`, a)
	b := s.sale(t, "pix", 500, 1)
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
		r.FeePercentage = ptr(finance.Percentage(10_0000))
		return tx.UpdateSaleRule(ctx, r)
	})
	s.price(t, 100)
	s.accountsAre(t,
		accountState{amount: 980, sales: 1, due: "2026-03-31", status: finance.Settled},
		accountState{amount: 450, sales: 1, due: "2026-03-31", status: finance.Outstanding})
	s.is(t, a, saleState{status: finance.SaleLiquidated, receivable: known(980), due: "2026-03-31", awaiting: true})
	s.reopen(t, first)
	s.price(t, 100)
	s.accountsAre(t, accountState{amount: 1350, sales: 2, due: "2026-03-31", status: finance.Outstanding})
	if s.accountOf(t, a) != first || s.accountOf(t, b) != first {
		t.Error("they are not in the account that was there first")
	}
	s.exec(t, `DELETE FROM jobs`)
	s.agrees(t)
}

func TestSalesOfASaleAccountAreGroupedAgain(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, false)
	r := s.rule(t, "pix", nil)
	for _, cents := range []finance.Amount{1000, 2000, 3000} {
		s.sale(t, "pix", cents, 1)
	}
	s.price(t, 2)
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error { return tx.RemoveSaleRule(ctx, r) })
	for _, consolidate := range []bool{true, false} {
		s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
			s.Consolidate = consolidate
			return tx.UpdateSaleAccount(ctx, &s.SaleAccount)
		})
		s.price(t, 2)
		if consolidate {
			s.accountsAre(t, accountState{amount: 5880, sales: 3, due: "2026-03-31", status: finance.Outstanding})
		}
	}
	s.accountsAre(t,
		accountState{amount: 980, sales: 1, due: "2026-03-31", status: finance.Outstanding},
		accountState{amount: 1960, sales: 1, due: "2026-03-31", status: finance.Outstanding},
		accountState{amount: 2940, sales: 1, due: "2026-03-31", status: finance.Outstanding})
	s.exec(t, `DELETE FROM jobs`)
	s.agrees(t)
}

// manySales stores and prices more sales of 10.00 than follow their account at once, and returns that.
func (s *pricingHarness) manySales(t testing.TB) (account int64) {
	t.Helper()
	s.exec(t, `INSERT INTO sales (account_id, entity_id, sale_account_id, payment_method, occurred_at,
		competency_month, nominal_amount, total_amount)
		SELECT $1, $2, $3, 'pix', '2026-03-01', '2026-03-01', 10, 10 FROM generate_series(1, 501)`, s.AccountID,
		s.EntityID, s.ID)
	s.price(t, 1000)
	return s.accountOf(t, 1)
}

func TestManySalesFollowByAJob(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, true)
	s.rule(t, "pix", nil)
	account := s.manySales(t)
	s.receive(t, account, 501*980+7)
	s.is(t, 1, saleState{status: finance.SalePriced, receivable: known(980), due: "2026-03-31"})
	s.agrees(t) // while it settles
	if n := s.settle(t, 200); n != 4 {
		t.Errorf("settled in %d batches", n)
	}
	s.is(t, 1, saleState{status: finance.SaleLiquidated, receivable: known(980), due: "2026-03-31"})
	s.reopen(t, account)
	s.settle(t, 1000)
	s.is(t, 501, saleState{status: finance.SalePriced, receivable: known(980), due: "2026-03-31"})
	s.accountsAre(t, accountState{amount: 490_980, sales: 501, due: "2026-03-31", status: finance.Outstanding})
}

func TestSalesOfManyAccountsFollowTogether(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, false)
	s.rule(t, "pix", nil)
	s.manySales(t)
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error { return tx.EnqueueSettling(ctx, s.AccountID, s.ID) })
	s.exec(t, `UPDATE financial_accounts SET status = 2, occurred_at = '2026-05-05', total_amount = amount + 0.07,
		settling = true`)
	if n := s.settle(t, 200); n != 4 { // and one that finds nothing
		t.Errorf("settled in %d batches", n)
	}
	s.sharesAre(t, s.accountOf(t, 501),
		saleShare{status: finance.SaleLiquidated, liquidated: "2026-05-05", difference: known(7)})
	var left int
	if err := s.db.QueryRowContext(t.Context(), `SELECT count(*) FROM sales WHERE status <> 2`).Scan(
		&left); err != nil || left > 0 {
		t.Errorf("%d sales do not follow, %v", left, err)
	}
}

// A rule that is applied while a job is still to reopen the sales waits for that, without a job of its own.
func TestARuleIsAppliedWhenItsSalesHaveFollowed(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]bool{"their open account": false,
		"their account, which was received again": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newPricingHarness(t, true)
			r := s.rule(t, "pix", nil)
			account := s.manySales(t)
			s.receive(t, account, 501*980)
			s.settle(t, 1000)
			s.reopen(t, account)
			r.FeePercentage = ptr(finance.Percentage(10_0000))
			s.tx(t, func(ctx context.Context, tx *storage.Tx) error { return tx.UpdateSaleRule(ctx, r) })
			if n := s.price(t, 1000); n != 1 {
				t.Errorf("%d pricings ran for nothing", n)
			}
			s.exec(t, `DELETE FROM jobs WHERE kind = 'price_sales'`)
			s.agrees(t) // the job that settles is what continues
			want := saleState{status: finance.SalePriced, receivable: known(900), due: "2026-03-31"}
			if again {
				s.receive(t, account, 501*980)
				want = saleState{status: finance.SaleLiquidated, receivable: known(980), due: "2026-03-31"}
			}
			s.settle(t, 200)
			s.exec(t, `DELETE FROM jobs WHERE kind = 'settle_sales'`)
			s.agrees(t) // the job that prices is
			s.price(t, 1000)
			s.is(t, 1, want)
			s.is(t, 501, want)
			s.exec(t, `DELETE FROM jobs`)
			s.agrees(t)
		})
	}
}

// Spreading in SQL is finance's.
func TestSettlingSpreadsAsFinanceDoes(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, true)
	rapid.Check(t, func(r *rapid.T) {
		receivable := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) finance.Amount {
			return finance.Amount(rapid.Int64Range(0, rapid.SampledFrom([]int64{2, 1e6, 1e14}).Draw(t, "most")).Draw(t,
				"cents"))
		}), 1, 8).Draw(r, "receivable")
		var sum finance.Amount
		for _, a := range receivable {
			sum += a
		}
		difference := finance.Amount(rapid.Int64Range(-int64(min(sum, 1e9)), 1e9).Draw(r, "difference"))
		s.exec(t, `DELETE FROM sales; DELETE FROM financial_accounts`)
		s.exec(t, `INSERT INTO financial_accounts (id, account_id, entity_id, kind, due_date, competency_month, amount,
			sales_count, sale_account_id, consolidated, gathering)
			VALUES (1, $1, $2, 'receivable', '2026-03-01', '2026-03-01', $3, $4, $5, true, true)`, s.AccountID,
			s.EntityID, sum, len(receivable), s.ID)
		var rows []string
		for i, a := range receivable {
			rows = append(rows, fmt.Sprintf("(%d, %d, %d, %d, 'pix', '2026-03-01', '2026-03-01', 1, 1, 1, false, 1, "+
				"%v, '2026-03-01')", i, s.AccountID, s.EntityID, s.ID, a))
		}
		s.exec(t, `INSERT INTO sales (id, account_id, entity_id, sale_account_id, payment_method, occurred_at,
			competency_month, nominal_amount, total_amount,
			status, awaiting_pricing, financial_account_id, receivable_amount, estimated_liquidated_at) VALUES `+
			strings.Join(rows, ", "))
		s.receive(t, 1, sum+difference)
		var want []saleShare
		for _, part := range finance.AllocateDifference(difference, receivable) {
			share := saleShare{status: finance.SaleLiquidated, liquidated: "2026-05-05"}
			if difference != 0 {
				share.difference = known(part)
			}
			want = append(want, share)
		}
		s.sharesAre(t, 1, want...)
		if t.Failed() {
			r.Fatalf("%v of %v", difference, receivable)
		}
	})
}

func TestAWithdrawnSaleLeavesItsAccount(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, true)
	s.rule(t, "pix", nil)
	a, b := s.sale(t, "pix", 1000, 1), s.sale(t, "pix", 2000, 1)
	s.price(t, 100)
	withdraw := func(id int64) error {
		return s.InTx(t.Context(), func(tx *storage.Tx) error {
			return tx.WithdrawSales(t.Context(), s.AccountID, []int64{id}, tx.RemoveEmptied)
		})
	}
	if err := withdraw(a); err != nil {
		t.Fatal(err)
	}
	s.accountsAre(t, accountState{amount: 1960, sales: 1, due: "2026-03-31", status: finance.Outstanding})
	s.is(t, a, saleState{})
	if err := withdraw(b); err != nil {
		t.Fatal(err)
	}
	s.accountsAre(t)
}

// The account of an installment decides whether it is paid, while a job is still to set its status.
func TestASaleIsRemovedWithTheInstallmentsOfOpenAccounts(t *testing.T) {
	t.Parallel()
	for name, paid := range map[string]bool{"an account that was reopened": false,
		"an account that was received": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newPricingHarness(t, true)
			s.rule(t, "pix", nil)
			account := s.manySales(t)
			original := s.sale(t, "pix", 1000, 2)
			s.price(t, 1000)
			s.exec(t, `UPDATE sales SET original_sale_id = $1 WHERE id = 1`, original)
			s.receive(t, account, 501*980+7)
			if !paid {
				s.settle(t, 1000)
				s.reopen(t, account)
			}
			want := map[bool]string{false: "removed [1 502], left []", true: "removed [502], left [1]"}[paid]
			s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
				v, err := tx.LockSaleWithReceivablesForDelete(ctx, s.scope(), original)
				if err != nil {
					return err
				}
				left, err := tx.RemoveSale(ctx, v)
				if got := fmt.Sprintf("removed %v, left %v", v.Removed, left); got != want {
					t.Errorf("%s, want %s", got, want)
				}
				return err
			})
			s.agrees(t)
			s.settle(t, 1000)
			s.summed(t)
		})
	}
}

// toAnother moves a sale to a new sale account, which it returns.
func (s *pricingHarness) toAnother(t testing.TB, sale int64) *finance.SaleAccount {
	t.Helper()
	other := s.SaleAccount
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
		if err := tx.InsertSaleAccount(ctx, &other); err != nil {
			return err
		}
		v, err := tx.LockSaleForDelete(ctx, s.scope(), sale)
		if err != nil {
			return err
		}
		v.SaleAccountID, v.AwaitingPricing = other.ID, true
		return tx.UpdateSale(ctx, v)
	})
	return &other
}

func TestASaleAccountOfASaleInAReceivedAccountStays(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, true)
	s.rule(t, "pix", nil)
	account := s.manySales(t)
	s.receive(t, account, 501*980)
	other := s.toAnother(t, 1) // as 0.3.0 let it go meanwhile
	// A job will settle it.
	s.is(t, 1, saleState{status: finance.SalePriced, receivable: known(980), due: "2026-03-31", awaiting: true})
	remove := func(ctx context.Context, tx *storage.Tx) error { return tx.RemoveSaleAccount(ctx, other) }
	var invalid *finance.Invalid
	if err := s.InTx(t.Context(), func(tx *storage.Tx) error { return remove(t.Context(), tx) }); !errors.As(err,
		&invalid) {
		t.Errorf("removed with a liquidated sale, %v", err)
	}
	s.settle(t, 1000)
	s.reopen(t, account)
	s.is(t, 1, saleState{status: finance.SaleLiquidated, receivable: known(980), due: "2026-03-31", awaiting: true})
	s.tx(t, remove)
}

func TestAReceivedAccountIsSharedAgainWithoutTheSalesThatGo(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, true)
	s.rule(t, "pix", nil)
	goes := s.sale(t, "pix", 1000, 1)
	s.sale(t, "pix", 2000, 1)
	s.price(t, 100)
	account := s.accountOf(t, goes)
	s.receive(t, account, 2943)
	// As 0.3.0 let it go meanwhile, and its sale account be deleted.
	other := s.toAnother(t, goes)
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
		return tx.Hide(ctx, "sale_accounts", s.AccountID, other.ID)
	})
	s.sharesAre(t, account,
		saleShare{status: finance.SaleLiquidated, liquidated: "2026-05-05", difference: known(1)},
		saleShare{status: finance.SaleLiquidated, liquidated: "2026-05-05", difference: known(2)})
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
		return cascade.RemoveSales(ctx, tx, s.AccountID, []int64{goes})
	})
	s.accountsAre(t, accountState{amount: 1960, sales: 1, due: "2026-03-31", status: finance.Settled})
	s.sharesAre(t, account, saleShare{status: finance.SaleLiquidated, liquidated: "2026-05-05", difference: known(983)})
	s.agrees(t)
}

// The removal of a sale account's sales finds them before it locks them.
func TestASaleThatMovesIsNotRemovedWithItsFormerSaleAccount(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, true)
	stays, moves := s.sale(t, "pix", 10000, 2), s.sale(t, "pix", 20000, 2)
	other := s.SaleAccount
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error { return tx.InsertSaleAccount(ctx, &other) })
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
		v, err := tx.LockSaleForDelete(ctx, s.scope(), moves)
		if err != nil {
			return err
		}
		v.SaleAccountID = other.ID
		return tx.UpdateSale(ctx, v)
	})
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error { return tx.RemoveSaleAccount(ctx, &s.SaleAccount) })
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
		return cascade.RemoveSales(ctx, tx, s.AccountID, []int64{stays, moves})
	})
	var left int64
	if err := s.db.QueryRowContext(t.Context(), `SELECT id FROM sales`).Scan(&left); err != nil || left != moves {
		t.Errorf("the sale %d is left, want %d, %v", left, moves, err)
	}
	s.agrees(t)
}
