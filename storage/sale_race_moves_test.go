package storage_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/list"
)

// sell makes a sale, of a few installments or one.
func (r *races) sell(ctx context.Context) error {
	return r.InTx(ctx, func(tx *storage.Tx) error {
		day, _ := finance.NewDate(2026, 3, 1+rand.N(3))
		s := &finance.Sale{
			AccountID: r.AccountID, EntityID: r.EntityID, SaleAccountID: oneOf(r.saleAccounts[1:]...),
			PaymentMethod: oneOf("pix", "pix", "cash"),
			NominalAmount: finance.Amount(1 + rand.N(100_000)), OccurredAt: day,
			InstallmentCount: oneOf(nil, nil, ptr(int64(3))),
		}
		if err := s.Validate(); err != nil {
			return err
		}
		if _, err := tx.ShareSaleAccount(ctx, r.access(), s.SaleAccountID); err != nil {
			return err
		}
		return tx.InsertSales(ctx, []*finance.Sale{s})
	})
}

// correct changes a sale as a PUT does.
func (r *races) correct(ctx context.Context) error {
	id, err := r.any(ctx, `SELECT id FROM sales WHERE id > `+oneOf("0", "520", "520"))
	if err != nil {
		return err
	}
	return r.InTx(ctx, func(tx *storage.Tx) error {
		s, err := tx.LockSaleForDelete(ctx, r.scope(), id)
		if err != nil {
			return err
		}
		before := *s
		switch rand.N(5) {
		case 0, 1:
			s.NominalAmount = finance.Amount(1 + rand.N(100_000))
		case 2:
			s.OccurredAt, _ = finance.NewDate(2026, 3, 1+rand.N(3))
		case 3:
			s.SaleAccountID, s.PaymentMethod = oneOf(r.saleAccounts[1:]...), oneOf("pix", "pix", "cash")
		case 4:
			s.Description = ptr(fmt.Sprint(rand.N(1000)))
		}
		if err := s.Validate(); err != nil {
			return err
		}
		if s.SaleAccountID != before.SaleAccountID || s.PaymentMethod != before.PaymentMethod {
			if _, err := tx.ShareSaleAccount(ctx, r.access(), s.SaleAccountID); err != nil {
				return err
			}
		}
		if err := tx.PriceAgain(ctx, s, before); err != nil {
			return err
		}
		return tx.UpdateSale(ctx, s)
	})
}

// cancel removes a sale, with its installments.
func (r *races) cancel(ctx context.Context) error {
	id, err := r.any(ctx, `SELECT id FROM sales WHERE id > 520`)
	if err != nil {
		return err
	}
	return r.InTx(ctx, func(tx *storage.Tx) error {
		s, err := tx.LockSaleWithReceivablesForDelete(ctx, r.scope(), id)
		if err != nil {
			return err
		}
		if err := s.Removable(); err != nil {
			return err
		}
		_, err = tx.RemoveSale(ctx, s)
		return err
	})
}

// account draws a receivable account of the status: often the one of many sales.
func (r *races) account(ctx context.Context, status int64) (id int64, err error) {
	if rand.N(6) == 0 {
		return r.many, nil
	}
	return r.any(ctx, fmt.Sprintf(`SELECT id FROM financial_accounts WHERE status = %d`, status))
}

// receive receives a receivable account, a little more or less than it is.
func (r *races) receive(ctx context.Context) error {
	return r.move(ctx, finance.Outstanding, func(f *finance.FinancialAccount) error {
		day, _ := finance.NewDate(2026, 5, 1+rand.N(28))
		total := max(f.Amount+oneOf[finance.Amount](0, 0, 7, -3), 1)
		f.OccurredAt, f.TotalAmount = &day, &total
		return f.Settle()
	})
}

// reopen takes that back.
func (r *races) reopen(ctx context.Context) error {
	return r.move(ctx, finance.Settled, (*finance.FinancialAccount).Reopen)
}

func (r *races) move(ctx context.Context, from int64, change func(*finance.FinancialAccount) error) error {
	id, err := r.account(ctx, from)
	if err != nil {
		return err
	}
	return r.InTx(ctx, func(tx *storage.Tx) error {
		f, err := tx.LockFinancialAccountForDelete(ctx, r.scope(), finance.Receivable, id)
		if err != nil {
			return err
		}
		if err := change(f); err != nil {
			return err
		}
		return tx.UpdateFinancialAccount(ctx, f)
	})
}

// reconcile reconciles a received account with a transaction of its total.
func (r *races) reconcile(ctx context.Context) error {
	id, err := r.account(ctx, finance.Settled)
	if err != nil {
		return err
	}
	return r.InTx(ctx, func(tx *storage.Tx) error {
		f, err := tx.LockFinancialAccountForDelete(ctx, r.scope(), finance.Receivable, id)
		if err != nil {
			return err
		}
		if f.Status != finance.Settled {
			return storage.ErrNotFound
		}
		payment := &finance.FinancialTransaction{
			AccountID: r.AccountID, DepositAccountID: r.deposit, CurrencyID: finance.BRL, Amount: *f.TotalAmount,
			OccurredAt: *f.OccurredAt,
		}
		if err := tx.InsertFinancialTransactions(ctx, []*finance.FinancialTransaction{payment}); err != nil {
			return err
		}
		v, err := tx.LockReconcilable(ctx, r.access(), r.scope(), []int64{id}, []int64{payment.ID})
		if err != nil {
			return err
		}
		if err := v.Validate(); err != nil {
			return err
		}
		return tx.InsertReconcile(ctx, v)
	})
}

// unreconcile undoes a reconcile.
func (r *races) unreconcile(ctx context.Context) error {
	id, err := r.any(ctx, `SELECT id FROM reconciles`)
	if err != nil {
		return err
	}
	return r.InTx(ctx, func(tx *storage.Tx) error {
		v, err := tx.LockReconcileForDelete(ctx, r.scope(), id)
		if err != nil {
			return err
		}
		return tx.RemoveReconcile(ctx, v)
	})
}

// toggle has a sale account gather its sales of a day, or cease to.
func (r *races) toggle(ctx context.Context) error {
	return r.InTx(ctx, func(tx *storage.Tx) error {
		a, err := tx.LockSaleAccount(ctx, r.access(), oneOf(r.saleAccounts[1:]...))
		if err != nil {
			return err
		}
		a.Consolidate = !a.Consolidate
		return tx.UpdateSaleAccount(ctx, a)
	})
}

// charge makes, changes or removes the rule of a method.
func (r *races) charge(ctx context.Context) error {
	of, method := oneOf(r.saleAccounts[1:]...), oneOf("pix", "cash")
	if rand.N(10) == 0 {
		of, method = r.saleAccounts[0], "pix"
	}
	return r.InTx(ctx, func(tx *storage.Tx) error {
		listed, err := tx.SaleRules(ctx, r.access(), of, list.Query{})
		if err != nil {
			return err
		}
		for _, rule := range listed.Items {
			if rule.PaymentMethod != method {
				continue
			}
			locked, err := tx.LockSaleRule(ctx, r.access(), of, rule.ID)
			if err != nil {
				return err
			}
			if rand.N(3) == 0 && of != r.saleAccounts[0] {
				return tx.RemoveSaleRule(ctx, locked)
			}
			locked.ApplyRules = oneOf[int64](0, 1)
			locked.FeePercentage, locked.DaysToLiquidation = ptr(finance.Percentage(rand.N(100_0000))),
				oneOf[int64](30, 30, 31)
			if of == r.saleAccounts[0] {
				locked.DaysToLiquidation = 30 // its sales stay where they are
			}
			return tx.UpdateSaleRule(ctx, locked)
		}
		if _, err := tx.ShareSaleAccount(ctx, r.access(), of); err != nil {
			return err
		}
		return tx.InsertSaleRule(ctx, &finance.SaleRule{
			AccountID: r.AccountID, SaleAccountID: of, PaymentMethod: method,
			FeePercentage:     ptr(finance.Percentage(rand.N(100_0000))),
			DaysToLiquidation: 30, ApplyRules: 1,
		})
	})
}
