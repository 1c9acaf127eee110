package workers

import (
	"context"
	"time"

	"bordero/jobs"
	"bordero/storage"
)

// most is how many handlers share a claim at most, and the largest set of a bulk kind.
const most = 100

// ask is a handler's request to claim one job. The channel receives one answer.
type ask struct {
	ticket jobs.Ticket
	answer chan answer
}

type answer struct {
	job *storage.Job // nil: not claimed
	err error
}

// ask asks the named claimer for a job. The claimer "" returns the claimed job; that of a
// bulk kind returns how the job ended.
func (w *worker) ask(claimer string, t jobs.Ticket) (*storage.Job, error) {
	a := ask{t, make(chan answer, 1)}
	select {
	case w.asks[claimer] <- a:
	case <-w.ctx.Done():
		return nil, w.ctx.Err()
	}
	got := <-a.answer
	return got.job, got.err
}

// claim claims a job of a kind that runs one by one.
func (w *worker) claim(e *Entry, t jobs.Ticket) (*storage.Job, error) {
	if !e.Kind.Keyed {
		return w.ask("", t)
	}
	ctx, cancel := w.claiming()
	defer cancel()
	job, err := w.Store.ClaimKey(ctx, w.Lease, t)
	switch {
	case job != nil:
		w.holding.add(*job)
	case err == nil:
		w.logMisnamed(ctx, []jobs.Ticket{t})
	}
	return job, err
}

// logMisnamed logs the jobs that were not claimed because the task names another kind.
// Another installation or program wrote such a task to Redis.
func (w *worker) logMisnamed(ctx context.Context, missed []jobs.Ticket) {
	wrong, err := w.Store.Misnamed(ctx, missed)
	if err != nil {
		return // only a log line is lost
	}
	for _, t := range wrong {
		w.Logger.Warn("a task names a job of another kind", "kind", t.Kind, "job_id", t.ID)
	}
}

// claiming bounds a claim by the length of its lease: on a connection that was cut
// silently, a claim without a limit would block the whole process.
func (w *worker) claiming() (context.Context, context.CancelFunc) {
	return context.WithTimeout(w.ctx, w.Lease)
}

// claimer claims for all waiting handlers with one statement at a time. Handlers that
// arrive meanwhile share the next one.
func (w *worker) claimer(name string) {
	asks := w.asks[name]
	for {
		var batch []ask
		select {
		case a := <-asks:
			batch = append(batch, a)
		case <-w.ctx.Done():
			return
		}
	gather:
		for len(batch) < most {
			select {
			case a := <-asks:
				batch = append(batch, a)
			default:
				break gather
			}
		}
		switch worked := w.serve(w.entries[name], batch); {
		case !worked:
			wait(w.ctx, 100*time.Millisecond) // without a database, tasks would be retried in a tight loop
		case len(batch) > 1:
			wait(w.ctx, time.Millisecond) // under load, let more handlers share the next one
		}
	}
}

// serve answers a batch and reports whether the claim succeeded. bulk is nil for kinds that
// run one by one.
func (w *worker) serve(bulk *Entry, batch []ask) bool {
	tickets := make([]jobs.Ticket, len(batch))
	for i, a := range batch {
		tickets[i] = a.ticket
	}
	ctx, cancel := w.claiming()
	defer cancel()
	claimed, err := w.Store.Claim(ctx, w.Lease, tickets)
	w.holding.add(claimed...)
	answers := make(map[int64]answer, len(claimed))
	for i, job := range claimed {
		answers[job.ID] = answer{job: &claimed[i]}
	}
	if bulk != nil {
		w.runBulk(bulk, claimed, answers)
	}
	var missed []jobs.Ticket
	for _, a := range batch {
		got, ok := answers[a.ticket.ID]
		if !ok {
			got.err = err // nil if the job is not free: the task ends without an error
			missed = append(missed, a.ticket)
		}
		delete(answers, a.ticket.ID) // a job requested twice, under two names, is one run
		a.answer <- got
	}
	if err == nil && len(missed) > 0 {
		w.logMisnamed(ctx, missed)
	}
	return err == nil
}

// runBulk runs claimed jobs as a set and stores in answers how each ended.
func (w *worker) runBulk(e *Entry, claimed []storage.Job, answers map[int64]answer) {
	var set []storage.Job
	for _, job := range claimed {
		if job.Attempt > e.Kind.Attempts {
			answers[job.ID] = answer{err: w.settle(e, job, time.Now(), errNeverEnded(e))}
		} else {
			set = append(set, job)
		}
	}
	w.halve(e, set, answers)
}

// halve runs the set. If that fails, it runs each half separately.
func (w *worker) halve(e *Entry, set []storage.Job, answers map[int64]answer) {
	if len(set) == 0 {
		return
	}
	began := time.Now()
	err := recovered(w.log(set[0]), func() error {
		return w.Store.CompleteAll(w.ctx, set, func(tx *storage.Tx, held []storage.Job) error {
			return e.Bulk(w.ctx, tx, held)
		})
	})
	if err != nil && len(set) > 1 && w.ctx.Err() == nil {
		w.halve(e, set[:len(set)/2], answers)
		w.halve(e, set[len(set)/2:], answers)
		return
	}
	for _, job := range set {
		answers[job.ID] = answer{err: w.settle(e, job, began, err)}
	}
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
