package storage

import (
	"context"
	"math"
	"strconv"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/jobs"
)

// Emit records an event in the transaction of the change, whose records are locked: its
// changes (changes.go), one delivery per record and webhook of the entity (of the account
// for account-level records) that asks for the event, held while the webhook is in error, and
// one job per webhook that is not in error and has no due job. Without such a webhook it
// writes only the changes.
func (tx *Tx) Emit(ctx context.Context, e finance.Event) error {
	return tx.emit(ctx, e, `SELECT unnest($6::bigint[]) AS id, NULL::bigint AS parent_id`, e.IDs)
}

// emitTransactions is Emit for transactions of several deposit accounts: the parent of
// each is its own deposit account.
func (tx *Tx) emitTransactions(ctx context.Context, e finance.Event) error {
	return tx.emit(ctx, e, `SELECT id, deposit_account_id AS parent_id FROM financial_transactions
		WHERE account_id = $1 AND id = ANY($6::bigint[])`, e.IDs)
}

// emitImported is Emit for the transactions that a statement imported. Their ids never
// leave the database.
func (tx *Tx) emitImported(ctx context.Context, e finance.Event, statement int64) error {
	return tx.emit(ctx, e, `SELECT id, NULL::bigint AS parent_id FROM financial_transactions WHERE account_id = $1 AND bank_statement_id = $6`, statement)
}

// eachWebhook is the placeholder for the webhook's id in the key and the arguments of
// the jobs that emit inserts. No webhook has this id.
const eachWebhook = math.MaxInt64

// emit writes the changes and the deliveries of the records that the query returns and
// enqueues the jobs that deliver them, in one statement, because every change pays for it.
// The query's parameter is $6; its parent_id replaces the event's where it is not null. Sharing the
// webhook's row, which the foreign key does anyway, fixes its status until the event
// commits: a change of the status waits for the event or is seen by it.
//
// A webhook that has a due job gets no other one, unless that job has failed before and
// may have to wait for its next attempt. emit shares the job's row: a run deletes only a
// job that no event has locked (Finish), and reads the pending deliveries in a later
// statement. So the run sees the delivery of an event that relied on its job, or the job
// remains. A job that is being deleted is locked already and is skipped. A running job is
// woken; one whose lease has lapsed is offered again.
//
// A change of what the worker reconciles automatically enqueues its job too.
func (tx *Tx) emit(ctx context.Context, e finance.Event, records string, arg any) error {
	kind := jobs.DeliverWebhookKind
	key, args, err := storedJob(jobs.DeliverWebhook{AccountID: e.AccountID, WebhookID: eachWebhook})
	if err != nil {
		return err
	}
	by := jobs.Author(ctx)
	matching, matched := "", ""
	if days := daysToReconcile(e, records); days != "" {
		matching = `, matching AS (` + reconcileAround(days) + `)`
		matched = ` UNION ALL SELECT * FROM matching`
	}
	asked, err := db.Many[jobs.Ticket](ctx, tx.DB, `
		WITH changed AS (
			INSERT INTO unsealed_changes (account_id, family, action, entity_id, parent_id, record_ids, request_id, user_id, token, job, attributes, concerns)
			SELECT $1, $2, $3, nullif($4::bigint, 0), parent_id, array_agg(id ORDER BY id), nullif($13, ''),
				nullif($15::bigint, 0), nullif($16, ''), nullif($17, ''), nullif($18, ''), $19::text[]
			FROM (
				SELECT id, parent_id, (row_number() OVER (PARTITION BY parent_id ORDER BY id) - 1) / `+changeIDs+` AS part
				FROM (SELECT r.id, coalesce(r.parent_id, nullif($5::bigint, 0)) AS parent_id FROM (`+records+`) r) r) r
			GROUP BY parent_id, part ORDER BY parent_id, part
			RETURNING id, parent_id, record_ids),
		subscribed AS MATERIALIZED (
			SELECT id, status FROM webhooks
			WHERE account_id = $1 AND ($4 = 0 OR entity_id = $4) AND deleted_at IS NULL AND $14
				AND (events IS NULL OR events && ARRAY[$2::text || '.*', $2 || '.' || $3::text])
			ORDER BY id FOR KEY SHARE),
		told AS (
			INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id, parent_id, traceparent, status, change_id)
			SELECT $1, w.id, $2, $3, r.id, nullif($4::bigint, 0), c.parent_id, nullif($7, ''),
				CASE w.status WHEN 'error' THEN 'held' ELSE 'pending' END, c.id
			FROM subscribed w, changed c, unnest(c.record_ids) AS r (id)
			RETURNING webhook_id, status),
		asked AS (
			SELECT replace($10, $12, webhook_id::text) AS key, replace($11, $12, webhook_id::text) AS args
			FROM told WHERE status = 'pending' GROUP BY webhook_id),
		going AS MATERIALIZED (
			SELECT asked.key, j.id, j.claims, j.running FROM asked CROSS JOIN LATERAL (
				SELECT id, claims, leased_until >= now() AS running FROM jobs
				WHERE kind = $8 AND key = asked.key AND CASE WHEN failed_at IS NULL AND due_at <= now() AND attempts <= 1 THEN true END
				LIMIT 1 FOR KEY SHARE SKIP LOCKED) j),
		fresh AS (`+insertJobs+`
			SELECT $8, $9, key, args, $1, nullif($13, ''), nullif($7, ''), now() FROM asked
			WHERE NOT EXISTS (SELECT FROM going WHERE going.key = asked.key)
			RETURNING id, kind, queue, key)`+matching+`
		SELECT id, 0 AS claims, kind, queue, key, false AS running FROM fresh
		UNION ALL SELECT CASE WHEN running THEN 0 ELSE id END, claims, $8, $9, key, running FROM going WHERE running IS NOT NULL`+matched,
		e.AccountID, e.Family, e.Action, e.EntityID, e.ParentID, arg, jobs.Traceparent(ctx),
		kind.Name, kind.Queue, key, args, strconv.FormatInt(eachWebhook, 10), jobs.RequestID(ctx),
		e.Family.Notifies(), by.UserID, by.Token, by.Job, e.Attributes, familyNames(e.Concerns))
	if err != nil {
		return err
	}
	tx.changed(asked)
	return nil
}
