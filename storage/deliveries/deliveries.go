// Package deliveries has the attempts to deliver events to webhooks: due deliveries, rounds of attempts,
// their log, holding and removal. Emit, in storage, inserts deliveries; nothing else there depends on them.
package deliveries

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/jobs"
	"bordero/storage"

	"github.com/lib/pq"
)

// This file is the workers' side of deliveries; log.go is the users' side. All writes of a
// run name the fence of its job, so that only one worker at a time opens and closes attempts of a
// webhook.

// Delivery is a delivery with an open attempt.
type Delivery struct {
	ID              int64
	AccountID       int64
	Family          finance.Family
	Action          finance.Action
	RecordID        int64
	EntityID        int64 // of the record; 0 for a record of the account
	ParentID        int64 // the record above; 0 if there is no such record
	ChangeID        int64 // 0 for an event of the release before
	CreatedAt       time.Time
	AttemptsCount   int // the number of the attempt
	AttemptsAllowed int
	Body            []byte // empty until an attempt has been closed that was not interrupted
	RequestID       string // of the attempt
	Traceparent     string // of the request or job that emitted the event; may be empty
}

// Attempt is the result of an attempt.
type Attempt struct {
	AccountID  int64
	DeliveryID int64
	Number     int
	Allowed    int // AttemptsAllowed of the delivery when this one was opened
	Delivered  bool
	Last       bool          // no attempt is left: the delivery fails unless this one delivered it
	Code       int           // status of the answer; 0 without an answer
	Error      string        // a sentence for users; empty without an error
	Excerpt    string        // the beginning of the answer
	Took       time.Duration // negative if unknown
	Again      time.Duration // from now until the next attempt, unless a redelivery is requested meanwhile
	Body       []byte        // as it was posted; stored with the first attempt that has one; empty if interrupted
}

// Subscriber identifies the webhook to which a run delivers.
type Subscriber struct{ AccountID, WebhookID int64 }

// sameAccount is the condition on the account of w, hidden from the planner. By the statistics
// of a table that was empty a moment ago, the planner would expect all deliveries of an account
// to be as few as the pending ones of a webhook.
const sameAccount = ` CASE WHEN d.account_id = w.account_id THEN true END `

// dueDeliveries are the due deliveries of a webhook w.
const dueDeliveries = `
	deliveries d WHERE webhook_id = w.id AND` + sameAccount + `
		AND status = 'pending' AND next_at <= now()`

// obstructs has the columns by which a due delivery obstructs the turns of its webhook, see Obstacle.
const obstructs = `
	family = ANY(CAST(@families AS text[])) AS known,
	attempts_count > 0 AND EXISTS (
		SELECT FROM delivery_attempts a WHERE a.account_id = d.account_id AND a.delivery_id = d.id
			AND a.number = d.attempts_count AND a.finished_at IS NULL) AS open`

// stillPending is hidden from the planner. By statistics from a time when few deliveries were
// pending, the index of pending ones seems as good as the primary key, and each batch would
// read a whole backlog.
const stillPending = ` CASE WHEN d.status = 'pending' THEN true END `

// CloseAttempts stores the results of attempts and updates their deliveries: delivered, failed if
// no attempt is left, otherwise pending until the next attempt. It returns the ids of the
// deliveries that failed. It does not change an attempt that is already closed. If a redelivery was
// requested during the attempt, which changes the attempts allowed, the next attempt is due at
// once.
func CloseAttempts(ctx context.Context, tx *storage.Tx, all []Attempt) ([]int64, error) {
	if len(all) == 0 {
		return nil, nil
	}
	failed, err := db.Many[int64](ctx, tx.DB, closeAttemptsBySize.Of(len(all)),
		closeAttempts.Args(endedArgs(all, make(pq.Int64Array, len(all))))...)
	if err != nil {
		return nil, fmt.Errorf("close attempts: %w", err)
	}
	return failed, nil
}

// endedArgs returns the parameters of endedAttempts. turns has the turn of each attempt.
func endedArgs(all []Attempt, turns pq.Int64Array) db.Args {
	n := len(all)
	accounts, ids, numbers, allowed := make(pq.Int64Array, n), make(pq.Int64Array, n), make(pq.Int64Array, n),
		make(pq.Int64Array, n)
	codes, delivered, bodies := make(pq.Int64Array, n), make(pq.BoolArray, n), make(pq.ByteaArray, n)
	errs, excerpts := make(pq.StringArray, n), make(pq.StringArray, n)
	took, again := make(pq.Float64Array, n), make(pq.Float64Array, n)
	for i, a := range all {
		accounts[i], ids[i], numbers[i], codes[i], delivered[i] = a.AccountID, a.DeliveryID, int64(a.Number),
			int64(a.Code), a.Delivered
		errs[i], excerpts[i], allowed[i], bodies[i] = a.Error, a.Excerpt, int64(a.Allowed), a.Body
		took[i], again[i] = a.Took.Seconds(), a.Again.Seconds()
	}
	return db.Args{
		"turns": turns, "accounts": accounts, "ids": ids, "numbers": numbers, "codes": codes, "delivered": delivered,
		"errors": errs, "excerpts": excerpts, "took": took, "again": again, "allowed": allowed, "bodies": bodies,
	}
}

// endedAttempts are the rows of endedArgs.
const endedAttempts = `
	unnest(@turns::int[], @accounts::bigint[], @ids::bigint[], @numbers::int[], @codes::int[], @delivered::bool[],
		@errors::text[], @excerpts::text[], @took::float8[], @again::float8[], @allowed::int[], @bodies::bytea[])
		AS e (turn, account_id, id, number, code, delivered, error, excerpt, took, again, allowed, body)`

// closedAttempts closes the attempts of the CTE ended. An empty body stands for NULL: pq.ByteaArray has no
// NULL, and 0.3.0 stored an empty body for each interrupted attempt.
const closedAttempts = `
	closed_attempts AS (
		UPDATE delivery_attempts a SET response_code = nullif(e.code, 0), error = nullif(e.error, ''),
			response_excerpt = nullif(e.excerpt, ''),
			finished_at = CASE WHEN e.took < 0 THEN now() ELSE started_at + make_interval(secs => e.took) END
		FROM ended e WHERE a.account_id = e.account_id AND a.delivery_id = e.id AND a.number = e.number
			AND a.finished_at IS NULL
		RETURNING a.account_id, a.delivery_id, a.number, e.delivered, e.again, e.allowed, e.body),
	closed_deliveries AS (
		UPDATE deliveries d SET
			status = CASE WHEN c.delivered THEN 'delivered' WHEN attempts_count >= attempts_allowed THEN 'failed'
				ELSE 'pending' END,
			delivered_at = CASE WHEN c.delivered THEN now() END,
			next_at = now() + make_interval(secs => CASE WHEN d.attempts_allowed = c.allowed THEN c.again ELSE 0 END),
			body = coalesce(nullif(d.body, ''), nullif(c.body, ''))
		FROM closed_attempts c WHERE d.account_id = c.account_id AND d.id = c.delivery_id
			AND d.attempts_count = c.number AND` + stillPending + `
		RETURNING d.id, d.webhook_id, d.status, d.next_at)`

var closeAttempts = db.Named("deliveries.close_attempts", `
	WITH ended AS MATERIALIZED (SELECT * FROM`+endedAttempts+`),`+closedAttempts+`
	SELECT id FROM closed_deliveries WHERE status = 'failed' ORDER BY id`)

var closeAttemptsBySize = db.BySize(closeAttempts.SQL)

// Obstacle is a due delivery of which no round opens an attempt.
type Obstacle struct {
	Delivery
	Open  bool // the worker died before it closed the last attempt
	Known bool // this release can deliver events of the family
}

// Obstacles reads the due deliveries of a locked webhook, of the first limit ones, that obstruct its turns.
func Obstacles(ctx context.Context, tx *storage.Tx, of Subscriber, limit int) ([]Obstacle, error) {
	return db.ManyNamed[Obstacle](ctx, tx.DB, obstacles, db.Args{
		"account": of.AccountID, "webhook": of.WebhookID, "limit": limit, "families": knownFamilies,
	})
}

var obstacles = db.Named("deliveries.obstacles", `
	SELECT d.* FROM (SELECT @account::bigint AS account_id, @webhook::bigint AS id) w CROSS JOIN LATERAL (
		SELECT id, account_id, family, attempts_count, attempts_allowed,`+obstructs+`
		FROM`+dueDeliveries+` ORDER BY next_at, id LIMIT @limit) d
	WHERE d.open OR NOT d.known ORDER BY d.id`)

// Enqueue enqueues the next run of a webhook, in the transaction that ends a run: a job that
// falls due with the first pending delivery, unless there is one already. So a pending delivery
// of an active webhook always has a job. If the webhook is in error, its pending deliveries
// become held.
func Enqueue(ctx context.Context, tx *storage.Tx, account, webhook int64) error {
	ask := jobs.DeliverWebhook{AccountID: account, WebhookID: webhook}
	next, err := db.One[struct {
		Status finance.WebhookStatus
		NextAt *time.Time
		Asked  bool
	}](ctx, tx.DB, `
		SELECT w.status, n.next_at, EXISTS (
			SELECT FROM jobs WHERE kind = $3 AND key = $4 AND failed_at IS NULL
				AND due_at <= greatest(n.next_at, now())) AS asked
		FROM webhooks w LEFT JOIN LATERAL (
			SELECT next_at FROM deliveries d WHERE webhook_id = $2 AND`+sameAccount+
		`AND status = 'pending' ORDER BY next_at, id LIMIT 1) n ON true
		WHERE w.account_id = $1 AND w.id = $2 AND w.deleted_at IS NULL`, account, webhook, ask.Kind().Name, ask.Key())
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return nil // the deliveries are removed with the webhook
	case err != nil:
		return fmt.Errorf("look for what is pending: %w", err)
	case next.NextAt == nil:
		return nil
	case next.Status == finance.WebhookActive:
		if next.Asked {
			return nil
		}
		return tx.EnqueueAt(ctx, account, ask, *next.NextAt)
	}
	w, err := lockWebhookForDelete(ctx, tx, account, webhook) // a verification meanwhile has enqueued a run itself
	if errors.Is(err, storage.ErrNotFound) || err == nil && w.Status == finance.WebhookActive {
		return nil
	}
	if err != nil {
		return err
	}
	return Align(ctx, tx, &w, StatusesAtOnce)
}

// Failure has the data of the mail to the administrators of an account.
type Failure struct {
	URL         string
	Description string // may be empty
	Entity      string // its name
	Event       string // sales.created
	CreatedAt   time.Time
	FailedAt    time.Time // of the attempt
	Error       *string
	Attempts    int // up to it
}

// ReadFailure reads the result of an attempt of a delivery, by its number; 0 is the last one. If the delivery, its
// webhook or the entity is deleted, or the webhook is not in error because of this attempt (any more), it returns
// ErrNotFound.
func ReadFailure(ctx context.Context, q storage.Queries, account, webhook, delivery int64, attempt int) (Failure,
	error) {
	return db.One[Failure](ctx, q.DB, `
		SELECT w.url, coalesce(w.description, '') AS description, e.name AS entity, family || '.' || action AS event,
			d.created_at, coalesce(a.finished_at, now()) AS failed_at,
			a.error, a.number AS attempts
		FROM deliveries d JOIN webhooks w ON w.account_id = d.account_id AND w.id = d.webhook_id
		JOIN entities e ON e.account_id = w.account_id AND e.id = w.entity_id
		JOIN delivery_attempts a ON a.account_id = d.account_id AND a.delivery_id = d.id
			AND a.number = coalesce(nullif($4, 0), d.attempts_count)
		WHERE d.account_id = $1 AND d.webhook_id = $2 AND d.id = $3
			AND w.status = 'error' AND w.error_delivery_id = d.id
			AND NOT EXISTS (SELECT FROM delivery_attempts later WHERE later.account_id = d.account_id
				AND later.delivery_id = d.id AND later.number > a.number AND later.finished_at <= w.error_since)
			AND w.deleted_at IS NULL AND e.deleted_at IS NULL`, account, webhook, delivery, attempt)
}
