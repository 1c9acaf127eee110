package deliveries

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"
	"bordero/storage/queue"

	"github.com/lib/pq"
)

// A Turn is the part of one run in a round of deliveries (decision 0027).
type Turn struct {
	Job *queue.Job
	Subscriber
	Ended []Attempt // to be closed; no attempt may fail its delivery
	// Posting has the deliveries of attempts that still go on. They count towards the limit of the round.
	Posting []int64
	// Since limits the turn to deliveries that fell due later, by PostgreSQL's clock; zero for all. While another
	// session holds a snapshot, the dead index entries of earlier ones stay, and each turn would read them.
	Since time.Time

	// The results, valid if Taken.
	Taken    bool
	Endpoint finance.Webhook
	Opened   []Delivery // with an attempt opened and counted
	Full     bool       // more may be due
	// Obstructed means that a dead worker left an attempt open, or that this release does not know the family of
	// a due delivery: the round opened no attempt.
	Obstructed bool
	// First is when the first due delivery fell due, by PostgreSQL's clock; the beginning of the round if none is due.
	First time.Time
	// Next is the time until another pending delivery falls due, at most an hour.
	Next time.Duration
}

// Rounds takes the turns of runs, each round in one statement.
type Rounds struct {
	store *storage.Store
	limit int
	round db.Statement
	sized db.Sized
}

// NewRounds returns rounds after which up to limit attempts of each webhook are open.
func NewRounds(s *storage.Store, limit int) *Rounds {
	statement := db.Bind(roundOf(limit))
	return &Rounds{s, limit, statement, db.BySize(statement.SQL)}
}

// Take takes the turns of several runs: it closes the ended attempts, and opens the next ones. Each counts from
// then on, whatever happens. The body of a delivery is stored with the first attempt that is closed.
//
// Take never waits for a lock, so that no webhook delays another. It leaves a turn unchanged, not Taken, if the
// claim of the job is lost, the row of the job or the webhook is locked, or the webhook is deleted or not active.
// After an error no turn is taken and nothing is stored, unless the commit's answer was lost: then the attempts that
// it opened obstruct the next turn.
//
// Take opens no attempt of a delivery that is committed after the statement has begun, or fell due before
// Since. Its event wakes the run.
func (r *Rounds) Take(ctx context.Context, turns []*Turn) error {
	var jobs, fences, accounts, webhooks, rooms, turnOf, posting, postingOf pq.Int64Array
	var since []time.Time
	var ended []Attempt
	for i, t := range turns {
		jobs, fences = append(jobs, t.Job.IDs()[0]), append(fences, t.Job.Fences()[0]) // CollapseClaim leaves one
		accounts, webhooks = append(accounts, t.AccountID), append(webhooks, t.WebhookID)
		since, rooms = append(since, t.Since), append(rooms, int64(max(r.limit-len(t.Posting), 0)))
		for _, a := range t.Ended {
			ended, turnOf = append(ended, a), append(turnOf, int64(i+1))
		}
		for _, id := range t.Posting {
			posting, postingOf = append(posting, id), append(postingOf, int64(i+1))
		}
	}
	args := r.round.Args(endedArgs(ended, turnOf), db.Args{
		"jobs": jobs, "fences": fences, "subscribers": accounts, "webhooks": webhooks,
		"since": pq.Array(since), "families": knownFamilies, "rooms": rooms, "posting": posting,
		"posting_of": postingOf,
	})
	rows, err := db.Many[roundRow](ctx, r.store.DB, r.sized.Of(len(ended)), args...)
	if err != nil {
		return fmt.Errorf("round of deliveries: %w", err)
	}
	for _, row := range rows {
		t := turns[row.Turn-1]
		t.Taken, t.Endpoint, t.Full, t.Obstructed = true, row.Webhook, row.Full, row.Obstructed
		t.First, t.Next = row.First, time.Duration(row.NextIn*float64(time.Second))
		if row.Opened.ID != 0 {
			t.Opened = append(t.Opened, row.Opened)
		}
	}
	return nil
}

// roundRow is a row of the result of a round: a turn, with a delivery if the round opened an attempt.
type roundRow struct {
	Turn       int
	Full       bool
	Obstructed bool
	First      time.Time
	NextIn     float64 // seconds
	finance.Webhook
	Opened Delivery
}

// knownFamilies are the families of events that this release can deliver.
var knownFamilies = pq.Array(finance.Families)

var _ = db.Named("deliveries.round", roundOf(16))

// roundOf returns the statement of a round. The limit is a part of it: a plan for an unknown limit would cost more
// than planning each execution.
func roundOf(limit int) string {
	number := strconv.Itoa(limit)
	return `
		WITH locked_jobs AS MATERIALIZED (
			SELECT n.turn, n.account_id AS of_account, n.webhook_id AS of_webhook
			FROM unnest(@jobs::bigint[], @fences::int[], @subscribers::bigint[], @webhooks::bigint[])
				WITH ORDINALITY AS n (id, claims, account_id, webhook_id, turn)
			JOIN jobs j ON j.id = n.id AND j.claims = n.claims AND CASE WHEN j.leased_until IS NOT NULL THEN true END
			ORDER BY j.id FOR NO KEY UPDATE OF j SKIP LOCKED),
		taken AS MATERIALIZED (
			SELECT turn, ` + webhookColumns + ` FROM locked_jobs JOIN webhooks ON account_id = of_account
				AND id = of_webhook
			WHERE deleted_at IS NULL AND status = 'active'
			ORDER BY id FOR NO KEY UPDATE OF webhooks SKIP LOCKED),
		ended AS MATERIALIZED (
			SELECT * FROM` + endedAttempts + `
			WHERE turn IN (SELECT turn FROM taken) AND (delivered OR number < allowed)),` + closedAttempts + `,
		posting AS MATERIALIZED (SELECT * FROM unnest(@posting_of::int[], @posting::bigint[]) AS p (turn, id)),
		due AS MATERIALIZED (
			SELECT w.turn, d.* FROM taken w CROSS JOIN LATERAL (
				SELECT * FROM (
					SELECT id, account_id, next_at, attempts_count,` + obstructs + `
					FROM` + dueDeliveries + ` AND next_at > (@since::timestamptz[])[w.turn]
						AND NOT EXISTS (SELECT FROM ended e WHERE e.account_id = d.account_id AND e.id = d.id)
						AND NOT EXISTS (SELECT FROM posting p WHERE p.turn = w.turn AND p.id = d.id)
					ORDER BY next_at, id LIMIT ` + number + `) d
				ORDER BY next_at, id LIMIT (@rooms::int[])[w.turn]) d),
		batches AS MATERIALIZED (
			SELECT turn, count(*) = (@rooms::int[])[turn] AS "full", bool_or(open OR NOT known) AS obstructed,
				min(next_at) AS first FROM due GROUP BY turn),
		opened AS (
			UPDATE deliveries d SET attempts_count = d.attempts_count + 1 FROM due, batches
			WHERE batches.turn = due.turn AND NOT obstructed AND d.account_id = due.account_id AND d.id = due.id
				AND d.attempts_count = due.attempts_count -- no other session has opened one meanwhile
				AND` + stillPending + `AND d.next_at <= now()
			RETURNING due.turn, d.*),
		new_attempts AS (
			INSERT INTO delivery_attempts (account_id, delivery_id, number, request_id)
			SELECT account_id, id, attempts_count, encode(uuid_send(gen_random_uuid()), 'hex') FROM opened
			RETURNING delivery_id, request_id),
		again AS MATERIALIZED (
			SELECT webhook_id, min(next_at) AS next_at FROM closed_deliveries WHERE status = 'pending'
			GROUP BY webhook_id)
		SELECT w.*, coalesce("full", false) AS "full", coalesce(obstructed, false) AS obstructed,
			coalesce(first, now()) AS first,
			CAST(extract(epoch FROM least(
				(SELECT next_at FROM deliveries d WHERE webhook_id = w.id AND` + sameAccount + `AND status = 'pending'
					AND next_at > now() ORDER BY next_at, id LIMIT 1),
				again.next_at, now() + interval '1 hour') - now()) AS float8) AS next_in,
			coalesce(d.id, 0) AS "opened.id", coalesce(d.account_id, 0) AS "opened.account_id",
			coalesce(family, '') AS "opened.family", coalesce(action, '') AS "opened.action",
			coalesce(record_id, 0) AS "opened.record_id", coalesce(d.entity_id, 0) AS "opened.entity_id",
			coalesce(parent_id, 0) AS "opened.parent_id", coalesce(change_id, 0) AS "opened.change_id",
			coalesce(d.created_at, now()) AS "opened.created_at",
			coalesce(attempts_count, 0) AS "opened.attempts_count",
			coalesce(attempts_allowed, 0) AS "opened.attempts_allowed", body AS "opened.body",
			coalesce(request_id, '') AS "opened.request_id", coalesce(traceparent, '') AS "opened.traceparent"
		FROM taken w LEFT JOIN batches ON batches.turn = w.turn LEFT JOIN opened d ON d.turn = w.turn
			LEFT JOIN new_attempts a ON a.delivery_id = d.id LEFT JOIN again ON again.webhook_id = w.id
		ORDER BY w.turn, d.id`
}
