package storage_test

import (
	"context"
	"fmt"
	"testing"

	"bordero/finance"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/cascade"
)

// remove removes the sale account, as a request and then the worker do.
func (s *pricingHarness) remove(t testing.TB) {
	t.Helper()
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error { return tx.RemoveSaleAccount(ctx, &s.SaleAccount) })
	c, err := cascade.Open(t.Context(), s.Store, jobs.DeleteCascade{AccountID: s.AccountID, Root: "sale_accounts",
		ID: s.ID}, "")
	if err != nil {
		t.Fatal(err)
	}
	keep := func(do func(*storage.Tx) error) error { return s.InTx(t.Context(), do) }
	for err = c.Begin(t.Context(), s.Store, keep); err == nil; err = c.Chunk(t.Context(), keep) {
		if err := c.Ready(t.Context(), s.Store); err != nil {
			t.Fatal(err)
		}
		if c.Done() {
			err = keep(func(tx *storage.Tx) error { return c.Remove(t.Context(), tx) })
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A sale that moved to another sale account stays in the receivable account of the former one while
// that is received. If the former one is deleted, the job that reopens the sale is of the other.
func TestASettlingReceivableAccountIsSettledByTheSaleAccountThatInheritsIt(t *testing.T) {
	t.Parallel()
	s := newPricingHarness(t, true)
	s.rule(t, "pix", nil)
	account := s.manySales(t)
	s.receive(t, account, 501*980)
	heir := s.toAnother(t, 1) // as 0.3.0 let it go meanwhile
	s.settle(t, 1000)
	s.reopen(t, account) // by a job
	s.remove(t)
	s.settle(t, 1000) // the job of the former one comes too late
	s.is(t, 1, saleState{status: finance.SaleLiquidated, receivable: known(980), due: "2026-03-31", awaiting: true})

	s.SaleAccount = *heir
	r := s.rule(t, "pix", nil)
	other := s.sale(t, "pix", 1000, 1)
	s.price(t, 1000)
	s.tx(t, func(ctx context.Context, tx *storage.Tx) error {
		r.FeePercentage = ptr(finance.Percentage(10_0000))
		return tx.UpdateSaleRule(ctx, r)
	})
	s.price(t, 1000)
	// It waits for the sale that is to be open again.
	s.is(t, other, saleState{status: finance.SalePriced, receivable: known(980), due: "2026-03-31"})
	var asked bool
	err := s.db.QueryRowContext(t.Context(),
		`SELECT EXISTS (SELECT FROM jobs WHERE kind = 'settle_sales' AND key = $1)`,
		fmt.Sprintf("%d:%d", s.AccountID, s.ID)).Scan(&asked)
	if err != nil || !asked {
		t.Fatalf("no job settles the inherited account, %v", err)
	}
	s.exec(t, `DELETE FROM jobs WHERE kind = 'price_sales'`)
	s.settle(t, 1000) // asks for the pricing
	s.price(t, 1000)
	s.is(t, 1, saleState{status: finance.SalePriced, receivable: known(900), due: "2026-03-31"})
	s.is(t, other, saleState{status: finance.SalePriced, receivable: known(900), due: "2026-03-31"})
	s.accountsAre(t, accountState{amount: 1800, sales: 2, due: "2026-03-31", status: finance.Outstanding})
	s.exec(t, `DELETE FROM jobs`)
	s.agrees(t)
}
