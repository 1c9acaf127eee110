package queue

import (
	"context"
	"fmt"
	"time"

	"bordero/internal/db"
	"bordero/jobs"
)

// Row is a job as operators see it, without its arguments.
type Row struct {
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
	DismissedBy *string    `db:"dismissed_by" json:"dismissed_by,omitempty"` // the monitor's user; also after a retry
	Deleted     *int64     `json:"deleted,omitempty"`                        // rows removed by a deletion, once begun
	Left        *int64     `json:"left,omitempty"`                           // rows that it has still to remove, about
}

// Selection selects the jobs of a list.
type Selection string

// Dead jobs do not run again before RetryJob. Unfinished ones are all but dismissed ones.
const (
	UnfinishedJobs Selection = ` NOT coalesce(dismissed_at >= failed_at, false) `
	FailedJobs     Selection = Failed
	DismissedJobs  Selection = ` failed_at IS NOT NULL AND dismissed_at >= failed_at `
)

// Filter narrows a list of jobs. Its zero value does not.
type Filter struct {
	Kind      string
	AccountID int64
}

// Jobs lists the newest of the selected jobs of all accounts, up to limit.
func (q *Queue) Jobs(ctx context.Context, selected Selection, f Filter, limit int) ([]Row, error) {
	rows, err := db.Many[Row](ctx, q.pool, `
		SELECT j.id, j.kind, j.queue, j.key, j.account_id, j.request_id, j.created_at, j.due_at, j.leased_until,
			j.attempts, j.error, j.failed_at,
			j.dismissed_at, j.dismissed_by, d.deleted, d.left
		FROM (SELECT id, kind, queue, key, account_id, request_id, created_at, due_at, leased_until, attempts, error,
			failed_at,
				CASE WHEN dismissed_at >= failed_at THEN dismissed_at END AS dismissed_at,
				dismissed_by, args
			FROM jobs WHERE`+string(selected)+`AND $3 IN ('', kind) AND $4::bigint IN (0, account_id)
				ORDER BY id DESC LIMIT $1) j
		LEFT JOIN LATERAL (
			SELECT CAST(sum(deleted) AS bigint) AS deleted,
				CAST(sum(greatest(estimated - deleted, 0)) AS bigint) AS left FROM deletions
			WHERE j.kind = $2 AND account_id = j.account_id AND root = j.args::json ->> 'root'
				AND record_id = CAST(j.args::json ->> 'id' AS bigint)) d ON true
		ORDER BY j.id DESC`, limit, jobs.DeleteCascadeKind.Name, f.Kind, f.AccountID)
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	return rows, nil
}
