package workers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"bordero/finance"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/matching"
	"bordero/workers/runtime"
)

// reconcileAutomatically reconciles the records of an entity that belong together unmistakably, or
// by a rule. It reads the books of a period, decides, and stores the decisions in chunks, each of
// which looks again at its records under their locks. Decisions are independent of each other, so a
// run that ends early has made a part of them. A dead job leaves records open; the next job of the
// entity looks at its own days.
type reconcileAutomatically struct {
	store *storage.Store
	read  int64         // transactions of a period
	most  int           // records around a period
	batch int           // decisions of a chunk
	later time.Duration // until a look at decisions that have to wait for a job, or up to twice as long
}

const (
	// booksReadAtOnce is how many transactions a run decides on at once. They and the accounts of
	// their days are in memory.
	booksReadAtOnce = 50_000
	// largestBooks is how many open records a run has in memory, at about 1 KB each. Where more are
	// open, everything is left to people.
	largestBooks = 200_000
	// reconciledLater is when a run looks again at decisions that have to wait for a job.
	reconciledLater = time.Minute
	// reconciledAtOnce is how many decisions one transaction stores, in 40 to 100 ms.
	reconciledAtOnce = 500
)

func (w reconcileAutomatically) handler() runtime.Handler {
	return runtime.Entry[jobs.ReconcileAutomatically]{Run: w.run}.Handler()
}

type reconcileJob = runtime.Job[jobs.ReconcileAutomatically]

func (w reconcileAutomatically) run(ctx context.Context, job *reconcileJob) error {
	s := storage.Scope{AccountID: job.Args.AccountID, EntityID: job.Args.EntityID}
	day, chunk := readCursor(job.Cursor)
	periods, err := matching.PeriodsToReconcile(ctx, w.store.Queries, job.Job, s, day, w.read)
	for i := 0; err == nil && i < len(periods); i++ {
		err = w.reconcile(ctx, job, s, periods[i], &chunk)
	}
	if err != nil && !errors.Is(err, storage.ErrNotFound) { // without its entity there is nothing to do
		return err
	}
	return w.store.Complete(ctx, job.Job, nothing)
}

// errNothingMade undoes a chunk without a reconciliation. Its cursor would begin the attempts of the job again, also if
// a later chunk fails in each run.
var errNothingMade = errors.New("the chunk reconciles nothing")

// reconcile reconciles the transactions of a period. It reads them again if a record has changed
// between the decision and its chunk. The days of decisions that wait for a job are looked at again later, and while
// that job is dead, again and again. Looks fall due at the same moments, so that one claim takes all of an entity.
func (w reconcileAutomatically) reconcile(ctx context.Context, job *reconcileJob, s storage.Scope, p finance.Period,
	chunk *int) error {
	var left finance.Period
	for stale := true; stale; {
		books, err := matching.ReadOpenBooks(ctx, w.store, s, p, w.most)
		if errors.Is(err, matching.ErrBooksTooLarge) {
			job.Logger.Warn("too many records are open for an automatic reconciliation", "entity_id", s.EntityID,
				"from", p.First, "to", p.Last)
			break
		}
		if err != nil {
			return err
		}
		stale = false
		for decided := range slices.Chunk(books.Decide(p), w.batch) {
			if job.Stopping() {
				return runtime.ErrStopping
			}
			*chunk++
			err := w.store.Chunk(ctx, &job.Job, cursorOf(p, *chunk), func(tx *storage.Tx) error {
				c, err := matching.ReconcileDecided(ctx, tx, books, decided)
				stale = stale || c.Stale
				for _, day := range c.Left {
					left.Add(day)
				}
				if err == nil && c.Made == 0 {
					return errNothingMade
				}
				return err
			})
			if err != nil && !errors.Is(err, errNothingMade) {
				return err
			}
			if stale { // later decisions may rely on the record that was left
				break
			}
		}
	}
	if left == (finance.Period{}) {
		return nil
	}
	now, err := w.store.Clock(ctx)
	if err != nil {
		return err
	}
	return w.store.InTx(ctx, func(tx *storage.Tx) error {
		return tx.EnqueueAt(ctx, s.AccountID, jobs.ReconcileAutomatically{AccountID: s.AccountID, EntityID: s.EntityID,
			From: left.First.String(), To: left.Last.String()}, now.Add(2*w.later).Truncate(w.later))
	})
}

// cursorOf returns the cursor of a run: the first day that is not decided yet, and the number of
// chunks, so that each chunk moves the cursor.
func cursorOf(p finance.Period, chunk int) string { return fmt.Sprintf("%s %d", p.First, chunk) }

// readCursor reads the result of cursorOf. The empty cursor means the first of all days.
func readCursor(cursor string) (day finance.Date, chunk int) {
	var text string
	if _, err := fmt.Sscan(cursor, &text, &chunk); err == nil {
		day, _ = finance.ParseDate(text)
	}
	return day, chunk
}
