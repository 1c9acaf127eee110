package workers

import (
	"context"

	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/pricing"
	"bordero/workers/runtime"
)

// priceSales prices one batch of the sales of a sale account, in the transaction that also
// ends the job. The rest is left to another job, behind those of other sale accounts. A
// crash therefore repeats at most one batch, and no sale is priced twice. A dead job leaves
// the sales visibly awaiting their pricing; the next job of the sale account prices them too.
type priceSales struct {
	store *storage.Store
	batch int
}

// pricedAtOnce is how many sales are priced in one transaction. It locks their receivable
// accounts for a second at most.
const pricedAtOnce = 20_000

func (w priceSales) handler() runtime.Handler {
	return runtime.Entry[jobs.PriceSales]{Run: w.run}.Handler()
}

func (w priceSales) run(ctx context.Context, job *runtime.Job[jobs.PriceSales]) error {
	args := job.Args
	return w.store.Complete(ctx, job.Job, func(tx *storage.Tx) error {
		all, err := pricing.Price(ctx, tx, args.AccountID, args.SaleAccountID, w.batch)
		if err != nil || all {
			return err
		}
		return tx.EnqueuePricing(ctx, args.AccountID, args.SaleAccountID)
	})
}
