package runtime

import (
	"context"
	"time"

	"bordero/jobs"
	"bordero/storage/queue"
)

// maxClaims is how many handlers share a claim at most.
const maxClaims = 100

// ask is a handler's request to claim one job. The channel receives one answer.
type ask struct {
	ticket jobs.Ticket
	answer chan answer
}

type answer struct {
	job *queue.Job // nil: not claimed
	err error
}

// ask asks the claimer for a job. It returns nil if the job is not free.
func (w *worker) ask(t jobs.Ticket) (*queue.Job, error) {
	a := ask{t, make(chan answer, 1)}
	select {
	case w.asks <- a:
	case <-w.ctx.Done():
		return nil, w.ctx.Err()
	}
	got := <-a.answer
	return got.job, got.err
}

// claim claims the job of a ticket, or all due jobs of its key. It returns nil if the job is
// not free.
func (w *worker) claim(h *Handler, t jobs.Ticket) (*queue.Job, error) {
	if !h.Kind.Keyed {
		return w.ask(t)
	}
	ctx, cancel := w.claiming()
	defer cancel()
	until := time.Now().Add(w.Lease)
	job, err := w.Store.ClaimKey(ctx, w.Lease, t)
	switch {
	case job != nil:
		w.holding.add(until, *job)
	case err == nil:
		w.missed(ctx, t)
	}
	return job, err
}

// missed deals with the jobs that were not claimed. Where the key of a job is running, it wakes that run,
// which may do the job's work. It logs the jobs of another kind than their task: another installation or program
// wrote the task to Redis.
func (w *worker) missed(ctx context.Context, tickets ...jobs.Ticket) {
	found, err := w.Store.Missed(ctx, tickets)
	if err != nil {
		return // a hint or a log line is lost
	}
	for _, t := range tickets {
		for _, f := range found {
			if f.ID != t.ID {
				continue
			}
			if f.Kind != t.Kind {
				w.Logger.Warn("a task names a job of another kind", "kind", t.Kind, "job_id", t.ID)
			} else if h := w.handlers[t.Kind]; h.wake != nil {
				w.Client.Offer(jobs.Ticket{Kind: f.Kind, Queue: f.Queue, Key: f.Key, Running: true})
			}
		}
	}
}

// claiming bounds a claim by a third of its lease, as a renewal. Without a limit, a claim on a
// connection that was cut silently, or to a server that has stalled, would block the whole process.
func (w *worker) claiming() (context.Context, context.CancelFunc) {
	return context.WithTimeout(w.ctx, w.Lease/3)
}

// claimer claims for all waiting handlers with one statement at a time. Handlers that
// arrive meanwhile share the next one.
func (w *worker) claimer() {
	for {
		var batch []ask
		select {
		case a := <-w.asks:
			batch = append(batch, a)
		case <-w.ctx.Done():
			return
		}
	gather:
		for len(batch) < maxClaims {
			select {
			case a := <-w.asks:
				batch = append(batch, a)
			default:
				break gather
			}
		}
		switch worked := w.serve(batch); {
		case !worked:
			wait(w.ctx, 100*time.Millisecond) // without a database, tasks would be retried in a tight loop
		case len(batch) > 1:
			wait(w.ctx, time.Millisecond) // under load, let more handlers share the next one
		}
	}
}

// serve answers a batch and reports whether the claim succeeded.
func (w *worker) serve(batch []ask) bool {
	tickets := make([]jobs.Ticket, len(batch))
	for i, a := range batch {
		tickets[i] = a.ticket
	}
	ctx, cancel := w.claiming()
	defer cancel()
	until := time.Now().Add(w.Lease)
	claimed, err := w.Store.Claim(ctx, w.Lease, tickets)
	w.holding.add(until, claimed...)
	free := make(map[int64]*queue.Job, len(claimed))
	for i, job := range claimed {
		free[job.ID] = &claimed[i]
	}
	var missed []jobs.Ticket
	for _, a := range batch {
		job := free[a.ticket.ID]
		delete(free, a.ticket.ID) // a job requested twice, under two names, is one run
		if job == nil {
			missed = append(missed, a.ticket)
		}
		a.answer <- answer{job, err}
	}
	if err == nil && len(missed) > 0 {
		w.missed(ctx, missed...)
	}
	return err == nil
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
