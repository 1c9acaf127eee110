package workers

import (
	"context"
	"errors"

	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/deliveries"
	"bordero/workers/runtime"
)

// redeliverWebhook gives deliveries new attempts, a batch in the transaction that also ends the
// job and enqueues the next. A dead job leaves the rest as it was, until an operator retries it.
type redeliverWebhook struct {
	store *storage.Store
	batch int
}

// redeliveredAtOnce takes some 50 ms, for which the webhook gets no other attempts.
const redeliveredAtOnce = 1000

func (w redeliverWebhook) handler() runtime.Handler {
	return runtime.Entry[jobs.RedeliverWebhook]{Run: w.run}.Handler()
}

func (w redeliverWebhook) run(ctx context.Context, job *runtime.Job[jobs.RedeliverWebhook]) error {
	args := job.Args
	return w.store.Complete(ctx, job.Job, func(tx *storage.Tx) error {
		of, err := deliveries.LockWebhook(ctx, tx, args.AccountID, args.WebhookID)
		if errors.Is(err, storage.ErrNotFound) { // its deliveries are removed with it
			return nil
		}
		if err != nil {
			return err
		}
		ids, err := deliveries.RedeliverNext(ctx, tx, of, args, w.batch)
		if err != nil || len(ids) < w.batch {
			return err
		}
		next := args
		next.After = ids[len(ids)-1]
		return tx.Enqueue(ctx, next.AccountID, next)
	})
}
