package workers

import (
	"context"
	"errors"

	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/deliveries"
	"bordero/workers/runtime"
)

// alignDeliveries holds the deliveries of a webhook in error, or frees the deliveries of an active
// one, a batch in the transaction that also ends the job and enqueues the next. A dead job leaves
// the rest unchanged, until an operator retries it or the webhook changes again.
type alignDeliveries struct {
	store *storage.Store
	batch int
}

func (w alignDeliveries) handler() runtime.Handler {
	return runtime.Entry[jobs.AlignDeliveries]{Run: w.run}.Handler()
}

func (w alignDeliveries) run(ctx context.Context, job *runtime.Job[jobs.AlignDeliveries]) error {
	return w.store.Complete(ctx, job.Job, func(tx *storage.Tx) error {
		of, err := deliveries.LockWebhook(ctx, tx, job.Args.AccountID, job.Args.WebhookID)
		if errors.Is(err, storage.ErrNotFound) { // its deliveries are removed with it
			return nil
		}
		if err != nil {
			return err
		}
		return deliveries.Align(ctx, tx, of, w.batch)
	})
}
