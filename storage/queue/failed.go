package queue

import (
	"context"
	"fmt"
	"time"

	"bordero/internal/db"
	"bordero/jobs"

	"github.com/lib/pq"
)

// This file has the operations of operators on dead jobs, and the removal of dismissed ones. Each is one statement;
// RemoveDismissed repeats its own.

// Failed is the condition for dead jobs that nobody has dismissed since they failed. The
// previous release retries a job without clearing its dismissal, so the times are compared.
const Failed = ` failed_at IS NOT NULL AND coalesce(dismissed_at < failed_at, true) `

// retried makes a dead job due at once, with all its attempts. Its next row in finished_jobs begins here. The user of
// a dismissal stays.
const retried = ` UPDATE jobs SET failed_at = NULL, attempts = 0, due_at = now(), dismissed_at = NULL,
	first_due_at = NULL, started_at = NULL `

// dismissed dismisses a dead job, by the user in $1.
const dismissed = ` UPDATE jobs SET dismissed_at = greatest(now(), failed_at), dismissed_by = $1 `

// RetryJob makes a failed job due at once, with all its attempts, and offers it; also one that was
// dismissed. If there is no job with that id, or it has not failed, it returns db.ErrNotFound. The
// ticket is for callers with a store that offers no tickets.
func (q *Queue) RetryJob(ctx context.Context, id int64) (jobs.Ticket, error) {
	ticket, err := db.One[jobs.Ticket](ctx, q.pool, retried+`WHERE id = $1 AND failed_at IS NOT NULL RETURNING id,
		claims, kind, queue`, id)
	if err != nil {
		return ticket, fmt.Errorf("retry job %d: %w", id, err)
	}
	q.offer(ticket)
	return ticket, nil
}

// RetryFailedJobs is RetryJob for the jobs of a kind that had failed at a time, up to limit
// of them, the oldest first. It skips dismissed jobs, and returns the number of the others.
func (q *Queue) RetryFailedJobs(ctx context.Context, kind string, until time.Time, limit int) (int64, error) {
	tickets, err := db.Many[jobs.Ticket](ctx, q.pool, retried+`WHERE id = ANY(ARRAY(
		SELECT id FROM jobs WHERE`+Failed+`AND kind = $1 AND failed_at <= $2 ORDER BY id
			LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED))
		RETURNING id, claims, kind, queue`, kind, until, limit)
	if err != nil {
		return 0, fmt.Errorf("retry the failed jobs of kind %s: %w", kind, err)
	}
	q.offer(tickets...)
	return int64(len(tickets)), nil
}

// DismissJob dismisses a failed job in the name of a user: it stays stored, and counts as
// failed no longer. If there is no job with that id, or it has not failed, or is dismissed
// already, it returns db.ErrNotFound.
func (q *Queue) DismissJob(ctx context.Context, id int64, user string) error {
	n, err := db.Exec(ctx, q.pool, dismissed+`WHERE id = $2 AND`+Failed, user, id)
	if err != nil {
		return fmt.Errorf("dismiss job %d: %w", id, err)
	}
	if n == 0 {
		return db.ErrNotFound
	}
	return nil
}

// RemoveDismissed removes jobs that were dismissed longer ago than after, 1,000 in each statement, and
// returns their number. It keeps jobs of the kinds jobs.Owed, and those of imports that have not ended, whose
// statements nobody could delete any more. It may run twice at once.
func (q *Queue) RemoveDismissed(ctx context.Context, after time.Duration) (removed int64, err error) {
	const some = 1000
	var owed pq.StringArray
	for _, kind := range jobs.Owed {
		owed = append(owed, kind.Name)
	}
	for n := int64(some); n == some; removed += n {
		n, err = db.Exec(ctx, q.pool, `
			DELETE FROM jobs WHERE id = ANY(ARRAY(
				SELECT id FROM jobs
				WHERE dismissed_at <= now() - make_interval(secs => $1) AND failed_at IS NOT NULL
					AND dismissed_at >= failed_at AND CASE kind WHEN $4 THEN NOT EXISTS (
						SELECT FROM bank_statements b WHERE b.account_id = jobs.account_id
							AND b.id = (args::json ->> 'bank_statement_id')::bigint
							AND b.event_status IN ('queued', 'processing')) ELSE kind <> ALL($2) END
				ORDER BY dismissed_at LIMIT $3 FOR UPDATE SKIP LOCKED))`, after.Seconds(), owed, some,
			jobs.ImportStatementKind.Name)
		if err != nil {
			return removed, fmt.Errorf("remove dismissed jobs: %w", err)
		}
	}
	return removed, nil
}

// DismissFailedJobs is DismissJob for the jobs of a kind that had failed at a time, up to
// limit of them, the oldest first. It returns their number.
func (q *Queue) DismissFailedJobs(ctx context.Context, kind string, until time.Time, user string, limit int) (int64,
	error) {
	n, err := db.Exec(ctx, q.pool, dismissed+`WHERE id = ANY(ARRAY(
		SELECT id FROM jobs WHERE`+Failed+`AND kind = $2 AND failed_at <= $3 ORDER BY id
			LIMIT $4 FOR NO KEY UPDATE SKIP LOCKED))`,
		user, kind, until, limit)
	if err != nil {
		return 0, fmt.Errorf("dismiss the failed jobs of kind %s: %w", kind, err)
	}
	return n, nil
}
