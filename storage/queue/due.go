package queue

import (
	"context"
	"fmt"
	"time"

	"bordero/internal/db"
	"bordero/jobs"

	"github.com/lib/pq"
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

// Free lists, in order, free jobs of a queue that fell due after the mark: waiting jobs, and jobs
// with a lapsed lease. No index excludes leased jobs, because every claim would have to write to
// it, and they are few. FreeInTurn lists the jobs of the queue of imports.
func (q *Queue) Free(ctx context.Context, queue string, after Cursor, limit int) ([]Waiting, error) {
	rows, err := db.Many[Waiting](ctx, q.pool, `
		SELECT id, claims, kind, queue, due_at AS at FROM jobs
		WHERE queue = $1 AND failed_at IS NULL AND due_at <= now() AND coalesce(leased_until < now(), true)
			AND (due_at, id) > ($2, $3)
		ORDER BY due_at, id LIMIT $4`, queue, after.At, after.ID, limit)
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

// Due reports for each queue whether a job that fell due after the queue's mark is free, and the time
// until the next one falls due, or most if that is less. Without a free job, Free and FreeInTurn list
// nothing. FreeInTurn may also list nothing while a free job waits for its turn.
func (q *Queue) Due(ctx context.Context, queues []string, marks []Cursor, most time.Duration) ([]Due, error) {
	at, ids := make([]time.Time, len(marks)), make([]int64, len(marks))
	for i, m := range marks {
		at[i], ids[i] = m.At, m.ID
	}
	rows, err := db.Many[struct {
		Free bool
		Rest float64 // seconds
	}](ctx, q.pool, stateOfQueues, pq.Array(queues), pq.Array(at), pq.Array(ids), most.Seconds())
	if err != nil {
		return nil, fmt.Errorf("next jobs: %w", err)
	}
	due := make([]Due, len(rows))
	for i, r := range rows {
		due[i] = Due{r.Free, time.Duration(r.Rest * float64(time.Second))}
	}
	return due, nil
}

var stateOfQueues = db.CachePlan(`
	SELECT EXISTS (SELECT FROM jobs WHERE queue = q.queue AND failed_at IS NULL AND due_at <= now()
			AND coalesce(leased_until < now(), true) AND (due_at, id) > (q.at, q.id)) AS free,
		CAST(extract(epoch FROM least(now() + make_interval(secs => $4), (
			SELECT due_at FROM jobs WHERE queue = q.queue AND failed_at IS NULL AND due_at > now() ORDER BY due_at, id
				LIMIT 1)) - now()) AS float8) AS rest
	FROM unnest($1::text[], $2::timestamptz[], $3::bigint[]) WITH ORDINALITY AS q (queue, at, id, n) ORDER BY n`)
