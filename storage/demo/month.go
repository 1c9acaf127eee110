package demo

import (
	"context"

	"bordero/finance"
	books "bordero/finance/demo"
	"bordero/internal/db"
	"bordero/storage"
)

// FillMonth adds an entity with one open month of the books of a generated company,
// and returns the truth about it. Otherwise it is as Fill; of the options it uses the account
// and the seed.
func FillMonth(ctx context.Context, s *storage.Store, o Options, month finance.Month,
	step func(what string, stored, of int)) (filled Filled, truth books.Truth, err error) {
	o.Sales = books.MonthSales
	err = s.InTx(context.WithoutCancel(ctx), func(tx *storage.Tx) error { // as Fill
		m := books.NewMonth(o.AccountID, month, o.Seed)
		f := newLoader(ctx, tx, o, m.Company, step)
		if err := f.fill(context.WithoutCancel(ctx), f.company, f.outlets, f.card(m.Purchases()),
			func(ctx context.Context) error { return f.month(ctx, m) }, f.settle); err != nil {
			return err
		}
		filled, truth = f.stats, m.Truth()
		return nil
	})
	return filled, truth, err
}

// month stores the sales, accounts and lines of a month, and sets their ids.
func (f *loader) month(ctx context.Context, m *books.Month) error {
	m.Generate()
	if err := f.sales(ctx); err != nil {
		return err
	}
	for _, account := range m.SaleReceivables {
		account.ID = f.gathering[gatheringKey{*account.SaleAccountID, account.DueDate}]
	}
	var err error
	m.Invoice.ID, err = db.One[int64](ctx, f.tx.DB, `SELECT id FROM financial_accounts
		WHERE account_id = $1 AND entity_id = $2 AND credit_card_invoice_id IS NOT NULL`, m.Entity.AccountID,
		m.Entity.ID)
	if err != nil {
		return err
	}
	if err := f.storeAccounts(ctx, m.Accounts); err != nil {
		return err
	}
	var movements []*books.Movement
	for _, l := range m.Lines {
		movements = append(movements, &l.Movement)
	}
	if err := f.storeMovements(ctx, movements); err != nil {
		return err
	}
	f.stats.FinancialTransactions = len(movements)
	return f.committed("transactions", len(movements), len(movements), 2*len(movements))
}
