package storage_test

import (
	"bordero/storage/pricing"
	"bordero/storage/storagetest"
	"bordero/storage/verify"

	"context"
	"testing"

	"bordero/finance"
	"bordero/storage"
)

// beside runs do in a transaction, and while that is open has all sales priced.
func (s *pricingHarness) beside(t testing.TB, do func(context.Context, *storage.Tx) error) {
	t.Helper()
	priced := make(chan error, 1)
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
		if err := do(ctx, tx); err != nil {
			return err
		}
		go func() {
			priced <- s.InTx(ctx, func(tx *storage.Tx) error {
				_, err := pricing.Price(ctx, tx, s.AccountID, s.ID, 100)
				return err
			})
		}()
		storagetest.AwaitLock(t, s.db, 1)
		return nil
	})
	if err := <-priced; err != nil {
		t.Fatal(err)
	}
}

func (s *pricingHarness) access() finance.Access {
	return finance.Access{AccountID: s.AccountID, UserID: s.tenant.UserID, Administrator: true}
}

func TestASaleIsPricedAsItWasChangedMeanwhile(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, true)
	s.rule(t, "pix", nil)
	id := s.sale(t, "pix", 1000, 1)
	s.beside(t, func(ctx context.Context, tx *storage.Tx) error {
		v, err := tx.LockSaleForDelete(ctx, s.scope(), id)
		if err != nil {
			return err
		}
		v.NominalAmount, v.TotalAmount, v.AwaitingPricing = 2000, 2000, true
		v.OccurredAt = v.OccurredAt.AddDays(1)
		return tx.UpdateSale(ctx, v)
	})
	s.is(t, id, saleState{status: finance.SalePriced, receivable: known(1960), due: "2026-04-01"})
	s.agrees(t)
}

// The application of a rule that is deleted runs to its end, whether the job has begun with it or not.
func TestARuleThatIsDeletedMeanwhileIsApplied(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, true)
	r := s.rule(t, "pix", nil)
	id := s.sale(t, "pix", 1000, 1)
	s.price(t, 100)
	r.FeePercentage = ptr(finance.Percentage(50_0000))
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error { return tx.UpdateSaleRule(ctx, r) })
	s.beside(t, func(ctx context.Context, tx *storage.Tx) error {
		held, err := tx.LockSaleRule(ctx, s.access(), s.ID, r.ID)
		if err != nil {
			return err
		}
		return tx.RemoveSaleRule(ctx, held)
	})
	s.is(t, id, saleState{status: finance.SalePriced, receivable: known(500), due: "2026-03-31"})
	s.agrees(t)
}

// Of a rule that goes before or amid its application, all sales of that moment get the price, and none keeps that of
// the rule before it.
func TestTheApplicationOfARuleThatGoesRunsToItsEnd(t *testing.T) {
	t.Parallel()
	for name, goes := range map[string]func(context.Context, *storage.Tx, *finance.SaleRule) error{
		"deleted": func(ctx context.Context, tx *storage.Tx, r *finance.SaleRule) error {
			return tx.RemoveSaleRule(ctx, r)
		},
		"to another method": func(ctx context.Context, tx *storage.Tx, r *finance.SaleRule) error {
			r.PaymentMethod, r.ApplyRules = "billet", 0
			return tx.UpdateSaleRule(ctx, r)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, begun := range []bool{false, true} {
				s := newPricingHarness(t, true)
				first := s.rule(t, "pix", nil)
				a, b := s.sale(t, "pix", 1000, 1), s.sale(t, "pix", 2000, 1)
				s.price(t, 100)
				first.PaymentMethod = "cash"
				s.tx(t, func(ctx context.Context, tx *storage.Tx) error { return tx.UpdateSaleRule(ctx, first) })
				next := s.rule(t, "pix", func(r *finance.SaleRule) {
					r.FeePercentage = ptr(finance.Percentage(10_0000))
				})
				if begun {
					s.batch(t, 1) // of the rule for cash
					s.batch(t, 1)
					s.is(t, a, saleState{status: finance.SalePriced, receivable: known(900), due: "2026-03-31"})
					s.is(t, b, saleState{status: finance.SalePriced, receivable: known(1960), due: "2026-03-31"})
				}
				s.tx(t, func(ctx context.Context, tx *storage.Tx) error { return goes(ctx, tx, next) })
				later := s.sale(t, "pix", 3000, 1)
				s.price(t, 1)
				s.is(t, a, saleState{status: finance.SalePriced, receivable: known(900), due: "2026-03-31"})
				s.is(t, b, saleState{status: finance.SalePriced, receivable: known(1800), due: "2026-03-31"})
				s.is(t, later, saleState{})
				s.exec(t, `DELETE FROM jobs`)
				s.agrees(t)
			}
		})
	}
}

// A sale that is changed after a rule was to be applied is priced by the rules that stand, whatever the job has
// reached; one that was changed before, by the application.
func TestAChangedSaleIsNotPricedByAnEarlierApplication(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stands func(context.Context, *storage.Tx, *finance.SaleRule) error // what becomes of the rule then
		want   saleState
	}{
		"a rule that changed for later sales": {func(ctx context.Context, tx *storage.Tx, r *finance.SaleRule) error {
			r.FeePercentage, r.ApplyRules = ptr(finance.Percentage(50_0000)), 0
			return tx.UpdateSaleRule(ctx, r)
		}, saleState{status: finance.SalePriced, receivable: known(2000), due: "2026-04-01"}},
		"none": {func(ctx context.Context, tx *storage.Tx, r *finance.SaleRule) error {
			return tx.RemoveSaleRule(ctx, r)
		}, saleState{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newPricingHarness(t, true)
			r := s.rule(t, "pix", nil)
			s.rule(t, "cash", nil)
			before, reached := s.sale(t, "pix", 1000, 1), s.sale(t, "pix", 1000, 1)
			open, moved, left := s.sale(t, "pix", 1000, 1), s.sale(t, "cash", 1000, 1), s.sale(t, "pix", 1000, 1)
			s.price(t, 100)
			s.correct(t, before, func(v *finance.Sale) { v.NominalAmount, v.TotalAmount = 2000, 2000 })
			r.FeePercentage = ptr(finance.Percentage(10_0000))
			s.tx(t, func(ctx context.Context, tx *storage.Tx) error { return tx.UpdateSaleRule(ctx, r) })
			s.tx(t, func(ctx context.Context, tx *storage.Tx) error { return test.stands(ctx, tx, r) })
			s.batch(t, 3) // prices the one that was changed, and two by the application
			s.is(t, before, saleState{status: finance.SalePriced, receivable: known(1800), due: "2026-03-31"})
			s.is(t, reached, saleState{status: finance.SalePriced, receivable: known(900), due: "2026-03-31"})
			s.is(t, open, saleState{status: finance.SalePriced, receivable: known(980), due: "2026-03-31"})
			changed := []int64{before, reached, open, moved}
			for _, id := range changed {
				s.correct(t, id, func(v *finance.Sale) {
					v.PaymentMethod, v.NominalAmount, v.TotalAmount, v.OccurredAt = "pix", 4000, 4000,
						v.OccurredAt.AddDays(1)
				})
			}
			s.price(t, 1)
			for _, id := range changed {
				s.is(t, id, test.want)
			}
			s.is(t, left, saleState{status: finance.SalePriced, receivable: known(900), due: "2026-03-31"})
			s.exec(t, `DELETE FROM jobs`)
			s.agrees(t)
		})
	}
}

// A change waits for the chunk of an application, or the chunk for the change: the sale is left to the rules that
// stand.
func TestASaleThatChangesAmidAnApplicationIsLeftOut(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, true)
	r := s.rule(t, "pix", nil)
	id, other := s.sale(t, "pix", 1000, 1), s.sale(t, "pix", 1000, 1)
	s.price(t, 100)
	for _, to := range []struct {
		apply   int64
		percent finance.Percentage
	}{{1, 10_0000}, {0, 50_0000}} {
		r.ApplyRules, r.FeePercentage = to.apply, ptr(to.percent)
		s.tx(t, func(ctx context.Context, tx *storage.Tx) error { return tx.UpdateSaleRule(ctx, r) })
	}
	s.beside(t, func(ctx context.Context, tx *storage.Tx) error {
		v, err := tx.LockSaleForDelete(ctx, s.scope(), id)
		if err != nil {
			return err
		}
		v.NominalAmount, v.TotalAmount, v.AwaitingPricing = 2000, 2000, true
		return tx.UpdateSale(ctx, v)
	})
	s.is(t, id, saleState{status: finance.SalePriced, receivable: known(980), due: "2026-03-31", awaiting: true})
	s.is(t, other, saleState{status: finance.SalePriced, receivable: known(900), due: "2026-03-31"})
	s.price(t, 100)
	s.is(t, id, saleState{status: finance.SalePriced, receivable: known(1000), due: "2026-03-31"})
	s.agrees(t)
}

// A sale that is made while a rule is saved is priced by that rule: its pricing waits for the commit.
// Otherwise it would read the rules as they were, and the application ends with the sales before.
func TestASaleMadeWhileARuleIsSavedIsPricedByIt(t *testing.T) {
	t.Parallel()
	for name, changed := range map[string]bool{"a new rule": false, "a changed rule": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newPricingHarness(t, true)
			if changed {
				s.rule(t, "pix", nil)
			}
			before := s.sale(t, "pix", 1000, 1)
			s.price(t, 100)
			var meanwhile int64
			s.beside(t, func(ctx context.Context, tx *storage.Tx) (err error) {
				r, save := &finance.SaleRule{AccountID: s.AccountID, SaleAccountID: s.ID, PaymentMethod: "pix",
					DaysToLiquidation: 30}, tx.InsertSaleRule
				if changed {
					if r, err = tx.LockSaleRule(ctx, s.access(), s.ID, 1); err != nil {
						return err
					}
					save = tx.UpdateSaleRule
				}
				r.FeePercentage, r.ApplyRules = ptr(finance.Percentage(10_0000)), 1
				err = save(ctx, r)
				meanwhile = s.sale(t, "pix", 2000, 1)
				return err
			})
			s.price(t, 100)
			s.is(t, before, saleState{status: finance.SalePriced, receivable: known(900), due: "2026-03-31"})
			s.is(t, meanwhile, saleState{status: finance.SalePriced, receivable: known(1800), due: "2026-03-31"})
			s.agrees(t)
		})
	}
}

func TestAnAccountReceivedMeanwhileRetainsItsSales(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, true)
	r := s.rule(t, "pix", nil)
	id := s.sale(t, "pix", 1000, 1)
	s.price(t, 100)
	r.FeePercentage = ptr(finance.Percentage(50_0000))
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error { return tx.UpdateSaleRule(ctx, r) })
	account := s.accountOf(t, id)
	s.beside(t, func(ctx context.Context, tx *storage.Tx) error {
		f, err := tx.LockFinancialAccountForDelete(ctx, s.scope(), finance.Receivable, account)
		if err != nil {
			return err
		}
		f.OccurredAt, f.TotalAmount = &f.DueDate, ptr(finance.Amount(980))
		if err := f.Settle(); err != nil {
			return err
		}
		return tx.UpdateFinancialAccount(ctx, f)
	})
	s.is(t, id, saleState{status: finance.SaleLiquidated, receivable: known(980), due: "2026-03-31"})
	s.agrees(t)
}

// A sale takes the status of its account, and retains a change that was committed while settling
// waited for its lock.
func TestASaleIsSettledAsItWasChangedMeanwhile(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, true)
	s.rule(t, "pix", nil)
	id, other := s.sale(t, "pix", 1000, 1), s.sale(t, "pix", 2000, 1)
	s.price(t, 100)
	account := s.accountOf(t, id)
	received := make(chan error, 1)
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
		v, err := tx.LockSaleForDelete(ctx, s.scope(), id)
		if err != nil {
			return err
		}
		v.Description = ptr("changed")
		if err := tx.UpdateSale(ctx, v); err != nil {
			return err
		}
		go func() {
			received <- s.InTx(ctx, func(tx *storage.Tx) error {
				f, err := tx.LockFinancialAccountForDelete(ctx, s.scope(), finance.Receivable, account)
				if err != nil {
					return err
				}
				f.OccurredAt, f.TotalAmount = &f.DueDate, ptr(finance.Amount(2943))
				if err := f.Settle(); err != nil {
					return err
				}
				return tx.UpdateFinancialAccount(ctx, f)
			})
		}()
		storagetest.AwaitLock(t, s.db, 1)
		return nil
	})
	if err := <-received; err != nil {
		t.Fatal(err)
	}
	s.sharesAre(t, account,
		saleShare{status: finance.SaleLiquidated, liquidated: "2026-03-31", difference: known(1)},
		saleShare{status: finance.SaleLiquidated, liquidated: "2026-03-31", difference: known(2)})
	v, err := s.Sale(t.Context(), s.scope(), id)
	if err != nil || v.Description == nil || *v.Description != "changed" {
		t.Errorf("sale %d is %+v, %v", id, v, err)
	}
	s.is(t, other, saleState{status: finance.SaleLiquidated, receivable: known(1960), due: "2026-03-31"})
	s.exec(t, `DELETE FROM jobs`)
	s.agrees(t)
}

func TestAnAccountIsReopenedWhileAnotherOfItsDayIsOpened(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, true)
	s.rule(t, "pix", nil)
	first := s.sale(t, "pix", 1000, 1)
	s.price(t, 100)
	account := s.accountOf(t, first)
	s.receive(t, account, 980)
	s.sale(t, "pix", 500, 1)
	reopened := make(chan error, 1)
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
		if _, err := pricing.Price(ctx, tx, s.AccountID, s.ID, 100); err != nil {
			return err
		}
		go func() {
			reopened <- s.InTx(ctx, func(tx *storage.Tx) error {
				f, err := tx.LockFinancialAccountForDelete(ctx, s.scope(), finance.Receivable, account)
				if err != nil {
					return err
				}
				if err := f.Reopen(); err != nil {
					return err
				}
				return tx.UpdateFinancialAccount(ctx, f)
			})
		}()
		storagetest.AwaitLock(t, s.db, 1)
		return nil
	})
	if err := <-reopened; err != nil {
		t.Fatal(err)
	}
	s.price(t, 100)
	s.accountsAre(t, accountState{amount: 1470, sales: 2, due: "2026-03-31", status: finance.Outstanding})
	s.agrees(t)
}

func TestASaleThatMovesToAnotherSaleAccountTakesItsAmountWithIt(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, true)
	s.rule(t, "pix", nil)
	id := s.sale(t, "pix", 1000, 1)
	s.sale(t, "pix", 500, 1)
	s.price(t, 100)
	first := s.SaleAccount
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
		s.SaleAccount.Consolidate = false
		if err := tx.InsertSaleAccount(ctx, &s.SaleAccount); err != nil {
			return err
		}
		v, err := tx.LockSaleForDelete(ctx, s.scope(), id)
		if err != nil {
			return err
		}
		v.SaleAccountID, v.AwaitingPricing = s.ID, true
		return tx.UpdateSale(ctx, v)
	})
	if s.ID == first.ID {
		t.Fatal("it is the same")
	}
	s.rule(t, "pix", func(r *finance.SaleRule) { r.FeePercentage = ptr(finance.Percentage(10_0000)) })
	s.agrees(t) // while it awaits its pricing
	s.price(t, 100)
	s.is(t, id, saleState{status: finance.SalePriced, receivable: known(900), due: "2026-03-31"})
	s.accountsAre(t,
		accountState{amount: 490, sales: 1, due: "2026-03-31", status: finance.Outstanding},
		accountState{amount: 900, sales: 1, due: "2026-03-31", status: finance.Outstanding})
	s.agrees(t)
}

func TestVerifyNamesSalesThatDoNotAgree(t *testing.T) {
	t.Parallel()
	for damage, want := range map[string]verify.Difference{
		`UPDATE financial_accounts SET amount = amount + 0.01`: {
			Check: "receivable accounts of sales", AccountID: 1, Record: "receivable account 1",
			Expected: "29.40 of 2 sales", Found: "29.41 of 2 sales"},
		`UPDATE financial_accounts SET sales_count = 3`: {
			Check: "receivable accounts of sales", AccountID: 1, Record: "receivable account 1",
			Expected: "29.40 of 2 sales", Found: "29.40 of 3 sales"},
		`UPDATE financial_accounts SET gathering = false, consolidated = false`: {
			Check: "receivable accounts of sales", AccountID: 1, Record: "receivable account 1",
			Expected: "29.40 of 2 sales of a day", Found: "29.40 of 2 sales"},
		`UPDATE sales SET estimated_liquidated_at = '2026-04-01' WHERE id = 1`: {
			Check: "sales in receivable accounts", AccountID: 1, Record: "sale 1",
			Expected: "status 1, due on 2026-03-31, liquidated on none, in a receivable account of sale account 1 of " +
				"entity 1",
			Found: "status 1, due on 2026-04-01, liquidated on none, in a receivable account of sale account 1 of " +
				"entity 1"},
		`UPDATE financial_accounts SET status = 2, occurred_at = '2026-04-02', total_amount = 29.40`: {
			Check: "sales in receivable accounts", AccountID: 1, Record: "sale 1",
			Expected: "status 2, due on 2026-03-31, liquidated on 2026-04-02, in a receivable account of sale " +
				"account 1 of " +
				"entity 1",
			Found: "status 1, due on 2026-03-31, liquidated on none, in a receivable account of sale account 1 of " +
				"entity 1"},
		`UPDATE sales SET amount_difference = 0.01 WHERE id = 1`: {
			Check: "differences of sales", AccountID: 1, Record: "receivable account 1",
			Expected: "0 spread among its sales", Found: "0.01 spread"},
		`UPDATE sales SET awaiting_pricing = true`: {
			Check: "jobs of sales", AccountID: 1, Record: "sale account 1", Expected: "a job price_sales",
			Found: "2 to do and no job"},
		`INSERT INTO sale_rule_applications (account_id, sale_account_id) VALUES (1, 1)`: {
			Check: "jobs of sales", AccountID: 1, Record: "sale account 1", Expected: "a job price_sales",
			Found: "1 to do and no job"},
		`UPDATE financial_accounts SET settling = true`: {
			Check: "jobs of sales", AccountID: 1, Record: "sale account 1", Expected: "a job settle_sales",
			Found: "1 to do and no job"},
	} {
		t.Run(damage, func(t *testing.T) {
			t.Parallel()
			s := newPricingHarness(t, true)
			s.rule(t, "pix", nil)
			s.sale(t, "pix", 1000, 1)
			s.sale(t, "pix", 2000, 1)
			s.price(t, 100)
			s.exec(t, `DELETE FROM jobs`)
			s.agrees(t)
			s.exec(t, damage)
			found, err := verify.Run(t.Context(), s.Store, func(string) {})
			if err != nil || len(found) == 0 || found[0] != want {
				t.Errorf("found %+v, %v\nwant %+v", found, err, want)
			}
		})
	}
}
