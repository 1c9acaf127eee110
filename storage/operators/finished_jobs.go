package operators

import (
	"context"
	"fmt"
	"time"

	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/queue"
)

// FinishedJob is a run that finished or failed for good (decision 0050). Times that an earlier release did not store
// are nil.
type FinishedJob struct {
	ID         int64 // of the newest of the jobs that the run did
	Jobs       int64
	Kind       string
	Queue      string
	RecordID   int64  `db:"record_id"` // 0 if the kind is about no record
	RequestID  string `db:"request_id"`
	Attempts   int64
	Result     string
	Error      string     // of the last attempt that failed
	CreatedAt  time.Time  `db:"created_at"`
	FirstDueAt *time.Time `db:"first_due_at"`
	StartedAt  *time.Time `db:"started_at"` // the first run
	ClaimedAt  *time.Time `db:"claimed_at"` // the last run
	EndedAt    time.Time  `db:"ended_at"`
}

// FinishedJobSearch selects runs of an account. Zero values select all.
type FinishedJobSearch struct {
	Kind     string
	RecordID int64
	Result   string
	Since    *time.Time
	Until    *time.Time // the end, not included
	Before   FinishedJobPlace
}

// FinishedJobPlace is a place in the order of the runs, newest first. The zero value is before all of them.
type FinishedJobPlace struct {
	EndedAt time.Time
	ID      int64
}

// lookedAtJobs is the largest number of runs that one page of a search looks at.
const lookedAtJobs = 5000

// findFinishedJobs are the searches of an account, and of a record. Both look at the next runs in the order of an
// index, and select among them.
var findFinishedJobs = map[bool]db.Statement{
	false: finishedJobs("account", `AND @record::bigint = 0`),
	true:  finishedJobs("record", `AND record_id = @record`),
}

func finishedJobs(name, of string) db.Statement {
	return db.Named("finished_jobs.of_"+name, `
		WITH looked_at AS MATERIALIZED (
			SELECT id, jobs, kind, queue, coalesce(record_id, 0) AS record_id, coalesce(request_id, '') AS request_id,
				attempts, result, coalesce(error, '') AS error, created_at, first_due_at, started_at, claimed_at,
				ended_at
			FROM finished_jobs
			WHERE account_id = @account `+of+` AND ended_at > now() - make_interval(secs => @kept)
				AND ended_at >= coalesce(@since, '-infinity'::timestamptz)
				AND ended_at < coalesce(@until, 'infinity'::timestamptz)
				AND ended_at <= coalesce(@before_at, 'infinity'::timestamptz)
				AND (ended_at < coalesce(@before_at, 'infinity'::timestamptz) OR id < @before_id)
			ORDER BY ended_at DESC, id DESC LIMIT @most
		)
		SELECT * FROM (
			SELECT *, row_number() OVER (ORDER BY ended_at DESC, id DESC) = @most AS last,
				(@kind = '' OR kind = @kind) AND (@result = '' OR result = @result) AS fits
			FROM looked_at) j
		WHERE fits OR last ORDER BY ended_at DESC, id DESC LIMIT @limit`)
}

// FinishedJobs reads a page of up to limit runs of the last seven days, newest first, and the place where the next
// page begins; nil at the end. A page looks at 5,000 runs of the account, or of the record, so it may be empty
// although a next page exists.
func FinishedJobs(ctx context.Context, q storage.Queries, account int64, s FinishedJobSearch, limit int) (
	page []FinishedJob, next *FinishedJobPlace, err error) {
	find := findFinishedJobs[s.RecordID != 0]
	var beforeAt *time.Time
	if !s.Before.EndedAt.IsZero() {
		beforeAt = &s.Before.EndedAt
	}
	rows, err := db.ManyNamed[struct {
		FinishedJob
		Fits, Last bool
	}](ctx, q.DB, find, db.Args{
		"account": account, "record": s.RecordID, "kind": s.Kind, "result": s.Result, "since": s.Since,
		"until": s.Until, "before_at": beforeAt, "before_id": s.Before.ID, "kept": queue.HistoryKept.Seconds(),
		"most": lookedAtJobs, "limit": limit + 1,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("search finished jobs: %w", err)
	}
	for _, r := range rows {
		if len(page) == limit { // there is more
			next = &FinishedJobPlace{page[limit-1].EndedAt, page[limit-1].ID}
			break
		}
		if r.Fits {
			page = append(page, r.FinishedJob)
		}
		if r.Last {
			next = &FinishedJobPlace{r.EndedAt, r.ID}
		}
	}
	return page, next, nil
}

// BusyAccount is the work of workers for an account in the last hour.
type BusyAccount struct {
	AccountID int64  `db:"account_id"`
	Name      string // empty if the account no longer exists
	Runs      int64
	Failed    int64   // for good
	Worked    float64 // seconds of the last run of each
	Waited    float64 // seconds, the longest from when a job was due until its first run
}

// busyRuns is the largest number of runs, and of attempts to deliver, that a table of the last hour looks at.
const busyRuns = 200_000

// BusyAccounts lists up to limit accounts, first those with the most work in the last hour.
func BusyAccounts(ctx context.Context, q storage.Queries, limit int) ([]BusyAccount, error) {
	rows, err := db.Many[BusyAccount](ctx, q.DB, `
		SELECT b.*, coalesce(a.name, '') AS name FROM (
			SELECT account_id, count(*) AS runs, count(*) FILTER (WHERE result = 'failed') AS failed,
				coalesce(sum(extract(epoch FROM ended_at - claimed_at)), 0)::float8 AS worked,
				coalesce(max(extract(epoch FROM started_at - first_due_at)), 0)::float8 AS waited
			FROM (
				SELECT account_id, result, first_due_at, started_at, claimed_at, ended_at FROM finished_jobs
				WHERE part IN (extract(epoch FROM now())::bigint / 86400 % 10,
						extract(epoch FROM now() - interval '1 hour')::bigint / 86400 % 10)
					AND ended_at > now() - interval '1 hour' AND account_id IS NOT NULL LIMIT $2) recent
			GROUP BY account_id ORDER BY worked DESC, account_id LIMIT $1) b
		LEFT JOIN accounts a ON a.id = b.account_id ORDER BY worked DESC, account_id`, limit, busyRuns)
	if err != nil {
		return nil, fmt.Errorf("list busy accounts: %w", err)
	}
	return rows, nil
}

// SlowEndpoint is a webhook with the time that its endpoint took to answer in the last hour.
type SlowEndpoint struct {
	AccountID int64 `db:"account_id"`
	WebhookID int64 `db:"webhook_id"`
	URL       string
	Attempts  int64
	Failed    int64   // attempts that did not deliver: anything but a whole answer with 200
	Median    float64 // seconds
	Slowest   float64 // seconds
	Total     float64 // seconds
}

// SlowEndpoints lists up to limit webhooks, first those whose attempts of the last hour took longest in the median.
func SlowEndpoints(ctx context.Context, q storage.Queries, limit int) ([]SlowEndpoint, error) {
	rows, err := db.Many[SlowEndpoint](ctx, q.DB, `
		WITH recent AS (
			SELECT account_id, delivery_id, error, extract(epoch FROM finished_at - started_at)::float8 AS took
			FROM delivery_attempts
			WHERE started_at > now() - interval '1 hour' AND finished_at IS NOT NULL
			ORDER BY started_at DESC LIMIT $2
		), slow AS (
			SELECT d.account_id, d.webhook_id, count(*) AS attempts,
				count(*) FILTER (WHERE error IS NOT NULL) AS failed,
				percentile_cont(0.5) WITHIN GROUP (ORDER BY took) AS median, max(took) AS slowest, sum(took) AS total
			FROM recent r JOIN deliveries d ON d.account_id = r.account_id AND d.id = r.delivery_id
			GROUP BY d.account_id, d.webhook_id ORDER BY median DESC, d.account_id, d.webhook_id LIMIT $1
		)
		SELECT s.*, w.url FROM slow s JOIN webhooks w ON w.account_id = s.account_id AND w.id = s.webhook_id
		ORDER BY s.median DESC, s.account_id, s.webhook_id`, limit, busyRuns)
	if err != nil {
		return nil, fmt.Errorf("list slow endpoints: %w", err)
	}
	return rows, nil
}
