package queue

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"bordero/internal/db"
	"bordero/jobs"
)

// Enqueue inserts a job that falls due at the given time; zero, or a time that has passed, means at
// once. Its row contains the request id and the trace of ctx. The caller offers the ticket once the
// transaction has committed; without a ticket, the job falls due so late that the relay offers it.
func Enqueue(ctx context.Context, q db.Queryer, account int64, args jobs.Args, due time.Time) (*jobs.Ticket, error) {
	kind := args.Kind()
	key, text, err := Stored(args)
	if err != nil {
		return nil, err
	}
	row, err := db.OneNamed[struct {
		ID   int64
		Wait float64 // seconds
	}](ctx, q, enqueue, db.Args{
		"kind": kind.Name, "queue": kind.Queue, "key": key, "args": text, "account": account,
		"request": jobs.RequestID(ctx), "trace": jobs.Traceparent(ctx),
		"due": sql.NullTime{Time: due, Valid: !due.IsZero()},
	})
	if err != nil {
		return nil, fmt.Errorf("enqueue %s: %w", kind.Name, err)
	}
	wait := time.Duration(row.Wait * float64(time.Second))
	if wait > jobs.SoonDue {
		return nil, nil
	}
	return &jobs.Ticket{ID: row.ID, Kind: kind.Name, Queue: kind.Queue, Key: key.String, Wait: wait}, nil
}

// enqueue is a plain INSERT: ON CONFLICT on the key would make all writers of one key wait.
var enqueue = db.Named("jobs.enqueue", InsertJobs+`
	VALUES (@kind, @queue, @key, @args, @account, nullif(@request, ''), nullif(@trace, ''), greatest(@due, now()))
	RETURNING id, CAST(extract(epoch FROM due_at - now()) AS float8) AS wait`)

// InsertJobs is the beginning of a statement that inserts jobs. Stored
// returns the key and the arguments.
const InsertJobs = ` INSERT INTO jobs (kind, queue, key, args, account_id, request_id, traceparent, due_at) `

// Stored returns the key and the arguments of a job as its row contains them. It refuses a keyed
// kind without a key, and a fair kind other than imports.
func Stored(args jobs.Args) (key sql.NullString, text string, err error) {
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
