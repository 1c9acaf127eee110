package queue

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
func (q *Queue) Free(ctx context.Context, queue string, after Cursor, limit int) ([]Waiting, error) {
	rows, err := db.Many[Waiting](ctx, q.pool, `
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
func (q *Queue) Due(ctx context.Context, queue string, after Cursor, most time.Duration) (Due, error) {
	due, err := db.One[struct {
		Free bool
		Rest float64 // seconds
	}](ctx, q.pool, `
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
