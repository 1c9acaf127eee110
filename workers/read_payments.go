package workers

import (
	"context"
	"strconv"

	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/imports"
	"bordero/workers/runtime"
)

// readPayments reads the payments of a statement in chunks, of which the cursor is the last transaction.
type readPayments struct {
	store *storage.Store
	chunk int
}

// paymentsReadAtOnce take about 200 ms.
const paymentsReadAtOnce = 5000

func (w readPayments) handler() runtime.Handler {
	return runtime.Entry[jobs.ReadPayments]{Run: w.run}.Handler()
}

func (w readPayments) run(ctx context.Context, job *runtime.Job[jobs.ReadPayments]) error {
	for {
		if job.Stopping() {
			return runtime.ErrStopping
		}
		after, _ := strconv.ParseInt(job.Cursor, 10, 64)
		ids, err := imports.OfStatement(ctx, w.store.Queries, job.Args.AccountID, job.Args.BankStatementID, after,
			w.chunk)
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			return w.store.Complete(ctx, job.Job, nothing)
		}
		err = w.store.Chunk(ctx, &job.Job, strconv.FormatInt(ids[len(ids)-1], 10), func(tx *storage.Tx) error {
			return imports.ReadPayments(ctx, tx, job.Args.AccountID, ids)
		})
		if err != nil {
			return err
		}
	}
}
