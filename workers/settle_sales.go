package workers

import (
	"context"

	"bordero/jobs"
	"bordero/storage"
	"bordero/workers/runtime"
)

// settleSales copies the state of receivable accounts to the sales of one sale account, a
// batch in the transaction that also ends the job, as priceSales does.
type settleSales struct {
	store *storage.Store
	batch int
}

func (w settleSales) entry() runtime.Entry {
	return runtime.Entry{Kind: jobs.SettleSalesKind, Run: w.run, OnDead: w.dead}
}

func (w settleSales) run(ctx context.Context, job *runtime.Job) error {
	var args jobs.SettleSales
	if err := job.Decode(&args); err != nil {
		return err
	}
	return w.store.Complete(ctx, job.Job, func(tx *storage.Tx) error {
		all, err := tx.SettleSales(ctx, args.AccountID, args.SaleAccountID, w.batch)
		if err != nil || all {
			return err
		}
		return tx.AskSettling(ctx, args.AccountID, args.SaleAccountID)
	})
}

// dead leaves the receivable accounts settling: the next job of the sale account continues.
func (w settleSales) dead(context.Context, *storage.Tx, storage.Job, error) error { return nil }
