package storage

import (
	"context"
	"fmt"
	"time"

	"bordero/internal/db"
	"bordero/jobs"

	"github.com/lib/pq"
)

// This file has the monitoring queries, across all accounts. They run often, so each is
// bounded, uses an index, and costs the same however many rows are stored.

// MaxCountedJobs is the largest number of jobs that JobCounts counts of a queue and state.
const MaxCountedJobs = 10_000

// JobCount is the number of jobs of one kind in one state.
type JobCount struct {
	Queue, Kind string
	State       string        // waiting, running, later or failed
	Count       int64         // at most MaxCountedJobs of a queue and state, all its kinds together
	Oldest      time.Duration // since the first of them fell due, or failed
}

// JobCounts counts the jobs of the queues that are not done, and all failed ones.
// Of more than MaxCountedJobs in one state of a queue it counts those that fell due first;
// so the jobs of a kind that is missing have waited less long.
func (q Queries) JobCounts(ctx context.Context, queues []string) ([]JobCount, error) {
	rows, err := db.Many[struct {
		Queue, Kind, State string
		Count              int64
		Seconds            float64
	}](ctx, q.DB, `
		SELECT queue, kind, state, count(*) AS count, max(extract(epoch FROM now() - since))::float8 AS seconds
		FROM (
			SELECT q.queue, j.kind, j.state, j.since
			FROM unnest($1::text[]) AS q(queue) CROSS JOIN LATERAL (
				(SELECT kind, CASE WHEN leased_until >= now() THEN 'running' ELSE 'waiting' END AS state, due_at AS since
				FROM jobs WHERE queue = q.queue AND failed_at IS NULL AND due_at <= now() ORDER BY due_at, id LIMIT $2)
				UNION ALL
				(SELECT kind, 'later', now() FROM jobs
				WHERE queue = q.queue AND failed_at IS NULL AND due_at > now() ORDER BY due_at, id LIMIT $2)) j
			UNION ALL
			(SELECT queue, kind, 'failed', failed_at FROM jobs WHERE failed_at IS NOT NULL ORDER BY id DESC LIMIT $2)
		) seen
		GROUP BY queue, kind, state ORDER BY queue, kind, state`, pq.Array(queues), MaxCountedJobs)
	if err != nil {
		return nil, fmt.Errorf("count jobs: %w", err)
	}
	counts := make([]JobCount, len(rows))
	for i, r := range rows {
		counts[i] = JobCount{r.Queue, r.Kind, r.State, r.Count, time.Duration(r.Seconds * float64(time.Second))}
	}
	return counts, nil
}

// ImportRow is an import that has not ended, for operators.
type ImportRow struct {
	AccountID       int64     `db:"account_id"`
	BankStatementID int64     `db:"bank_statement_id"`
	Status          string    // queued or processing
	Bytes           int64     // of the file
	CreatedAt       time.Time `db:"created_at"`
}

// Imports lists, oldest first, up to limit of the imports that have not ended:
// those whose jobs are not done.
func (q Queries) Imports(ctx context.Context, limit int) ([]ImportRow, error) {
	rows, err := db.Many[ImportRow](ctx, q.DB, `
		SELECT b.account_id, b.id AS bank_statement_id, b.event_status AS status, b.file_file_size AS bytes, b.created_at
		FROM (
			SELECT account_id, (args::json->>'bank_statement_id')::bigint AS id FROM jobs
			WHERE queue = $2 AND kind = $3 AND failed_at IS NULL ORDER BY due_at, id LIMIT $1
		) j JOIN bank_statements b ON b.account_id = j.account_id AND b.id = j.id
		ORDER BY b.created_at, b.id`, limit, jobs.ImportStatementKind.Queue, jobs.ImportStatementKind.Name)
	if err != nil {
		return nil, fmt.Errorf("list imports: %w", err)
	}
	return rows, nil
}

// DeletionRow is a deletion in progress, for operators.
type DeletionRow struct {
	AccountID int64 `db:"account_id"`
	ID        int64
	Root      string    // the table of what is deleted
	Removed   int64     // rows so far
	Left      int64     // rows to go, about
	StartedAt time.Time `db:"started_at"`
}

// Deletions lists, oldest first, up to limit of the deletions that have begun. The
// table contains only those that run.
func (q Queries) Deletions(ctx context.Context, limit int) ([]DeletionRow, error) {
	rows, err := db.Many[DeletionRow](ctx, q.DB, `
		SELECT account_id, record_id AS id, root, CAST(sum(deleted) AS bigint) AS removed,
			CAST(sum(greatest(estimated - deleted, 0)) AS bigint) AS left, min(started_at) AS started_at
		FROM deletions GROUP BY account_id, root, record_id ORDER BY min(started_at), record_id LIMIT $1`, limit)
	if err != nil {
		return nil, fmt.Errorf("list deletions: %w", err)
	}
	return rows, nil
}

// WebhookRow is a webhook with pending deliveries or in error, for operators. Its
// counts are of its newest thousand deliveries, Pending of at most a thousand.
type WebhookRow struct {
	AccountID int64 `db:"account_id"`
	WebhookID int64 `db:"webhook_id"`
	Status    string
	Pending   int64
	Held      int64
	Failed    int64
	Delivered int64
}

// WatchedWebhooks lists up to limit webhooks with pending deliveries, by
// their jobs, and as many in error.
func (q Queries) WatchedWebhooks(ctx context.Context, limit int) ([]WebhookRow, error) {
	rows, err := db.Many[WebhookRow](ctx, q.DB, `
		WITH watched AS (
			(SELECT account_id, (args::json->>'webhook_id')::bigint AS id FROM (
				SELECT account_id, args FROM jobs
				WHERE queue = $2 AND kind = $3 AND failed_at IS NULL ORDER BY due_at, id LIMIT 1000) j
			GROUP BY 1, 2 LIMIT $1)
			UNION
			(SELECT account_id, id FROM webhooks WHERE status = 'error' ORDER BY account_id, id LIMIT $1)
		)
		SELECT w.account_id, w.id AS webhook_id, w.status,
			(SELECT count(*) FROM (SELECT FROM deliveries d WHERE d.webhook_id = w.id AND d.status = 'pending' LIMIT 1000) p) AS pending,
			n.held, n.failed, n.delivered
		FROM watched JOIN webhooks w ON w.account_id = watched.account_id AND w.id = watched.id CROSS JOIN LATERAL (
			SELECT count(*) FILTER (WHERE status = 'held') AS held, count(*) FILTER (WHERE status = 'failed') AS failed,
				count(*) FILTER (WHERE status = 'delivered') AS delivered
			FROM (SELECT status FROM deliveries d WHERE d.account_id = w.account_id AND d.webhook_id = w.id ORDER BY d.id DESC LIMIT 1000) newest) n
		WHERE w.deleted_at IS NULL
		ORDER BY w.status <> 'error', w.account_id, w.id`, limit, jobs.DeliverWebhookKind.Queue, jobs.DeliverWebhookKind.Name)
	if err != nil {
		return nil, fmt.Errorf("list webhooks: %w", err)
	}
	return rows, nil
}
