package deliveries

import (
	"context"
	"fmt"

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

	// The results, valid if Taken.
	Taken    bool
	Endpoint finance.Webhook
	Opened   []Delivery // with an attempt opened and counted
	Full     bool       // more may be due
	Broken   bool       // a dead worker left an attempt open: no other was opened
}

// Round takes the turns of several runs in one transaction: it closes the ended attempts
// and opens the next ones, up to limit of each webhook, of deliveries that prepare completes.
// prepare may run more than once, as in InTx. Round never waits for a lock, so that no
// webhook delays another. It leaves a turn unchanged, not Taken, if the claim of the job is
// lost, the row of the job or the webhook is locked, or the webhook is deleted or not active.
// After an error no turn is taken and nothing is stored.
func Round(ctx context.Context, s *storage.Store, turns []*Turn, limit int,
	prepare func(*finance.Webhook, *Delivery)) error {
	var taken map[int64]*lockedTurn
	err := s.InTx(ctx, func(tx *storage.Tx) (err error) {
		if taken, err = lockTurns(ctx, tx, turns); err != nil || len(taken) == 0 {
			return err
		}
		return takeTurns(ctx, tx, taken, limit, prepare)
	})
	if err != nil {
		return fmt.Errorf("round of deliveries: %w", err)
	}
	for _, t := range taken {
		*t.of = t.Turn
	}
	return nil
}

// lockedTurn is a copy of a turn, with the job and the webhook locked. The original is changed
// after the commit only, because the transaction may be repeated.
type lockedTurn struct {
	Turn
	of *Turn
}

// lockTurns locks the jobs and the active webhooks of the turns, skips turns with a locked row,
// and returns the others by webhook.
func lockTurns(ctx context.Context, tx *storage.Tx, turns []*Turn) (map[int64]*lockedTurn, error) {
	type claim struct { // a run that lost its claim may have a turn, too
		Job   int64
		Fence int64 `db:"claims"`
	}
	var ids, fences, accounts, webhooks pq.Int64Array
	byClaim := map[claim]*Turn{}
	for _, t := range turns {
		if len(t.Job.IDs()) != 1 {
			continue
		}
		c := claim{t.Job.IDs()[0], t.Job.Fences()[0]}
		ids, fences = append(ids, c.Job), append(fences, c.Fence)
		accounts, webhooks = append(accounts, t.AccountID), append(webhooks, t.WebhookID)
		byClaim[c] = t
	}
	found, err := db.Many[struct {
		claim
		finance.Webhook
	}](ctx, tx.DB, selectTurns, ids, fences, accounts, webhooks)
	if err != nil {
		return nil, fmt.Errorf("lock the turns: %w", err)
	}
	locked := make(map[int64]*lockedTurn, len(found))
	for _, f := range found {
		of := byClaim[f.claim]
		t := &lockedTurn{*of, of}
		t.Endpoint, t.Taken = f.Webhook, true
		locked[f.ID] = t
	}
	return locked, nil
}

var selectTurns = db.CachePlan(`
	WITH fenced AS MATERIALIZED (
		SELECT j.id AS job, j.claims, n.account_id AS of_account, n.webhook_id AS of_webhook
		FROM unnest($1::bigint[], $2::int[], $3::bigint[], $4::bigint[]) AS n (id, claims, account_id, webhook_id)
		JOIN jobs j ON j.id = n.id AND j.claims = n.claims AND CASE WHEN j.leased_until IS NOT NULL THEN true END
		ORDER BY j.id FOR NO KEY UPDATE OF j SKIP LOCKED)
	SELECT job, claims, ` + webhookColumns + ` FROM fenced JOIN webhooks ON account_id = of_account
		AND id = of_webhook
	WHERE deleted_at IS NULL AND status = 'active'
	ORDER BY id FOR NO KEY UPDATE OF webhooks SKIP LOCKED`)

// takeTurns closes and opens the attempts of locked turns.
func takeTurns(ctx context.Context, tx *storage.Tx, turns map[int64]*lockedTurn, limit int,
	prepare func(*finance.Webhook, *Delivery)) error {
	var ended []Attempt
	var subscribers []Subscriber
	for _, t := range turns {
		ended, subscribers = append(ended, t.Ended...), append(subscribers, t.Subscriber)
	}
	failed, err := CloseAttempts(ctx, tx, ended)
	if err == nil && len(failed) > 0 {
		err = fmt.Errorf("deliveries %v failed, which is not for a round to settle", failed)
	}
	if err != nil {
		return err
	}
	due, err := Due(ctx, tx.Queries, subscribers, limit, len(ended))
	if err != nil {
		return err
	}
	return openTurns(ctx, tx, turns, due, limit, prepare)
}

// openTurns opens attempts of the due deliveries. It skips webhooks with an attempt that a dead
// worker left open.
func openTurns(ctx context.Context, tx *storage.Tx, turns map[int64]*lockedTurn, due []Delivery, limit int,
	prepare func(*finance.Webhook, *Delivery)) error {
	count := map[int64]int{}
	for _, d := range due {
		t := turns[d.WebhookID]
		t.Broken = t.Broken || d.Open
		count[d.WebhookID]++
		t.Full = count[d.WebhookID] == limit
	}
	var next []Delivery
	for _, d := range due {
		if t := turns[d.WebhookID]; !t.Broken {
			prepare(&t.Endpoint, &d)
			next = append(next, d)
		}
	}
	opened, err := OpenAttempts(ctx, tx, next)
	for _, d := range opened {
		t := turns[d.WebhookID]
		t.Opened = append(t.Opened, d)
	}
	return err
}
