package storage

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"bordero/internal/db"
	"bordero/jobs"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
)

// The advisory locks of this package are pairs of numbers; these are the first numbers.
const (
	keyTurns   = 7061 // the second is a hash of kind and key
	leadership = 7062
	sealing    = 7063
)

// Claim, renew, release and fail are single statements, without a Tx (Store). The effects of a job
// are committed by Complete, Finish, Chunk and Dead, behind its fence (decision 0002).

// Job is one claimed run. For a keyed kind it may comprise several rows.
type Job struct {
	ID          int64
	Kind        string
	Queue       string
	Key         string // empty for kinds without keys
	Args        string // JSON
	Cursor      string // as the last Chunk stored it; empty at the beginning
	AccountID   int64
	Attempt     int // the number of this attempt, from 1
	RequestID   string
	Traceparent string
	Rows        int           // how many due jobs of a key the claim took; 1 of other kinds
	Waited      time.Duration // from when the first of them was due until the claim

	lease       time.Duration
	ids, claims []int64 // the rows, each with its fence
}

// Name identifies the claim. A job that is lost and claimed again has two names.
func (j *Job) Name() string {
	return jobs.Ticket{ID: j.ids[0], Claims: int(j.claims[0])}.Name()
}

// Enqueue inserts a job that is due at once. The job is offered to the workers after the
// transaction has committed. Its row contains the request id and the trace of ctx.
func (tx *Tx) Enqueue(ctx context.Context, account int64, args jobs.Args) error {
	return tx.EnqueueAt(ctx, account, args, time.Time{})
}

// EnqueueAt inserts a job that falls due at the given time; zero, or a time that has passed,
// means at once.
func (tx *Tx) EnqueueAt(ctx context.Context, account int64, args jobs.Args, due time.Time) error {
	kind := args.Kind()
	key, text, err := storedJob(args)
	if err != nil {
		return err
	}
	row, err := db.One[struct {
		ID   int64
		Wait float64 // seconds
	}](ctx, tx.DB, enqueue.SQL, enqueue.Args(db.Args{
		"kind": kind.Name, "queue": kind.Queue, "key": key, "args": text, "account": account,
		"request": jobs.RequestID(ctx), "trace": jobs.Traceparent(ctx),
		"due": sql.NullTime{Time: due, Valid: !due.IsZero()},
	})...)
	if err != nil {
		return fmt.Errorf("enqueue %s: %w", kind.Name, err)
	}
	if wait := time.Duration(row.Wait * float64(time.Second)); wait <= jobs.SoonDue {
		tx.tickets = append(tx.tickets, jobs.Ticket{ID: row.ID, Kind: kind.Name, Queue: kind.Queue, Key: key.String,
			Wait: wait})
	}
	return nil
}

// enqueue is a plain INSERT: ON CONFLICT on the key would make all writers of one key wait.
var enqueue = db.Named("jobs.enqueue", insertJobs+`
	VALUES (@kind, @queue, @key, @args, @account, nullif(@request, ''), nullif(@trace, ''), greatest(@due, now()))
	RETURNING id, CAST(extract(epoch FROM due_at - now()) AS float8) AS wait`)

// insertJobs is the beginning of a statement that inserts jobs. storedJob returns the key and
// the arguments of a job as its row contains them.
const insertJobs = ` INSERT INTO jobs (kind, queue, key, args, account_id, request_id, traceparent, due_at) `

func storedJob(args jobs.Args) (key sql.NullString, text string, err error) {
	kind := args.Kind()
	if keyed, ok := args.(jobs.Keyed); ok {
		key = sql.NullString{String: keyed.Key(), Valid: true}
	}
	if key.Valid != (kind.Keyed || kind.Fair) {
		return key, "", fmt.Errorf("job kind %s: its Keyed or Fair and its arguments differ", kind.Name)
	}
	if kind.Fair && kind.Name != jobs.ImportStatementKind.Name {
		return key, "", fmt.Errorf("job kind %s: only imports can be fair, ClaimTurn claims no other kind", kind.Name)
	}
	b, err := json.Marshal(args)
	if err != nil {
		return key, "", fmt.Errorf("arguments of job kind %s: %w", kind.Name, err)
	}
	return key, string(b), nil
}

// free is the condition for jobs that can be claimed. The CASE hides it from the planner,
// which would trust the statistics of a queue that was empty a moment ago and scan all due
// rows: a claim uses the primary key, or kind and key.
const free = ` CASE WHEN failed_at IS NULL AND due_at <= now() THEN coalesce(leased_until < now(), true) END `

// Claims and renewals lock rows FOR NO KEY UPDATE, so they do not wait for events that rely
// on a job (emit), which lock FOR KEY SHARE.

// claim and claimed are the beginning and the end of a claim; counted has the assignments of a
// claim for the seconds of a @lease.
const claim = ` UPDATE jobs` + counted

// The fence is random. A standby that takes over may lack the claim of a run that continues; a counter
// would give its number to the next claim, and both runs would pass the fence.
const counted = ` SET claims = 1 + floor(random() * (1 << 30))::int, attempts = jobs.attempts + 1,
	leased_until = now() + make_interval(secs => @lease)`

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
	Claims      int64
	RequestID   string `db:"request_id"`
	Traceparent string
	Waited      float64 // seconds
}

// locked reports whether a statement with NOWAIT failed because a row is locked.
func locked(err error) bool { return pq.As(err, pqerror.LockNotAvailable) != nil }

// claimTickets inserts nothing: every id is that of an existing row, which it has locked. An UPDATE
// of an array of ids would scan the whole table while its plan is that of an empty one; the
// conflict finds each row by its primary key. Of two tickets for one job, the second claims nothing.
var claimTickets = db.Named("jobs.claim", `
	INSERT INTO jobs (id, kind, queue, args)
	SELECT found.* FROM unnest(@ids::bigint[], @kinds::text[]) ticket (id, kind) CROSS JOIN LATERAL (
		SELECT id, kind, queue, args FROM jobs
		WHERE id = ticket.id AND CASE WHEN kind = ticket.kind THEN`+free+`END FOR NO KEY UPDATE SKIP LOCKED) found
	ON CONFLICT (id) DO UPDATE`+counted+claimed)

var claimTicketsCached = db.CachePlan(claimTickets.SQL)

// Claim claims the free jobs among the tickets, each for the lease. It uses the id and the kind of
// a ticket. A ticket with another kind than its job claims nothing: tickets come through Redis,
// which is not trusted. Keyed kinds are claimed by ClaimKey, fair kinds by ClaimTurn.
func (s *Store) Claim(ctx context.Context, lease time.Duration, tickets []jobs.Ticket) ([]Job, error) {
	ids, kinds := make([]int64, len(tickets)), make([]string, len(tickets))
	for i, t := range tickets {
		ids[i], kinds[i] = t.ID, t.Kind
	}
	rows, err := db.Many[claimedRow](ctx, s.DB, claimTicketsCached, claimTickets.Args(db.Args{
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

// The statements of ClaimKey.
var (
	lockKey = db.Named("jobs.lock_key", `
		SELECT kind, key, pg_advisory_xact_lock(@key_turns, hashtext(kind || ' ' || key))::text AS turn
		FROM jobs j WHERE id = @id AND CASE WHEN kind = @kind THEN`+free+`END AND NOT EXISTS (
			SELECT FROM jobs running WHERE running.kind = j.kind AND running.key = j.key
			AND running.failed_at IS NULL AND running.leased_until >= now())`)
	claimKey = db.Named("jobs.claim_key", claim+`
		WHERE id = ANY(ARRAY(
			SELECT id FROM jobs WHERE kind = @kind AND key = @key AND`+free+`
			AND NOT EXISTS (
				SELECT FROM jobs running WHERE running.kind = @kind AND running.key = @key
				AND running.failed_at IS NULL AND running.leased_until >= now())
			FOR NO KEY UPDATE NOWAIT))`+claimed)
)

// ClaimKey claims all due jobs that have the key of the ticket's job, as one run. It returns nil
// without an error when the job is not free, is of another kind than the ticket, or when another
// job of the key is claimed.
func (s *Store) ClaimKey(ctx context.Context, lease time.Duration, t jobs.Ticket) (*Job, error) {
	var rows []claimedRow
	err := s.InTx(ctx, func(tx *Tx) error {
		// The advisory lock serialises claims of a key; the second statement sees the committed
		// result of the claim before. While a run of the key lasts, it is not even requested.
		row, err := db.One[struct{ Kind, Key, Turn string }](ctx, tx.DB, lockKey.SQL, lockKey.Args(db.Args{
			"id": t.ID, "kind": t.Kind, "key_turns": keyTurns,
		})...)
		if err != nil {
			return err
		}
		// A free row that is locked belongs to a run that commits after its lease has lapsed: SKIP
		// LOCKED would let another run of the key overlap it.
		rows, err = db.Many[claimedRow](ctx, tx.DB, claimKey.SQL, claimKey.Args(db.Args{
			"lease": lease.Seconds(), "kind": row.Kind, "key": row.Key,
		})...)
		return err
	})
	switch {
	case errors.Is(err, ErrNotFound), locked(err):
		return nil, nil // not claimed, which is no error
	case err != nil:
		return nil, fmt.Errorf("claim by key: %w", err)
	case len(rows) == 0:
		return nil, nil // as above
	}
	job := coalesced(lease, rows)
	return &job, nil
}

// Misnamed returns the tickets of existing jobs of another kind.
func (q Queries) Misnamed(ctx context.Context, tickets []jobs.Ticket) (wrong []jobs.Ticket, err error) {
	ids := make([]int64, len(tickets))
	for i, t := range tickets {
		ids[i] = t.ID
	}
	found, err := db.Many[struct {
		ID   int64
		Kind string
	}](ctx, q.DB, `SELECT id, kind FROM jobs WHERE id = ANY((SELECT $1::bigint[])::bigint[])`, pq.Array(ids))
	for _, t := range tickets {
		for _, f := range found {
			if f.ID == t.ID && f.Kind != t.Kind {
				wrong = append(wrong, t)
			}
		}
	}
	return wrong, err
}

// coalesced returns the job of a single claimed row, or of the claimed rows of one key: the
// newest row's, with the highest number of attempts. It has the cursor only if all rows do,
// since a row that joined after the last chunk needs a run from the beginning.
func coalesced(lease time.Duration, rows []claimedRow) Job {
	r := slices.MaxFunc(rows, func(a, b claimedRow) int { return cmp.Compare(a.ID, b.ID) })
	job := Job{
		ID: r.ID, Kind: r.Kind, Queue: r.Queue, Key: r.Key, Args: r.Args, Cursor: r.Cursor, AccountID: r.AccountID,
		RequestID: r.RequestID, Traceparent: r.Traceparent, Rows: len(rows), lease: lease,
	}
	for _, row := range rows {
		job.Waited = max(job.Waited, time.Duration(row.Waited*float64(time.Second)))
		job.Attempt = max(job.Attempt, row.Attempts)
		job.ids, job.claims = append(job.ids, row.ID), append(job.claims, row.Claims)
		if row.Cursor != job.Cursor {
			job.Cursor = ""
		}
	}
	return job
}

// claimsCurrent is the condition for the rows of jobs with a current claim.
const claimsCurrent = ` (id, claims) IN (SELECT * FROM unnest(@ids::bigint[], @claims::int[])) `

// leased excludes jobs that were failed or released since they were read. The CASE hides it
// from the planner, as in free.
const leased = ` CASE WHEN leased_until IS NOT NULL THEN true END `

// claimsOf returns the parameters of claimsCurrent.
func claimsOf(all ...Job) db.Args {
	var ids, claims pq.Int64Array
	for _, j := range all {
		ids, claims = append(ids, j.ids...), append(claims, j.claims...)
	}
	return db.Args{"ids": ids, "claims": claims}
}

var renewLeases = db.Named("jobs.renew", `
	UPDATE jobs SET leased_until = now() + make_interval(secs => @lease)
	WHERE id = ANY(ARRAY(SELECT id FROM jobs WHERE`+claimsCurrent+`AND`+leased+`FOR NO KEY UPDATE SKIP LOCKED))`)

// Renew restarts the leases of the jobs now. It skips jobs with a lost claim, and locked rows: a
// transaction of the job itself has the lock, which protects its claim.
func (s *Store) Renew(ctx context.Context, lease time.Duration, all []Job) error {
	_, err := db.Exec(ctx, s.DB, renewLeases.SQL,
		renewLeases.Args(claimsOf(all...), db.Args{"lease": lease.Seconds()})...)
	if err != nil {
		return fmt.Errorf("renew leases: %w", err)
	}
	return nil
}

// The statements of CollapseClaim.
var (
	deleteUnlocked = db.Named("jobs.delete_unlocked",
		`DELETE FROM jobs WHERE id = ANY(ARRAY(SELECT id FROM jobs WHERE`+claimsCurrent+`FOR UPDATE SKIP LOCKED))`)
	leaveToNextRun = db.Named("jobs.leave_to_next_run",
		`UPDATE jobs SET leased_until = NULL, attempts = 0 WHERE`+claimsCurrent)
	setAttempts = db.Named("jobs.set_attempts", `UPDATE jobs SET attempts = @attempts WHERE`+claimsCurrent)
)

// CollapseClaim reduces the rows of a claim by key to one, which stands for the others: otherwise
// each Chunk of a long run would write all of them. It is for kinds with arguments that follow from
// the key. If the claim is lost, it returns ErrFenced.
func (s *Store) CollapseClaim(ctx context.Context, job *Job) error {
	if len(job.ids) == 1 {
		return nil
	}
	first, others := *job, *job
	first.ids, first.claims = job.ids[:1], job.claims[:1] // Name uses the first row
	others.ids, others.claims = job.ids[1:], job.claims[1:]
	err := s.InTx(ctx, func(tx *Tx) error {
		if _, err := db.Exec(ctx, tx.DB, deleteUnlocked.SQL, deleteUnlocked.Args(claimsOf(others))...); err != nil {
			return err
		}
		// A row that an event relies on is left to the next run, without waiting for it.
		if _, err := db.Exec(ctx, tx.DB, leaveToNextRun.SQL, leaveToNextRun.Args(claimsOf(others))...); err != nil {
			return err
		}
		return tx.fence(ctx, first, setAttempts, db.Args{"attempts": job.Attempt})
	})
	if err == nil {
		*job = first
	}
	return err
}
