package api

import (
	"context"
	"errors"
	"slices"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/wire"
	"bordero/storage"
)

// The batches of new records.
var (
	manyPeople     = creation[finance.Person]{resource: people, updating: whole}.createMany()
	manyCategories = creation[finance.Category]{resource: placedCategories(), updating: whole, ordered: true,
		share: func(ctx context.Context, tx *storage.Tx, _ *call, all []*finance.Category) ([]error, error) {
			return tx.PlaceCategories(ctx, all)
		},
	}.createMany()
	manyCenters = creation[finance.ClassificationCenter]{resource: classificationCenters,
		share: shareEntities,
	}.createMany()
	manyTransactions = creation[finance.FinancialTransaction]{resource: financialTransactions,
		rows: func(t *finance.FinancialTransaction, _ bool) int { return 1 + len(t.AttachmentIDs) },
		share: func(ctx context.Context, tx *storage.Tx, c *call, all []*finance.FinancialTransaction) ([]error,
			error) {
			return tx.ShareTransfers(ctx, c.scope(), all)
		},
	}.createMany()
	manyTransfers = creation[finance.Transfer]{resource: transfers,
		share: func(ctx context.Context, tx *storage.Tx, c *call, all []*finance.Transfer) ([]error, error) {
			return tx.LockPairables(ctx, c.scope(), all)
		},
	}.createMany()
	manyBudgets     = creation[finance.Budget]{resource: budgets}.createMany()
	manyPayables    = manyFinancialAccounts(payableAccounts)
	manyReceivables = manyFinancialAccounts(receivableAccounts)
	manySales       = creation[finance.Sale]{resource: sales, rows: rowsOfSale, share: shareSaleAccounts,
		repeats: repeatsSplit,
		hold: func(ctx context.Context, tx *storage.Tx, c *call, ids []int64) error {
			return tx.HoldReceivables(ctx, c.access.AccountID, ids)
		},
	}.createMany()
)

// placedCategories returns categories with an insert of new ones that are placed already.
func placedCategories() resource[finance.Category] {
	r := categories
	r.insert = (*storage.Tx).InsertCategories
	return r
}

func manyFinancialAccounts(r resource[finance.FinancialAccount]) batch[finance.FinancialAccount] {
	return creation[finance.FinancialAccount]{resource: r,
		rows: func(f *finance.FinancialAccount, creates bool) int {
			accounts := 1
			if creates {
				accounts = len(f.Occurrences())
			}
			return accounts * (1 + f.Links())
		},
	}.createMany()
}

// shareEntities locks the entities of new centers, as lockReferences does for one.
func shareEntities(ctx context.Context, tx *storage.Tx, c *call, all []*finance.ClassificationCenter) ([]error,
	error) {
	ids := make([]int64, len(all))
	for i, z := range all {
		ids[i] = z.EntityID
	}
	held, err := tx.ShareEntities(ctx, c.access.AccountID, ids)
	faults := make([]error, len(all))
	for i, id := range ids {
		n := slices.IndexFunc(held, func(e finance.Entity) bool { return e.ID == id && c.access.CanSee(id) })
		if n < 0 {
			faults[i] = finance.Refuse("entity", messages.NotExisting)
		} else {
			faults[i] = held[n].Writable()
		}
	}
	return faults, err
}

func rowsOfSale(s *finance.Sale, creates bool) int {
	sales := 1
	if creates && s.Splits() {
		sales = int(*s.InstallmentCount)
	}
	return sales*(1+s.Links()) + len(s.Taxes) // only the first installment has the taxes
}

// repeatsSplit reports whether an item that splits repeats the creation of a sale with this first installment. It
// refuses an item that would change the sale, because the first installment would get the amounts of the whole sale.
func repeatsSplit(ctx context.Context, tx *storage.Tx, c *call, in *wire.Input, sent, stored *finance.Sale) (bool,
	error) {
	if !sent.Splits() || !stored.BeginsSplit() {
		return false, nil
	}
	root, _ := in.Root(sales.root)
	assigned := *stored
	assignSale(root, &assigned)
	refers := storage.Refers{References: &assigned.References, CustomClassifications: sent.CustomClassifications,
		CenterClassifications: sent.CenterClassifications}
	err := joined(
		func() error { return checked(in, nil) },
		func() error {
			return tx.Share(ctx, c.scope(), c.access, refers, storage.Refers{References: &stored.References})
		},
	)
	if err == nil {
		err = stored.RepeatedBy(*sent, assigned)
	}
	return true, err
}

// shareSaleAccounts is shareSaleAccount for new sales.
func shareSaleAccounts(ctx context.Context, tx *storage.Tx, c *call, all []*finance.Sale) ([]error, error) {
	held := map[int64]*finance.SaleAccount{}
	faults := make([]error, len(all))
	for i, s := range all {
		a, known := held[s.SaleAccountID]
		if !known {
			var err error
			if a, err = tx.ShareSaleAccount(ctx, c.access, s.SaleAccountID); errors.Is(err, storage.ErrNotFound) {
				a = nil
			} else if err != nil {
				return nil, err
			}
			held[s.SaleAccountID] = a
		}
		faults[i] = c.acceptsSale(a, s)
	}
	return faults, nil
}

// acceptsSale refuses a sale of a sale account that the entity does not have, which may be nil, or whose payment
// method is not enabled there.
func (c *call) acceptsSale(a *finance.SaleAccount, s *finance.Sale) error {
	switch {
	case a == nil || a.EntityID != c.entityID:
		return finance.Refuse("sale_account", messages.NotExisting)
	case !a.AcceptsMethod(s.PaymentMethod):
		return finance.Refuse("payment_method", messages.NotEnabled)
	}
	return nil
}

// batchRecord describes the answer to a batch of new records of a resource.
func batchRecord[T any](name string, b batch[T], root string, fields openapi.Fields) openapi.Record {
	body := openapi.Fields{"results.body." + root: {Doc: "The record, as in the answer to a request of its own."}}
	show := func(c *call, w *wire.Writer, r *batchResult[T]) {
		if len(r.Items) == 2 { // of the sample: also a record without any optional values
			r.Items[1].Body = new(T)
			r.Items = append(r.Items, batchItem[T]{})
		}
		b.showResult(c, w, r)
	}
	return shown(name+"Batch", noRoot, "", show, fieldsOf(batchFields, body, below("results.body."+root, fields)))
}
