package storage

import (
	"context"
	"time"

	"bordero/internal/db"
	"bordero/jobs"
	"bordero/storage/queue"
)

// Enqueue inserts a job that is due at once. The job is offered to the workers after the
// transaction has committed. Its row contains the request id and the trace of ctx.
func (tx *Tx) Enqueue(ctx context.Context, account int64, args jobs.Args) error {
	return tx.EnqueueAt(ctx, account, args, time.Time{})
}

// EnqueueAt inserts a job that falls due at the given time; zero, or a time that has passed,
// means at once.
func (tx *Tx) EnqueueAt(ctx context.Context, account int64, args jobs.Args, due time.Time) error {
	ticket, err := queue.Enqueue(ctx, tx.DB, account, args, due)
	if ticket != nil {
		tx.Offer(*ticket)
	}
	return err
}

// Offer remembers jobs that a statement of the transaction has enqueued: they are offered to the workers
// after the commit.
func (tx *Tx) Offer(enqueued ...jobs.Ticket) { tx.tickets = append(tx.tickets, enqueued...) }

// Complete deletes the job, which leaves a row in finished_jobs, and runs fn, its effect, in one
// transaction. If the claim is lost, it returns ErrFenced and nothing is stored. fn may run more than
// once, as in InTx, and may enqueue further jobs.
func (s *Store) Complete(ctx context.Context, job queue.Job, fn func(*Tx) error) error {
	return s.CompleteOn(ctx, s.pool, job, fn)
}

// CompleteOn is Complete on one connection of the pool.
func (s *Store) CompleteOn(ctx context.Context, b db.Beginner, job queue.Job, fn func(*Tx) error) error {
	effect := func(tx *Tx) error { return queue.Ended(ctx, tx.DB, job, func() error { return fn(tx) }) }
	if first, one := job.First(); one {
		return s.inTx(ctx, first.Of(b), effect)
	}
	return s.inTx(ctx, b, func(tx *Tx) error {
		if err := queue.End(ctx, tx.DB, job); err != nil {
			return err
		}
		return effect(tx)
	})
}

// Finish is Complete for a job that events may rely on (emit), without waiting for their
// transactions. If an event has locked the job, Finish releases the job instead, due at once, and
// calls fn with ended false: the next run does the rest. fn may run more than once. If the claim is
// lost, Finish returns ErrFenced.
func (s *Store) Finish(ctx context.Context, job queue.Job, fn func(tx *Tx, ended bool) error) error {
	return s.InTx(ctx, func(tx *Tx) error {
		again, ended, err := queue.EndUnlocked(ctx, tx.DB, job)
		if err != nil {
			return err
		}
		tx.Offer(again...)
		return queue.Ended(ctx, tx.DB, job, func() error { return fn(tx, ended) })
	})
}

// Chunk commits a part of the job: fn's effect, the cursor and a renewed lease, in one transaction.
// The next run begins at the cursor. If the cursor moves, this attempt counts as the first: however
// often a long job is interrupted, a later failure is retried soon. If it does not move, attempts
// add up, so that a job that fails at the same place in every run becomes dead. If the claim is
// lost, Chunk returns ErrFenced.
func (s *Store) Chunk(ctx context.Context, job *queue.Job, cursor string, fn func(*Tx) error) error {
	err := s.InTx(ctx, func(tx *Tx) error {
		if err := queue.StoreCursor(ctx, tx.DB, *job, cursor); err != nil {
			return err
		}
		return fn(tx)
	})
	if err == nil && cursor != job.Cursor {
		job.Cursor, job.Attempt = cursor, 1
	}
	return err
}

// Dead marks the job as failed: it stays, with its cause, until RetryJob. In the same
// transaction, dead updates the job's record accordingly. If the claim is lost, Dead returns
// ErrFenced.
func (s *Store) Dead(ctx context.Context, job queue.Job, cause error, dead func(*Tx) error) error {
	return s.InTx(ctx, func(tx *Tx) error {
		if err := queue.Die(ctx, tx.DB, job, cause); err != nil {
			return err
		}
		return dead(tx)
	})
}
