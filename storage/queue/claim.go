package queue

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"bordero/internal/db"
	"bordero/jobs"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// Job is one claimed run. For a keyed kind it may comprise several rows.
type Job struct {
	ID          int64
	Kind        string
	Queue       string
	Key         string // empty for kinds without keys
	Args        string // JSON
	Cursor      string // as the last Chunk stored it; empty at the beginning
	AccountID   int64
	Attempt     int // the number of this attempt, from 1; a run that made progress may set it to 1
	RequestID   string
	Traceparent string
	Rows        int           // how many due jobs of a key the claim took; 1 of other kinds
	Waited      time.Duration // from when the first of them was due until the claim

	lease       time.Duration
	ids, fences []int64 // the rows, each with its fence
}

// Name identifies the claim. A job that is lost and claimed again has two names.
func (j *Job) Name() string {
	return jobs.Ticket{ID: j.ids[0], Fence: int(j.fences[0])}.Name()
}

// free is the condition for jobs that can be claimed. The CASE hides it from the planner,
// which would trust the statistics of a queue that was empty a moment ago and scan all due
// rows: a claim uses the primary key, or kind and key.
const free = ` CASE WHEN failed_at IS NULL AND due_at <= now() THEN coalesce(leased_until < now(), true) END `

// Claims and renewals lock rows FOR NO KEY UPDATE, so they do not wait for events that rely
// on a job (emit), which lock FOR KEY SHARE.

// claim and claimed are the beginning and the end of a claim; setClaim has the assignments of a
// claim for the seconds of a @lease.
const claim = ` UPDATE jobs` + setClaim

// The fence is random. A standby that takes over may lack the claim of a run that continues; a counter
// would give its number to the next claim, and both runs would pass the fence.
const setClaim = ` SET claims = 1 + floor(random() * (1 << 30))::int, attempts = jobs.attempts + 1,
	leased_until = now() + make_interval(secs => @lease), claimed_at = now(),
	started_at = coalesce(jobs.started_at, now()), first_due_at = coalesce(jobs.first_due_at, jobs.due_at)`

const claimed = `
	RETURNING id, kind, queue, coalesce(key, '') AS key, args, coalesce(cursor, '') AS cursor,
		coalesce(account_id, 0) AS account_id, attempts, claims,
		coalesce(request_id, '') AS request_id, coalesce(traceparent, '') AS traceparent,
		CAST(extract(epoch FROM clock_timestamp() - due_at) AS float8) AS waited`

// claimedRow is a row that the statement of a claim returns.
type claimedRow struct {
	ID          int64
	Kind        string
	Queue       string
	Key         string
	Args        string
	Cursor      string
	AccountID   int64 `db:"account_id"`
	Attempts    int
	Fence       int64  `db:"claims"`
	RequestID   string `db:"request_id"`
	Traceparent string
	Waited      float64 // seconds
}

// claimTickets inserts nothing: every id is that of an existing row, which it has locked. An UPDATE
// of an array of ids would scan the whole table while its plan is that of an empty one; the
// conflict finds each row by its primary key. Of two tickets for one job, the second claims nothing.
var claimTickets = db.Named("jobs.claim", `
	INSERT INTO jobs (id, kind, queue, args)
	SELECT found.* FROM unnest(@ids::bigint[], @kinds::text[]) ticket (id, kind) CROSS JOIN LATERAL (
		SELECT id, kind, queue, args FROM jobs
		WHERE id = ticket.id AND CASE WHEN kind = ticket.kind THEN`+free+`END FOR NO KEY UPDATE SKIP LOCKED) found
	ON CONFLICT (id) DO UPDATE`+setClaim+claimed)

var claimTicketsCached = db.CachePlan(claimTickets.SQL)

// Claim claims the free jobs among the tickets, each for the lease. It uses the id and the kind of
// a ticket. A ticket with another kind than its job claims nothing: tickets come through Redis,
// which is not trusted. Keyed kinds are claimed by ClaimKey, fair kinds by ClaimTurn.
func (q *Queue) Claim(ctx context.Context, lease time.Duration, tickets []jobs.Ticket) ([]Job, error) {
	ids, kinds := make([]int64, len(tickets)), make([]string, len(tickets))
	for i, t := range tickets {
		ids[i], kinds[i] = t.ID, t.Kind
	}
	rows, err := db.Many[claimedRow](ctx, q.pool, claimTicketsCached, claimTickets.Args(db.Args{
		"lease": lease.Seconds(), "ids": pq.Array(ids), "kinds": pq.Array(kinds),
	})...)
	if err != nil {
		return nil, fmt.Errorf("claim: %w", err)
	}
	all := make([]Job, len(rows))
	for i := range rows {
		all[i] = coalesced(lease, rows[i:i+1])
	}
	return all, nil
}

// The statements of ClaimKey. The first passes the key to the second, which claims nothing without the lock.
var (
	lockKey = db.Named("jobs.lock_key", `
		SELECT set_config('bordero.key', key, true),
			pg_advisory_xact_lock(@key_turns, hashtext(kind || ' ' || key))::text
		FROM jobs j WHERE id = @id AND CASE WHEN kind = @kind THEN`+free+`END AND NOT EXISTS (
			SELECT FROM jobs running WHERE running.kind = j.kind AND running.key = j.key
			AND running.failed_at IS NULL AND running.leased_until >= now())`)
	claimKey = db.Named("jobs.claim_key", claim+`
		WHERE id = ANY(ARRAY(
			SELECT id FROM jobs WHERE kind = @kind AND key = current_setting('bordero.key', true) AND`+free+`
			AND NOT EXISTS (
				SELECT FROM jobs running WHERE running.kind = @kind
				AND running.key = current_setting('bordero.key', true)
				AND running.failed_at IS NULL AND running.leased_until >= now())
			FOR NO KEY UPDATE NOWAIT))`+claimed)
)

// ClaimKey claims all due jobs that have the key of the ticket's job, as one run. It returns nil
// without an error when the job is not free, is of another kind than the ticket, or when another
// job of the key is claimed.
func (q *Queue) ClaimKey(ctx context.Context, lease time.Duration, t jobs.Ticket) (*Job, error) {
	// The advisory lock serialises claims of a key; the second statement sees the committed result of the claim
	// before. While a run of the key lasts, it is not even requested.
	//
	// A free row that is locked belongs to a run that commits after its lease has lapsed: SKIP LOCKED would let
	// another run of the key overlap it.
	rows, err := db.Batch[claimedRow](ctx, q.pool,
		lockKey.Call(db.Args{"id": t.ID, "kind": t.Kind, "key_turns": keyTurns}),
		claimKey.Call(db.Args{"lease": lease.Seconds(), "kind": t.Kind}))
	switch {
	case db.Locked(err):
		return nil, nil // not claimed, which is no error
	case err != nil:
		return nil, fmt.Errorf("claim by key: %w", err)
	case len(rows) == 0:
		return nil, nil // as above
	}
	job := coalesced(lease, rows)
	return &job, nil
}

// Missed returns the kind and the key of the existing jobs among the tickets of a failed claim. The kind differs
// from the ticket's where another installation or program wrote the task.
func (q *Queue) Missed(ctx context.Context, tickets []jobs.Ticket) (found []jobs.Ticket, err error) {
	ids := make(pq.Int64Array, len(tickets))
	for i, t := range tickets {
		ids[i] = t.ID
	}
	return db.Many[jobs.Ticket](ctx, q.pool, `
		SELECT id, kind, queue, coalesce(key, '') AS key FROM jobs
		WHERE id = ANY((SELECT $1::bigint[])::bigint[])`, ids)
}

// IDs returns the ids of the job's rows, for a parameter of a statement.
func (j *Job) IDs() pq.Int64Array { return j.ids }

// Fences returns the fences of the job's rows, in the order of IDs.
func (j *Job) Fences() pq.Int64Array { return j.fences }

// coalesced returns the job of a single claimed row, or of the claimed rows of one key: the
// newest row's, with the highest number of attempts. It has the cursor only if all rows do,
// since a row that joined after the last chunk needs a run from the beginning.
func coalesced(lease time.Duration, rows []claimedRow) Job {
	slices.SortFunc(rows, func(a, b claimedRow) int { return cmp.Compare(a.ID, b.ID) }) // an UPDATE has no order
	r := rows[len(rows)-1]
	job := Job{
		ID: r.ID, Kind: r.Kind, Queue: r.Queue, Key: r.Key, Args: r.Args, Cursor: r.Cursor, AccountID: r.AccountID,
		RequestID: r.RequestID, Traceparent: r.Traceparent, Rows: len(rows), lease: lease,
	}
	for _, row := range rows {
		job.Waited = max(job.Waited, time.Duration(row.Waited*float64(time.Second)))
		job.Attempt = max(job.Attempt, row.Attempts)
		job.ids, job.fences = append(job.ids, row.ID), append(job.fences, row.Fence)
		if row.Cursor != job.Cursor {
			job.Cursor = ""
		}
	}
	return job
}

// fencesCurrent is the condition for the rows of jobs with a current claim.
const fencesCurrent = ` (id, claims) IN (SELECT * FROM unnest(@ids::bigint[], @fences::int[])) `

// unlocked is fencesCurrent without the rows that another transaction has locked.
const unlocked = ` id = ANY(ARRAY(SELECT id FROM jobs WHERE` + fencesCurrent + `FOR UPDATE SKIP LOCKED)) `

// leased excludes jobs that were failed or released since they were read. The CASE hides it
// from the planner, as in free.
const leased = ` CASE WHEN leased_until IS NOT NULL THEN true END `

// fencesOf returns the parameters of fencesCurrent.
func fencesOf(all ...Job) db.Args {
	var ids, fences pq.Int64Array
	for _, j := range all {
		ids, fences = append(ids, j.ids...), append(fences, j.fences...)
	}
	return db.Args{"ids": ids, "fences": fences}
}

var renewLeases = db.Named("jobs.renew", `
	UPDATE jobs SET leased_until = now() + make_interval(secs => @lease)
	WHERE id = ANY(ARRAY(SELECT id FROM jobs WHERE`+fencesCurrent+`AND`+leased+`FOR NO KEY UPDATE SKIP LOCKED))
	RETURNING id`)

// Renew restarts the leases of the jobs now. It skips jobs with a lost claim. A locked row it tries again for a
// fifteenth of the lease: rounds of deliveries lock the jobs of busy webhooks most of the time, and renew nothing. Then
// it skips the row, too: the long transaction that has the lock is one of the job itself, and protects its claim. An
// error means that no lease is renewed; after an error of a later try, unknown has the jobs that were left.
func (q *Queue) Renew(ctx context.Context, lease time.Duration, all []Job) (unknown []Job, err error) {
	const tries = 10
	for try := 1; len(all) > 0; try++ {
		renewed, err := db.ManyNamed[int64](ctx, q.pool, renewLeases,
			fencesOf(all...), db.Args{"lease": lease.Seconds()})
		if err != nil && try == 1 {
			return all, fmt.Errorf("renew leases: %w", err)
		}
		if err != nil {
			return all, nil
		}
		if try == tries {
			return nil, nil
		}
		all = slices.DeleteFunc(slices.Clone(all), func(j Job) bool {
			return slices.ContainsFunc(j.ids, func(id int64) bool { return slices.Contains(renewed, id) })
		})
		select {
		case <-time.After(lease / 15 / tries):
		case <-ctx.Done():
			return all, nil
		}
	}
	return nil, nil
}

// The statements of CollapseClaim.
var (
	deleteUnlocked = db.Named("jobs.delete_unlocked",
		`DELETE FROM jobs WHERE`+unlocked)
	leaveToNextRun = db.Named("jobs.leave_to_next_run",
		`UPDATE jobs SET leased_until = NULL, attempts = 0 WHERE`+fencesCurrent)
	setAttempts = db.Named("jobs.set_attempts", `UPDATE jobs SET attempts = @attempts WHERE`+fencesCurrent)
)

// CollapseClaim reduces the rows of a claim by key to one, which stands for the others: otherwise
// each Chunk of a long run would write all of them. It is for kinds with arguments that follow from
// the key. If the claim is lost, it returns ErrFenced.
func (q *Queue) CollapseClaim(ctx context.Context, job *Job) error {
	if len(job.ids) == 1 {
		return nil
	}
	first, others := *job, *job
	first.ids, first.fences = job.ids[:1], job.fences[:1] // Name uses the first row
	others.ids, others.fences = job.ids[1:], job.fences[1:]
	err := db.InTx(ctx, q.pool, func(tx *sqlx.Tx) error {
		if _, err := db.ExecNamed(ctx, tx, deleteUnlocked, fencesOf(others)); err != nil {
			return err
		}
		// A row that an event relies on is left to the next run, without waiting for it.
		if _, err := db.ExecNamed(ctx, tx, leaveToNextRun, fencesOf(others)); err != nil {
			return err
		}
		return fence(ctx, tx, first, setAttempts, db.Args{"attempts": job.Attempt})
	})
	if err == nil {
		*job = first
	}
	return err
}
