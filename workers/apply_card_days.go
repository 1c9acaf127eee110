package workers

import (
	"context"

	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/cards"
	"bordero/workers/runtime"
)

// applyCardDays applies the pending days of a credit card, in the transaction that also ends the job: a
// crash leaves the former invoices, and the next run does all. A dead job leaves the days pending and
// the open invoices unpayable; an operator can retry it, or a client repeats the days.
type applyCardDays struct{ store *storage.Store }

func (w applyCardDays) handler() runtime.Handler {
	return runtime.Entry[jobs.ApplyCardDays]{Run: w.run}.Handler()
}

func (w applyCardDays) run(ctx context.Context, job *runtime.Job[jobs.ApplyCardDays]) error {
	return w.store.Complete(ctx, job.Job, func(tx *storage.Tx) error {
		return cards.ApplyDays(ctx, tx, job.Args.AccountID, job.Args.CreditCardID)
	})
}
