package storage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"bordero/internal/db"
	"bordero/jobs"
)

// ErrFenced means that the claim of a job is lost: its lease lapsed and another run claimed
// it, or the job is done. The whole transaction is rolled back.
var ErrFenced = errors.New("the claim of the job is lost")

// The statements that end a claim.
var (
	deleteClaimed = db.Named("jobs.delete", `DELETE FROM jobs WHERE`+claimsCurrent)
	giveBack      = db.Named("jobs.give_back", `
		UPDATE jobs SET leased_until = NULL, due_at = now(), attempts = 0 WHERE`+claimsCurrent+
		`RETURNING id, claims, kind, queue`)
	postpone = db.Named("jobs.postpone", `
		UPDATE jobs SET leased_until = NULL, due_at = now() + make_interval(secs => @wait),
			attempts = attempts - 1 WHERE`+claimsCurrent)
	storeChunk = db.Named("jobs.chunk", `
		UPDATE jobs SET cursor = @cursor, attempts = CASE WHEN coalesce(cursor, '') <> @cursor THEN 1 ELSE attempts END,
			leased_until = now() + make_interval(secs => @lease) WHERE`+claimsCurrent)
	storeFailure = db.Named("jobs.fail", `
		UPDATE jobs SET error = @error, leased_until = NULL, due_at = now() + make_interval(secs => @delay) WHERE`+
		claimsCurrent)
	storeDeath = db.Named("jobs.die", `
		UPDATE jobs SET error = @error, leased_until = NULL, failed_at = now() WHERE`+claimsCurrent)
	// due_at moves past the relay's cursor, in case the offer is lost.
	releaseClaim = db.Named("jobs.release", `
		UPDATE jobs SET leased_until = NULL, due_at = now(), attempts = CASE WHEN @count_attempt THEN attempts
			ELSE attempts - 1 END
		WHERE`+claimsCurrent+`AND`+leased+`RETURNING id, claims, kind, queue`)
)

// Complete deletes the job and runs fn, its effect, in one transaction. If the claim is
// lost, it returns ErrFenced and nothing is stored. fn may run more than once, as in InTx,
// and may enqueue further jobs.
func (s *Store) Complete(ctx context.Context, job Job, fn func(*Tx) error) error {
	return s.complete(ctx, s.pool, job, fn)
}

// complete is Complete on the pool or on one connection of it.
func (s *Store) complete(ctx context.Context, b db.Beginner, job Job, fn func(*Tx) error) error {
	if len(job.ids) == 1 {
		fence := db.First{
			Prepare: `PREPARE fence (bigint, int) AS DELETE FROM jobs WHERE id = $1 AND claims = $2`,
			Execute: fmt.Sprintf(`EXECUTE fence (%d, %d)`, job.ids[0], job.claims[0]),
			Missed:  ErrFenced,
		}
		return s.inTx(ctx, fence.Of(b), fn)
	}
	return s.inTx(ctx, b, func(tx *Tx) error {
		if err := tx.fence(ctx, job, deleteClaimed); err != nil {
			return err
		}
		return fn(tx)
	})
}

// Finish is Complete for a job that events may rely on (emit), without waiting for their
// transactions. If an event has locked the job, Finish releases the job instead, due at once, and
// calls fn with ended false: the next run does the rest. fn may run more than once. If the claim is
// lost, Finish returns ErrFenced.
func (s *Store) Finish(ctx context.Context, job Job, fn func(tx *Tx, ended bool) error) error {
	return s.InTx(ctx, func(tx *Tx) error {
		n, err := db.Exec(ctx, tx.DB, deleteUnlocked.SQL, deleteUnlocked.Args(claimsOf(job))...)
		if err != nil {
			return fmt.Errorf("end the job: %w", err)
		}
		if n == int64(len(job.ids)) {
			return fn(tx, true)
		}
		tickets, err := db.Many[jobs.Ticket](ctx, tx.DB, giveBack.SQL, giveBack.Args(claimsOf(job))...)
		if err != nil {
			return fmt.Errorf("give the job back: %w", err)
		}
		if n+int64(len(tickets)) != int64(len(job.ids)) {
			return ErrFenced
		}
		tx.tickets = append(tx.tickets, tickets...)
		return fn(tx, false)
	})
}

// Postpone releases the job, due after the wait; the attempt does not count. If the claim is
// lost, it returns ErrFenced. Events do not wait for it.
func (s *Store) Postpone(ctx context.Context, job Job, wait time.Duration) error {
	return s.InTx(ctx, func(tx *Tx) error {
		return tx.fence(ctx, job, postpone, db.Args{"wait": wait.Seconds()})
	})
}

// Chunk commits a part of the job: fn's effect, the cursor and a renewed lease, in one transaction.
// The next run begins at the cursor. If the cursor moves, this attempt counts as the first: however
// often a long job is interrupted, a later failure is retried soon. If it does not move, attempts
// add up, so that a job that fails at the same place in every run becomes dead. If the claim is
// lost, Chunk returns ErrFenced.
func (s *Store) Chunk(ctx context.Context, job *Job, cursor string, fn func(*Tx) error) error {
	err := s.InTx(ctx, func(tx *Tx) error {
		err := tx.fence(ctx, *job, storeChunk, db.Args{"cursor": cursor, "lease": job.lease.Seconds()})
		if err != nil {
			return err
		}
		return fn(tx)
	})
	if err == nil && cursor != job.Cursor {
		job.Cursor, job.Attempt = cursor, 1
	}
	return err
}

// fence runs the first statement of a job's transaction. It locks the job's rows, so that
// they cannot be claimed before the transaction ends, and returns ErrFenced if the claim of
// one of them is lost.
func (tx *Tx) fence(ctx context.Context, job Job, s db.Statement, values ...db.Args) error {
	n, err := db.Exec(ctx, tx.DB, s.SQL, s.Args(append(values, claimsOf(job))...)...)
	if err != nil {
		return fmt.Errorf("fence: %w", err)
	}
	if n != int64(len(job.ids)) {
		return ErrFenced
	}
	return nil
}

// Fail stores the cause and lets the job be claimed again after the delay. Unlike fence, it returns
// ErrFenced only if the claims of all rows are lost: rows with a current claim fail in any case.
func (s *Store) Fail(ctx context.Context, job Job, cause error, delay time.Duration) error {
	n, err := db.Exec(ctx, s.DB, storeFailure.SQL,
		storeFailure.Args(claimsOf(job), db.Args{"error": message(cause), "delay": delay.Seconds()})...)
	switch {
	case err != nil:
		return fmt.Errorf("keep the failure: %w", err)
	case n == 0:
		return ErrFenced
	}
	return nil
}

// Dead marks the job as failed: it stays, with its cause, until RetryJob. In the same
// transaction, dead updates the job's record accordingly. If the claim is lost, Dead returns
// ErrFenced.
func (s *Store) Dead(ctx context.Context, job Job, cause error, dead func(*Tx) error) error {
	return s.InTx(ctx, func(tx *Tx) error {
		err := tx.fence(ctx, job, storeDeath, db.Args{"error": message(cause)})
		if err != nil {
			return err
		}
		return dead(tx)
	})
}

// message returns the text of an error, shortened and cleaned for a column.
func message(err error) string {
	text := strings.ReplaceAll(err.Error(), "\x00", "")
	return strings.ToValidUTF8(text[:min(len(text), 2000)], "")
}

// Release ends the claim of an unfinished job and offers the job at once; the effects of its
// chunks remain. The attempt counts only if countAttempt is true. If the claim is lost, Release
// does nothing.
func (s *Store) Release(ctx context.Context, job Job, countAttempt bool) error {
	tickets, err := db.Many[jobs.Ticket](ctx, s.DB, releaseClaim.SQL,
		releaseClaim.Args(claimsOf(job), db.Args{"count_attempt": countAttempt})...)
	if err != nil {
		return fmt.Errorf("release: %w", err)
	}
	s.offer(tickets...)
	return nil
}

// OfferNext offers a job of the same key that fell due while this one ran: its own task was
// refused and no longer exists.
func (s *Store) OfferNext(ctx context.Context, job Job) error {
	next, err := db.Many[jobs.Ticket](ctx, s.DB, `
		SELECT id, claims, kind, queue FROM jobs WHERE kind = $1 AND key = $2 AND`+free+`LIMIT 1`, job.Kind, job.Key)
	if err != nil {
		return fmt.Errorf("look for the next of key: %w", err)
	}
	for i := range next {
		next[i].After = job.Name()
	}
	s.offer(next...)
	return nil
}
