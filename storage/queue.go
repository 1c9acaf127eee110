package storage

import (
	"context"
	"fmt"
	"time"

	"bordero/internal/db"
	"bordero/jobs"
)

// Cursor is a position in the order in which jobs fall due. The zero Cursor is before all jobs.
type Cursor struct {
	At time.Time
	ID int64
}

// Waiting is a free job and its position.
type Waiting struct {
	jobs.Ticket
	At        time.Time
	AccountID int64 `db:"account_id"` // set for imports only
}

// Cursor returns the position after which to continue.
func (w Waiting) Cursor() Cursor { return Cursor{w.At, w.ID} }

// freeAfter is the condition for the free jobs of queue $1 that fell due after the position ($2, $3).
const freeAfter = ` queue = $1 AND failed_at IS NULL AND due_at <= now() AND coalesce(leased_until < now(), true) ` +
	`AND (due_at, id) > ($2, $3) `

// Free lists, in order, free jobs of a queue that fell due after the mark: waiting jobs, and jobs
// with a lapsed lease. No index excludes leased jobs, because every claim would have to write to
// it, and they are few. FreeInTurn lists the jobs of the queue of imports.
func (q Queries) Free(ctx context.Context, queue string, after Cursor, limit int) ([]Waiting, error) {
	rows, err := db.Many[Waiting](ctx, q.DB, `
		SELECT id, claims, kind, queue, due_at AS at FROM jobs WHERE`+freeAfter+`ORDER BY due_at, id LIMIT $4`, queue,
		after.At, after.ID, limit)
	if err != nil {
		return nil, fmt.Errorf("free jobs of %s: %w", queue, err)
	}
	return rows, nil
}

// Due is the state of a queue for the relay: whether a job is free, and the time until the next one
// falls due.
type Due struct {
	Free bool
	Rest time.Duration
}

// Due reports whether a job of a queue that fell due after the mark is free, and the time until the
// next one falls due, or most if that is less. Without a free job, Free and FreeInTurn list
// nothing. FreeInTurn may also list nothing while a free job waits for its turn.
func (q Queries) Due(ctx context.Context, queue string, after Cursor, most time.Duration) (Due, error) {
	due, err := db.One[struct {
		Free bool
		Rest float64 // seconds
	}](ctx, q.DB, `
		SELECT EXISTS (SELECT FROM jobs WHERE`+freeAfter+
		`) AS free, CAST(extract(epoch FROM least(now() + make_interval(secs => $4), (
			SELECT due_at FROM jobs WHERE queue = $1 AND failed_at IS NULL AND due_at > now() ORDER BY due_at,
				id LIMIT 1)) - now()) AS float8) AS rest`,
		queue, after.At, after.ID, most.Seconds())
	if err != nil {
		return Due{}, fmt.Errorf("next job of %s: %w", queue, err)
	}
	return Due{due.Free, time.Duration(due.Rest * float64(time.Second))}, nil
}

// JobRow is a job as operators see it, without its arguments.
type JobRow struct {
	ID          int64      `json:"id"`
	Kind        string     `json:"kind"`
	Queue       string     `json:"queue"`
	Key         *string    `json:"key"`
	AccountID   *int64     `db:"account_id" json:"account_id"`
	RequestID   *string    `db:"request_id" json:"request_id"`
	CreatedAt   time.Time  `db:"created_at" json:"created_at"`
	DueAt       time.Time  `db:"due_at" json:"due_at"`
	LeasedUntil *time.Time `db:"leased_until" json:"leased_until"`
	Attempts    int        `json:"attempts"`
	Error       *string    `json:"error"`
	FailedAt    *time.Time `db:"failed_at" json:"failed_at"`
	DismissedAt *time.Time `db:"dismissed_at" json:"dismissed_at,omitempty"`
	DismissedBy *string    `db:"dismissed_by" json:"dismissed_by,omitempty"` // the monitor's user
	Deleted     *int64     `json:"deleted,omitempty"`                        // rows removed by a deletion, once begun
	Left        *int64     `json:"left,omitempty"`                           // rows that it has still to remove, about
}

// JobSelection selects the jobs of a list.
type JobSelection string

// Dead jobs do not run again before RetryJob. Unfinished ones are all but dismissed ones.
const (
	UnfinishedJobs JobSelection = ` NOT coalesce(dismissed_at >= failed_at, false) `
	FailedJobs     JobSelection = failed
	DismissedJobs  JobSelection = ` failed_at IS NOT NULL AND dismissed_at >= failed_at `
)

// Jobs lists the newest of the selected jobs of all accounts, up to limit.
func (q Queries) Jobs(ctx context.Context, selected JobSelection, limit int) ([]JobRow, error) {
	rows, err := db.Many[JobRow](ctx, q.DB, `
		SELECT j.id, j.kind, j.queue, j.key, j.account_id, j.request_id, j.created_at, j.due_at, j.leased_until,
			j.attempts, j.error, j.failed_at,
			j.dismissed_at, j.dismissed_by, d.deleted, d.left
		FROM (SELECT id, kind, queue, key, account_id, request_id, created_at, due_at, leased_until, attempts, error,
			failed_at,
				CASE WHEN dismissed_at >= failed_at THEN dismissed_at END AS dismissed_at,
				CASE WHEN dismissed_at >= failed_at THEN dismissed_by END AS dismissed_by, args
			FROM jobs WHERE`+string(selected)+`ORDER BY id DESC LIMIT $1) j
		LEFT JOIN LATERAL (
			SELECT CAST(sum(deleted) AS bigint) AS deleted,
				CAST(sum(greatest(estimated - deleted, 0)) AS bigint) AS left FROM deletions
			WHERE j.kind = $2 AND account_id = j.account_id AND root = j.args::json ->> 'root'
				AND record_id = CAST(j.args::json ->> 'id' AS bigint)) d ON true
		ORDER BY j.id DESC`, limit, jobs.DeleteCascadeKind.Name)
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	return rows, nil
}
