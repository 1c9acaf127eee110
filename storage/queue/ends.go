package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"bordero/internal/db"
	"bordero/jobs"

	"github.com/jmoiron/sqlx"
)

// ErrFenced means that the claim of a job is lost: its lease lapsed and another run claimed
// it, or the job is done. The whole transaction is rolled back.
var ErrFenced = errors.New("the claim of the job is lost")

// The statements that end a claim.
var (
	deleteClaimed = db.Named("jobs.delete", `DELETE FROM jobs WHERE`+fencesCurrent)
	finishClaimed = db.Named("jobs.finish", `
		WITH ended AS (DELETE FROM jobs WHERE`+fencesCurrent+endedColumns+`)`+
		finished("done", "@record::bigint", "cardinality(@ids)"))
	finishUnlocked = db.Named("jobs.finish_unlocked", `
		WITH ended AS (DELETE FROM jobs WHERE`+unlocked+endedColumns+`),
			finished AS (`+finished("done", "@record::bigint", "cardinality(@ids)")+`)
		SELECT count(*) FROM ended`)
	giveBack = db.Named("jobs.give_back", `
		UPDATE jobs SET leased_until = NULL, due_at = now(), attempts = 0 WHERE`+fencesCurrent+
		`RETURNING id, claims, kind, queue`)
	postpone = db.Named("jobs.postpone", `
		UPDATE jobs SET leased_until = NULL, due_at = now() + make_interval(secs => @wait),
			attempts = attempts - 1 WHERE`+fencesCurrent)
	giveWay = db.Named("jobs.give_way", `
		UPDATE jobs SET leased_until = NULL, due_at = now(), attempts = attempts - 1
		WHERE`+fencesCurrent+`AND EXISTS (
			SELECT FROM jobs o WHERE o.queue = @queue AND o.failed_at IS NULL AND o.due_at <= now()
				AND o.leased_until IS NULL AND o.account_id <> @account AND NOT EXISTS (
					SELECT FROM jobs r WHERE r.queue = @queue AND r.failed_at IS NULL AND r.due_at <= now()
						AND r.leased_until >= now() AND r.account_id = o.account_id))
		RETURNING id, claims, kind, queue`)
	storeChunk = db.Named("jobs.chunk", `
		UPDATE jobs SET cursor = @cursor, attempts = CASE WHEN coalesce(cursor, '') <> @cursor THEN 1 ELSE attempts END,
			leased_until = now() + make_interval(secs => @lease) WHERE`+fencesCurrent)
	storeFailure = db.Named("jobs.fail", `
		UPDATE jobs SET error = @error, attempts = @attempt, leased_until = NULL,
			due_at = now() + make_interval(secs => @delay)
		WHERE`+fencesCurrent)
	storeDeath = db.Named("jobs.die", `
		WITH ended AS (
			UPDATE jobs SET error = concat_ws('; the error before: ', @error::text,
				CASE WHEN @unfinished THEN error END),
				leased_until = NULL, failed_at = now()
			WHERE`+fencesCurrent+endedColumns+`)`+
		finished("failed", "@record::bigint", "cardinality(@ids)"))
	// due_at moves past the relay's cursor, in case the offer is lost.
	releaseClaim = db.Named("jobs.release", `
		UPDATE jobs SET leased_until = NULL, due_at = now(), attempts = CASE WHEN @count_attempt THEN attempts
			ELSE attempts - 1 END
		WHERE`+fencesCurrent+`AND`+leased+`RETURNING id, claims, kind, queue`)
)

// First returns the statement that ends a job of one row, as the first of a transaction: a lost
// claim is ErrFenced, and nothing is begun. It reports whether the job has one row.
func (j Job) First() (first db.First, one bool) {
	first.Missed = ErrFenced
	if j.recorded() {
		part := historyPart(time.Now())
		first.Prepare = prepareFinish(part)
		first.Execute = fmt.Sprintf(`EXECUTE finish_%s (%d, %d, %d)`, part, j.ids[0], j.fences[0], j.record())
	} else {
		first.Prepare = `PREPARE fence (bigint, int) AS DELETE FROM jobs WHERE id = $1 AND claims = $2`
		first.Execute = fmt.Sprintf(`EXECUTE fence (%d, %d)`, j.ids[0], j.fences[0])
	}
	return first, len(j.ids) == 1
}

// End deletes a job, and leaves a row in finished_jobs. If the claim is lost, it returns ErrFenced.
func End(ctx context.Context, tx db.Queryer, job Job) error {
	if !job.recorded() {
		return fence(ctx, tx, job, deleteClaimed)
	}
	return finish(ctx, tx, job, finishClaimed)
}

// EndUnlocked deletes a job that events may rely on, without waiting for their transactions, and
// reports whether it has ended. If an event has locked the job, EndUnlocked releases the job instead,
// due at once, and returns its tickets. If the claim is lost, it returns ErrFenced.
func EndUnlocked(ctx context.Context, tx db.Queryer, job Job) (again []jobs.Ticket, ended bool, err error) {
	var n int64
	if job.recorded() {
		n, err = db.OneNamed[int64](ctx, tx, finishUnlocked, fencesOf(job), db.Args{"record": job.record()})
	} else {
		n, err = db.ExecNamed(ctx, tx, deleteUnlocked, fencesOf(job))
	}
	if err != nil {
		return nil, false, fmt.Errorf("end the job: %w", err)
	}
	if n == int64(len(job.ids)) {
		return nil, true, nil
	}
	again, err = db.ManyNamed[jobs.Ticket](ctx, tx, giveBack, fencesOf(job))
	if err != nil {
		return nil, false, fmt.Errorf("give the job back: %w", err)
	}
	if n+int64(len(again)) != int64(len(job.ids)) {
		return nil, false, ErrFenced
	}
	return again, false, nil
}

// Postpone releases the job, due after the wait; the attempt does not count. If the claim is
// lost, it returns ErrFenced. Events do not wait for it.
func (q *Queue) Postpone(ctx context.Context, job Job, wait time.Duration) error {
	return db.InTx(ctx, q.pool, func(tx *sqlx.Tx) error {
		return fence(ctx, tx, job, postpone, db.Args{"wait": wait.Seconds()})
	})
}

// StoreCursor stores the cursor of a job that continues, and renews its lease. If the cursor moves,
// the attempt counts as the first. If the claim is lost, it returns ErrFenced.
func StoreCursor(ctx context.Context, tx db.Queryer, job Job, cursor string) error {
	return fence(ctx, tx, job, storeChunk, db.Args{"cursor": cursor, "lease": job.lease.Seconds()})
}

// ErrUnfinished is the cause of the death of a job if its worker died in the last attempt.
var ErrUnfinished = errors.New("never finished")

// Die marks a job as failed: it stays, with its cause, until RetryJob, and leaves a row in finished_jobs. The cause
// ErrUnfinished is followed by the error of the attempt before, if that failed. If the claim is lost, it returns
// ErrFenced.
func Die(ctx context.Context, tx db.Queryer, job Job, cause error) error {
	return finish(ctx, tx, job, storeDeath,
		db.Args{"error": message(cause), "unfinished": errors.Is(cause, ErrUnfinished)})
}

// fence runs the first statement of a job's transaction. It locks the job's rows, so that
// they cannot be claimed before the transaction ends, and returns ErrFenced if the claim of
// one of them is lost.
func fence(ctx context.Context, tx db.Queryer, job Job, s db.Statement, values ...db.Args) error {
	n, err := db.ExecNamed(ctx, tx, s, append(values, fencesOf(job))...)
	if err != nil {
		return fmt.Errorf("fence: %w", err)
	}
	if n != int64(len(job.ids)) {
		return ErrFenced
	}
	return nil
}

// finish is fence for a statement that inserts into finished_jobs: one row, or none if a claim is lost.
func finish(ctx context.Context, tx db.Queryer, job Job, s db.Statement, values ...db.Args) error {
	values = append(values, fencesOf(job), db.Args{"record": job.record()})
	n, err := db.ExecNamed(ctx, tx, s, values...)
	if err != nil {
		return fmt.Errorf("finish: %w", err)
	}
	if n != 1 {
		return ErrFenced
	}
	return nil
}

// Fail stores the cause and job.Attempt, and lets the job be claimed again after the delay. Unlike fence, it returns
// ErrFenced only if the claims of all rows are lost: rows with a current claim fail in any case.
func (q *Queue) Fail(ctx context.Context, job Job, cause error, delay time.Duration) error {
	n, err := db.ExecNamed(ctx, q.pool, storeFailure, fencesOf(job), db.Args{
		"error": message(cause), "attempt": job.Attempt, "delay": delay.Seconds(),
	})
	switch {
	case err != nil:
		return fmt.Errorf("store the failure: %w", err)
	case n == 0:
		return ErrFenced
	}
	return nil
}

// message returns the text of an error, shortened and cleaned for a column.
func message(err error) string {
	text := strings.ReplaceAll(err.Error(), "\x00", "")
	return strings.ToValidUTF8(text[:min(len(text), 2000)], "")
}

// Release ends the claim of an unfinished job and offers the job at once; the effects of its
// chunks remain. The attempt counts only if countAttempt is true. If the claim is lost, Release
// does nothing.
func (q *Queue) Release(ctx context.Context, job Job, countAttempt bool) error {
	tickets, err := db.ManyNamed[jobs.Ticket](ctx, q.pool, releaseClaim,
		fencesOf(job), db.Args{"count_attempt": countAttempt})
	if err != nil {
		return fmt.Errorf("release: %w", err)
	}
	q.offer(tickets...)
	return nil
}

// GiveWay releases a job as Release does, if a job of another account waits in its queue and no job of that account
// runs there. The attempt does not count. It reports whether it released the job; it does not if the claim is lost.
func (q *Queue) GiveWay(ctx context.Context, job Job) (bool, error) {
	tickets, err := db.ManyNamed[jobs.Ticket](ctx, q.pool, giveWay,
		fencesOf(job), db.Args{"queue": job.Queue, "account": job.AccountID})
	if err != nil {
		return false, fmt.Errorf("give way: %w", err)
	}
	q.offer(tickets...)
	return len(tickets) > 0, nil
}

// OfferNext offers a job of the same key that fell due while this one ran: its own task was
// refused and no longer exists.
func (q *Queue) OfferNext(ctx context.Context, job Job) error {
	next, err := db.Many[jobs.Ticket](ctx, q.pool, `
		SELECT id, claims, kind, queue FROM jobs WHERE kind = $1 AND key = $2 AND`+free+`LIMIT 1`, job.Kind, job.Key)
	if err != nil {
		return fmt.Errorf("look for the next of key: %w", err)
	}
	for i := range next {
		next[i].After = job.Name()
	}
	q.offer(next...)
	return nil
}
