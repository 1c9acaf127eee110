// Package operators reads lists and counts for operators, across all accounts. It is apart because each
// statement of storage names one account.
package operators

import (
	"context"
	"fmt"
	"time"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/queue"

	"github.com/lib/pq"
)

// This file has the monitoring queries, across all accounts. They run often, so each is
// bounded, uses an index, and costs the same however many rows are stored.

// MaxCountedJobs is the largest number of jobs that JobCounts counts: of those of a queue that are due, of those of a
// queue that are due later, and of all failed ones.
const MaxCountedJobs = 10_000

// JobCount is the number of jobs of one kind in one state.
type JobCount struct {
	Queue, Kind string
	State       string        // waiting, running, later, retrying or failed
	Count       int64         // bounded by MaxCountedJobs, all kinds and states together
	Oldest      time.Duration // since the first of them fell due, began its run, or failed
}

// failedJobs are the dead jobs that nobody has dismissed; of more than $1, half are those with the lowest ids and half
// those with the highest. An index has them by id alone. A job may fail months after it was enqueued, as deletions do,
// so it may have the lowest id of all and be the last to fail.
const failedJobs = ` (
	(SELECT id, queue, kind, failed_at FROM jobs WHERE` + queue.Failed + `ORDER BY id LIMIT $1 / 2)
	UNION
	(SELECT id, queue, kind, failed_at FROM jobs WHERE` + queue.Failed + `ORDER BY id DESC LIMIT $1 / 2)) `

// manyAttempts is the number of attempts after which a job that is to be tried again is counted apart: most kinds
// have ten in all, e-mails and redeliveries twenty, and deletions a hundred over months.
const manyAttempts = 10

// JobCounts counts the unfinished jobs of the queues, and all failed jobs that nobody has dismissed. Jobs in the state
// later are not due, wait for a running job of their key, or are imports of an account whose running imports have
// reached its quota. Jobs in the state retrying are due later, after manyAttempts failed attempts or more. Of more
// than MaxCountedJobs it counts the unfinished jobs that are due first, so jobs of a missing kind have waited less,
// and the failed ones of failedJobs. Jobs due later are counted together, so retrying ones may be missing behind
// others.
func JobCounts(ctx context.Context, q storage.Queries, queues []string) ([]JobCount, error) {
	rows, err := db.Many[struct {
		Queue, Kind, State string
		Count              int64
		Seconds            float64
	}](ctx, q.DB, `
		SELECT queue, kind, state, count(*) AS count,
			coalesce(max(extract(epoch FROM now() - since)), 0)::float8 AS seconds
		FROM (
			SELECT q.queue, j.kind, j.state, j.since
			FROM unnest($2::text[]) AS q(queue) CROSS JOIN LATERAL (
				SELECT kind, CASE WHEN leased THEN 'running' WHEN behind THEN 'later' ELSE 'waiting' END AS state,
					CASE WHEN leased THEN claimed_at WHEN behind THEN now() ELSE due_at END AS since
				FROM (
					SELECT kind, due_at, claimed_at, coalesce(leased_until >= now(), false) AS leased,
						key IS NOT NULL
							AND coalesce(bool_or(leased_until >= now()) OVER (PARTITION BY kind, account_id, key),
								false)
						OR kind = $3
							AND count(*) FILTER (WHERE leased_until >= now()) OVER (PARTITION BY kind, account_id)
								>= coalesce((SELECT running_imports FROM account_quotas a
									WHERE a.account_id = due.account_id), $4) AS behind
					FROM (SELECT kind, account_id, key, due_at, leased_until, claimed_at FROM jobs
						WHERE queue = q.queue AND failed_at IS NULL AND due_at <= now()
						ORDER BY due_at, id LIMIT $1) due) due
				UNION ALL
				(SELECT kind, CASE WHEN attempts >= $5 AND error IS NOT NULL THEN 'retrying' ELSE 'later' END, now()
				FROM jobs
				WHERE queue = q.queue AND failed_at IS NULL AND due_at > now() ORDER BY due_at, id LIMIT $1)) j
			UNION ALL
			SELECT queue, kind, 'failed', failed_at FROM`+failedJobs+`f
		) seen
		GROUP BY queue, kind, state ORDER BY queue, kind, state`, MaxCountedJobs, pq.Array(queues),
		jobs.ImportStatementKind.Name, finance.DefaultQuotas[finance.RunningImports], manyAttempts)
	if err != nil {
		return nil, fmt.Errorf("count jobs: %w", err)
	}
	counts := make([]JobCount, len(rows))
	for i, r := range rows {
		counts[i] = JobCount{r.Queue, r.Kind, r.State, r.Count, time.Duration(r.Seconds * float64(time.Second))}
	}
	return counts, nil
}

// UnsealedChanges are the committed changes without a number.
type UnsealedChanges struct {
	Count  int64         // at most MaxCountedChanges
	Oldest time.Duration // since the transaction of the first of them began
}

// MaxCountedChanges is the largest number of changes that UnsealedChanges counts.
const MaxCountedChanges = 10_000

// CountUnsealed counts the changes that wait for the sealer. It looks at the last million ids
// that were drawn: while an old snapshot, such as that of a dump, may see the removed ones, the
// index has them all.
func CountUnsealed(ctx context.Context, q storage.Queries) (UnsealedChanges, error) {
	r, err := db.One[struct {
		Count   int64
		Seconds float64
	}](ctx, q.DB, `
		SELECT count(*) AS count, coalesce(extract(epoch FROM now() - min(occurred_at)), 0)::float8 AS seconds FROM (
			SELECT occurred_at FROM unsealed_changes
			WHERE id > (SELECT coalesce(pg_sequence_last_value('unsealed_changes_id_seq'), 0) - 1000000) ORDER BY id
				LIMIT $1) u`, MaxCountedChanges)
	if err != nil {
		return UnsealedChanges{}, fmt.Errorf("count unsealed changes: %w", err)
	}
	return UnsealedChanges{r.Count, time.Duration(r.Seconds * float64(time.Second))}, nil
}

// MaxCountedWebhooks is the largest number of webhooks that WebhooksInError counts.
const MaxCountedWebhooks = 10_000

// WebhooksInError counts the webhooks in error, up to MaxCountedWebhooks. Webhooks of entities that are being
// deleted do not count: nobody can verify them.
func WebhooksInError(ctx context.Context, q storage.Queries) (int64, error) {
	n, err := db.One[int64](ctx, q.DB, `
		SELECT count(*) FROM (
			SELECT FROM webhooks w WHERE status = 'error' AND deleted_at IS NULL AND `+storage.EntityVisible("w")+`
				LIMIT $1) n`,
		MaxCountedWebhooks)
	if err != nil {
		return 0, fmt.Errorf("count webhooks in error: %w", err)
	}
	return n, nil
}

// FailedKind is a kind with dead jobs that nobody has dismissed.
type FailedKind struct {
	Kind         string
	Count        int64
	LastFailedAt time.Time `db:"last_failed_at"`
}

// FailedKinds counts the dead jobs that nobody has dismissed by kind, at most MaxCountedJobs as failedJobs has them.
func FailedKinds(ctx context.Context, q storage.Queries) ([]FailedKind, error) {
	kinds, err := db.Many[FailedKind](ctx, q.DB, `
		SELECT kind, count(*) AS count, max(failed_at) AS last_failed_at
		FROM`+failedJobs+`f GROUP BY kind ORDER BY kind`, MaxCountedJobs)
	if err != nil {
		return nil, fmt.Errorf("count failed jobs: %w", err)
	}
	return kinds, nil
}

// FailedJobRow is a dead job that nobody has dismissed, for operators.
type FailedJobRow struct {
	ID        int64
	Kind      string
	Attempts  int
	Error     string
	FailedAt  time.Time `db:"failed_at"`
	RequestID string    `db:"request_id"`

	AccountID int64  `db:"account_id"`
	Account   string // its name; empty if it no longer exists

	// The record of the job, if its arguments name one.
	Table    string // bank_statements, sale_accounts, webhooks, or the table of the deleted record
	RecordID int64
	Name     string // of the record or its file; may be empty

	Args string
}

// FailedJobRows lists up to limit dead jobs that nobody has dismissed, the last to fail first: of each kind the last
// one, and the last ones of all kinds. Of more than MaxCountedJobs it looks at those of failedJobs.
func FailedJobRows(ctx context.Context, q storage.Queries, limit int) ([]FailedJobRow, error) {
	rows, err := db.Many[FailedJobRow](ctx, q.DB, `
		SELECT id, kind, attempts, coalesce(error, '') AS error, failed_at, coalesce(request_id, '') AS request_id,
			args,
			coalesce(account_id, 0) AS account_id, coalesce((SELECT name FROM accounts WHERE accounts.id = account_id),
				'') AS account
		FROM jobs
		WHERE id = ANY(ARRAY(
			SELECT id FROM (
				SELECT id, failed_at, row_number() OVER (PARTITION BY kind ORDER BY failed_at DESC, id DESC) AS place
				FROM`+failedJobs+`f) f
			ORDER BY place > 1, failed_at DESC, id DESC LIMIT $2))
		ORDER BY failed_at DESC, id DESC`, MaxCountedJobs, limit)
	if err != nil {
		return nil, fmt.Errorf("list failed jobs: %w", err)
	}
	for i := range rows {
		rows[i].Table, rows[i].RecordID = jobs.Subject(rows[i].Args)
	}
	return rows, nameSubjects(ctx, q, rows)
}

// nameSubjects sets the names of the records that the jobs are about. Those of other tables, such as people, get none.
func nameSubjects(ctx context.Context, q storage.Queries, rows []FailedJobRow) error {
	accounts, ids, tables := make(pq.Int64Array, len(rows)), make(pq.Int64Array, len(rows)),
		make(pq.StringArray, len(rows))
	for i, r := range rows {
		accounts[i], ids[i], tables[i] = r.AccountID, r.RecordID, r.Table
	}
	names, err := db.Many[string](ctx, q.DB, `
		SELECT coalesce(CASE n.of
			WHEN 'bank_statements' THEN (SELECT file_file_name FROM bank_statements r WHERE r.account_id = n.account_id
				AND r.id = n.id)
			WHEN 'sale_accounts' THEN (SELECT name FROM sale_accounts r WHERE r.account_id = n.account_id
				AND r.id = n.id)
			WHEN 'webhooks' THEN (SELECT description FROM webhooks r WHERE r.account_id = n.account_id AND r.id = n.id)
			WHEN 'entities' THEN (SELECT name FROM entities r WHERE r.account_id = n.account_id AND r.id = n.id)
			WHEN 'deposit_accounts' THEN (SELECT name FROM deposit_accounts r WHERE r.account_id = n.account_id
				AND r.id = n.id)
			WHEN 'credit_cards' THEN (SELECT name FROM credit_cards r WHERE r.account_id = n.account_id AND r.id = n.id)
		END, '') FROM unnest($1::bigint[], $2::bigint[], $3::text[]) WITH ORDINALITY AS n (account_id, id, of, place)
			ORDER BY place`,
		accounts, ids, tables)
	if err != nil {
		return fmt.Errorf("name what failed jobs are about: %w", err)
	}
	for i := range names {
		rows[i].Name = names[i]
	}
	return nil
}

// ImportRow is an import that has not ended, for operators.
type ImportRow struct {
	AccountID       int64     `db:"account_id"`
	BankStatementID int64     `db:"bank_statement_id"`
	Status          string    // queued or processing
	Bytes           int64     // of the file
	CreatedAt       time.Time `db:"created_at"`
}

// Imports lists, oldest first, up to limit imports that have not ended: their jobs are not done.
func Imports(ctx context.Context, q storage.Queries, limit int) ([]ImportRow, error) {
	rows, err := db.Many[ImportRow](ctx, q.DB, `
		SELECT b.account_id, b.id AS bank_statement_id, b.event_status AS status, b.file_file_size AS bytes,
			b.created_at
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
	Root      string    // the table of the deleted record
	Removed   int64     // rows so far
	Left      int64     // rows to go, about
	StartedAt time.Time `db:"started_at"`
}

// Deletions lists, oldest first, up to limit deletions that have begun. The table has only running
// deletions.
func Deletions(ctx context.Context, q storage.Queries, limit int) ([]DeletionRow, error) {
	rows, err := db.Many[DeletionRow](ctx, q.DB, `
		SELECT account_id, record_id AS id, root, CAST(sum(deleted) AS bigint) AS removed,
			CAST(sum(greatest(estimated - deleted, 0)) AS bigint) AS left, min(started_at) AS started_at
		FROM deletions GROUP BY account_id, root, record_id ORDER BY min(started_at), record_id LIMIT $1`, limit)
	if err != nil {
		return nil, fmt.Errorf("list deletions: %w", err)
	}
	return rows, nil
}

// WebhookRow is a webhook with pending or failed deliveries or in error, for operators.
// Each count is at most watchedDeliveries.
type WebhookRow struct {
	AccountID   int64 `db:"account_id"`
	WebhookID   int64 `db:"webhook_id"`
	URL         string
	Description string
	Status      string
	ErrorSince  *time.Time `db:"error_since"` // nil unless in error, or if not known
	Pending     int64
	Held        int64
	Failed      int64
	Delivered   int64 // of the newest watchedDeliveries

	// The end of the last attempt among these: the attempts of the next or the newest delivery, of
	// some before it, and of the delivery that put the webhook in error.
	AnsweredAt   *time.Time `db:"answered_at"`
	ResponseCode int64      `db:"response_code"` // 0 if no answer came
	Error        string     // a sentence for users; empty if the delivery succeeded
}

const watchedDeliveries = 1000

// WatchedWebhooks lists up to limit webhooks with pending deliveries, by their jobs, as many with
// the newest failed deliveries (among 1,000 with some), and as many that are in error last.
func WatchedWebhooks(ctx context.Context, q storage.Queries, limit int) ([]WebhookRow, error) {
	rows, err := db.Many[WebhookRow](ctx, q.DB, `
		WITH RECURSIVE failing AS (
			(SELECT account_id, webhook_id, id FROM deliveries WHERE status = 'failed'
			ORDER BY account_id DESC, webhook_id DESC, id DESC LIMIT 1)
			UNION ALL
			SELECT next.* FROM failing f CROSS JOIN LATERAL (
				SELECT account_id, webhook_id, id FROM deliveries
				WHERE status = 'failed' AND (account_id, webhook_id) < (f.account_id, f.webhook_id)
					ORDER BY account_id DESC, webhook_id DESC, id DESC LIMIT 1) next
		), watched AS (
			(SELECT account_id, (args::json->>'webhook_id')::bigint AS id FROM (
				SELECT account_id, args FROM jobs
				WHERE queue = $2 AND kind = $3 AND failed_at IS NULL ORDER BY due_at, id LIMIT 1000) j
			GROUP BY 1, 2 LIMIT $1)
			UNION
			(SELECT account_id, webhook_id FROM (SELECT * FROM failing LIMIT 1000) f ORDER BY id DESC LIMIT $1)
			UNION
			(SELECT account_id, id FROM webhooks w
			WHERE status = 'error' AND deleted_at IS NULL AND `+storage.EntityVisible("w")+`
			ORDER BY error_since DESC NULLS LAST, id DESC LIMIT $1)
		)
		SELECT w.account_id, w.id AS webhook_id, w.url, coalesce(w.description, '') AS description, w.status,
			CASE w.status WHEN 'error' THEN w.error_since END AS error_since,
			(SELECT count(*) FROM (SELECT FROM deliveries d WHERE d.webhook_id = w.id AND d.status = 'pending'
				LIMIT $4) n) AS pending,
			(SELECT count(*) FROM (SELECT FROM deliveries d WHERE d.account_id = w.account_id AND d.webhook_id = w.id
				AND d.status = 'held' LIMIT $4) n) AS held,
			(SELECT count(*) FROM (SELECT FROM deliveries d WHERE d.account_id = w.account_id AND d.webhook_id = w.id
				AND d.status = 'failed' LIMIT $4) n) AS failed,
			(SELECT count(*) FILTER (WHERE status = 'delivered') FROM (
				SELECT status FROM deliveries d WHERE d.account_id = w.account_id AND d.webhook_id = w.id
					ORDER BY d.id DESC LIMIT $4) n) AS delivered,
			a.finished_at AS answered_at, coalesce(a.response_code, 0) AS response_code, coalesce(a.error, '') AS error
		FROM watched JOIN webhooks w ON w.account_id = watched.account_id AND w.id = watched.id LEFT JOIN LATERAL (
			SELECT finished_at, response_code, error FROM (
				(SELECT id FROM deliveries d WHERE d.account_id = w.account_id AND d.webhook_id = w.id
					AND d.id <= coalesce(
					(SELECT id FROM deliveries p WHERE p.webhook_id = w.id AND p.status = 'pending' ORDER BY p.next_at,
						p.id LIMIT 1),
					(SELECT id FROM deliveries h WHERE h.account_id = w.account_id AND h.webhook_id = w.id
						AND h.status = 'held' ORDER BY h.id LIMIT 1),
					9223372036854775807)
				ORDER BY id DESC LIMIT 20)
				UNION SELECT w.error_delivery_id WHERE w.status = 'error') d
			JOIN delivery_attempts a ON a.account_id = w.account_id AND a.delivery_id = d.id
			WHERE finished_at IS NOT NULL ORDER BY finished_at DESC LIMIT 1) a ON true
		WHERE w.deleted_at IS NULL
		ORDER BY w.status <> 'error', CASE w.status WHEN 'error' THEN w.error_since END DESC NULLS LAST,
			w.account_id, w.id`, limit, jobs.DeliverWebhookKind.Queue,
		jobs.DeliverWebhookKind.Name, watchedDeliveries)
	if err != nil {
		return nil, fmt.Errorf("list webhooks: %w", err)
	}
	return rows, nil
}
