package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"bordero/jobs"
)

// ErrFenced is the error of a job whose claim is lost: its lease ran out and
// another took it over, or it is done. All of the transaction is rolled back.
var ErrFenced = errors.New("the claim of the job is lost")

// Complete does what the job is for: it ends the claim and runs fn in one
// transaction. ErrFenced means that the claim was lost and nothing is kept. fn
// may run more than once, as in InTx, and may enqueue what follows.
func (s *Store) Complete(ctx context.Context, job Job, fn func(*Tx) error) error {
	return s.complete(ctx, s.db, job, fn)
}

// complete is Complete on a pool or on one connection of it.
func (s *Store) complete(ctx context.Context, db beginner, job Job, fn func(*Tx) error) error {
	if len(job.ids) == 1 {
		return s.inTx(ctx, fenced{db, job}, fn)
	}
	return s.inTx(ctx, db, func(tx *Tx) error {
		ids, claims := rows(job)
		if err := tx.fence(ctx, job, `DELETE FROM jobs WHERE`+held, ids, claims); err != nil {
			return err
		}
		return fn(tx)
	})
}

// Finish is Complete for a job that events may rely on (emit): it waits for none of them.
// While an event has locked the job, the job is released instead, due at once; ended is
// false then, and the next run sees to what is still to do. fn may run more than once.
// ErrFenced as for Complete.
func (s *Store) Finish(ctx context.Context, job Job, fn func(tx *Tx, ended bool) error) error {
	return s.InTx(ctx, func(tx *Tx) error {
		ids, claims := rows(job)
		n, err := exec(ctx, tx.q, `DELETE FROM jobs WHERE id = ANY(ARRAY(SELECT id FROM jobs WHERE`+held+`FOR UPDATE SKIP LOCKED))`, ids, claims)
		if err != nil {
			return fmt.Errorf("end the job: %w", err)
		}
		if n == int64(len(ids)) {
			return fn(tx, true)
		}
		tickets, err := many[jobs.Ticket](ctx, tx.q, `
			UPDATE jobs SET leased_until = NULL, due_at = now(), attempts = 0 WHERE`+held+`RETURNING id, claims, kind, queue`, ids, claims)
		if err != nil {
			return fmt.Errorf("give the job back: %w", err)
		}
		if n+int64(len(tickets)) != int64(len(ids)) {
			return ErrFenced
		}
		tx.tickets = append(tx.tickets, tickets...)
		return fn(tx, false)
	})
}

// Postpone gives the job back, due after the wait, with the attempt. ErrFenced as for
// Complete. No event waits for it.
func (s *Store) Postpone(ctx context.Context, job Job, wait time.Duration) error {
	return s.InTx(ctx, func(tx *Tx) error {
		ids, claims := rows(job)
		return tx.fence(ctx, job, `
			UPDATE jobs SET leased_until = NULL, due_at = now() + make_interval(secs => $3), attempts = attempts - 1 WHERE`+held,
			ids, claims, wait.Seconds())
	})
}

// CompleteAll completes the jobs of a bulk kind in one transaction. Those whose
// claim is lost are left out; held are the others.
func (s *Store) CompleteAll(ctx context.Context, all []Job, fn func(tx *Tx, held []Job) error) error {
	return s.InTx(ctx, func(tx *Tx) error {
		ids, claims := rows(all...)
		ended, err := many[int64](ctx, tx.q, `DELETE FROM jobs WHERE`+held+`RETURNING id`, ids, claims)
		if err != nil {
			return fmt.Errorf("end the claims: %w", err)
		}
		if len(ended) == 0 {
			return ErrFenced
		}
		return fn(tx, slices.DeleteFunc(slices.Clone(all), func(j Job) bool { return !slices.Contains(ended, j.ID) }))
	})
}

// Chunk does a part of what the job is for: fn's effect, how far it has come and
// a new lease are kept in one transaction. The next run begins with the cursor. A
// job whose cursor moves has the attempts before this one back: however often it is
// interrupted, what goes wrong later is tried again soon. One that stays where it is
// has not: what ends each of its runs ends the job. ErrFenced as for Complete.
func (s *Store) Chunk(ctx context.Context, job *Job, cursor string, fn func(*Tx) error) error {
	err := s.InTx(ctx, func(tx *Tx) error {
		ids, claims := rows(*job)
		err := tx.fence(ctx, *job, `
			UPDATE jobs SET cursor = $3, attempts = CASE WHEN coalesce(cursor, '') <> $3 THEN 1 ELSE attempts END,
				leased_until = now() + make_interval(secs => $4) WHERE`+held,
			ids, claims, cursor, job.lease.Seconds())
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

// fence is the first statement of a job's transaction. It locks the job's rows,
// so that nobody claims them before the transaction has ended, and refuses when
// one of them is not ours any more.
func (t *Tx) fence(ctx context.Context, job Job, query string, args ...any) error {
	n, err := exec(ctx, t.q, query, args...)
	if err != nil {
		return fmt.Errorf("fence: %w", err)
	}
	if n != int64(len(job.ids)) {
		return ErrFenced
	}
	return nil
}

// Fail keeps the cause and lets the job be claimed again after the delay.
func (s *Store) Fail(ctx context.Context, job Job, cause error, delay time.Duration) error {
	ids, claims := rows(job)
	n, err := exec(ctx, s.q, `
		UPDATE jobs SET error = $3, leased_until = NULL, due_at = now() + make_interval(secs => $4) WHERE`+held,
		ids, claims, message(cause), delay.Seconds())
	switch {
	case err != nil:
		return fmt.Errorf("keep the failure: %w", err)
	case n == 0:
		return ErrFenced
	}
	return nil
}

// Dead gives the job up: it stays, with its cause, until someone retries it, and
// dead says in the same transaction what that means to its record.
func (s *Store) Dead(ctx context.Context, job Job, cause error, dead func(*Tx) error) error {
	return s.InTx(ctx, func(tx *Tx) error {
		ids, claims := rows(job)
		err := tx.fence(ctx, job, `UPDATE jobs SET error = $3, leased_until = NULL, failed_at = now() WHERE`+held,
			ids, claims, message(cause))
		if err != nil {
			return err
		}
		return dead(tx)
	})
}

// message is an error as a column takes it.
func message(err error) string {
	text := strings.ReplaceAll(err.Error(), "\x00", "")
	return strings.ToValidUTF8(text[:min(len(text), 2000)], "")
}

// Release gives the job back unfinished and offers it at once; what its chunks
// kept stays kept. The attempt is given back too, unless it is to be charged. A
// job that is not held any more is left alone.
func (s *Store) Release(ctx context.Context, job Job, charge bool) error {
	ids, claims := rows(job)
	// due_at moves ahead of the relay's cursor, should the offer be lost.
	tickets, err := many[jobs.Ticket](ctx, s.q, `
		UPDATE jobs SET leased_until = NULL, due_at = now(), attempts = CASE WHEN $3 THEN attempts ELSE attempts - 1 END
		WHERE`+held+`AND`+leased+`RETURNING id, claims, kind, queue`, ids, claims, charge)
	if err != nil {
		return fmt.Errorf("release: %w", err)
	}
	s.offer(tickets...)
	return nil
}

// OfferNext offers a job of the same key that became due while this one was
// held: its own task was refused and is gone.
func (s *Store) OfferNext(ctx context.Context, job Job) error {
	next, err := many[jobs.Ticket](ctx, s.q, `
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

// RetryJob makes a failed job due again, with all its attempts, and offers it.
// ErrNotFound when there is none of that id or it has not failed. The ticket is
// for callers whose store offers nothing.
func (s *Store) RetryJob(ctx context.Context, id int64) (jobs.Ticket, error) {
	ticket, err := one[jobs.Ticket](ctx, s.q, `
		UPDATE jobs SET failed_at = NULL, attempts = 0, due_at = now()
		WHERE id = $1 AND failed_at IS NOT NULL RETURNING id, claims, kind, queue`, id)
	if err != nil {
		return ticket, fmt.Errorf("retry job %d: %w", id, err)
	}
	s.offer(ticket)
	return ticket, nil
}
