package workers

import (
	"context"

	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/pricing"
	"bordero/workers/runtime"
)

// settleSales copies the state of receivable accounts to the sales of one sale account, a
// batch in the transaction that also ends the job, as priceSales does. A dead job leaves the
// receivable accounts settling; the next job of the sale account continues.
type settleSales struct {
	store *storage.Store
	batch int
}

func (w settleSales) handler() runtime.Handler {
	return runtime.Entry[jobs.SettleSales]{Run: w.run}.Handler()
}

func (w settleSales) run(ctx context.Context, job *runtime.Job[jobs.SettleSales]) error {
	args := job.Args
	return w.store.Complete(ctx, job.Job, func(tx *storage.Tx) error {
		all, err := pricing.Settle(ctx, tx, args.AccountID, args.SaleAccountID, w.batch)
		if err != nil || all {
			return err
		}
		return tx.EnqueueSettling(ctx, args.AccountID, args.SaleAccountID)
	})
}
