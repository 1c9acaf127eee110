package workers

import (
	"context"

	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/proof"
	"bordero/workers/runtime"
)

// proveBalance looks which of the newest proofs of a deposit account have turned.
type proveBalance struct{ store *storage.Store }

func (w proveBalance) handler() runtime.Handler {
	return runtime.Entry[jobs.ProveBalance]{Run: w.run}.Handler()
}

func (w proveBalance) run(ctx context.Context, job *runtime.Job[jobs.ProveBalance]) error {
	return w.store.Complete(ctx, job.Job, func(tx *storage.Tx) error {
		return proof.Prove(ctx, tx, job.Args.AccountID, job.Args.DepositAccountID)
	})
}
