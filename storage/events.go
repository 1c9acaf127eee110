package storage

import (
	"context"
	"math"
	"strconv"

	"bordero/finance"
	"bordero/jobs"
)

// Emit says that something happened to records, in the transaction of the
// change: one delivery per record and webhook of the entity (of the account for
// account-level records), held while the webhook is in error, and one job per
// webhook that is not, unless it has one that is due. Without a subscriber it writes
// nothing.
func (tx *Tx) Emit(ctx context.Context, e finance.Event) error {
	return tx.emit(ctx, e, `SELECT unnest($6::bigint[]) AS id, NULL::bigint AS parent_id`, e.IDs)
}

// EmitTransactions is Emit for transactions of several deposit accounts: each has
// its own as parent.
func (tx *Tx) EmitTransactions(ctx context.Context, e finance.Event) error {
	return tx.emit(ctx, e, `SELECT id, deposit_account_id AS parent_id FROM financial_transactions
		WHERE account_id = $1 AND id = ANY($6::bigint[])`, e.IDs)
}

// emitImported is Emit for the transactions that a statement brought: set-based,
// their ids never leave the database.
func (tx *Tx) emitImported(ctx context.Context, e finance.Event, statement int64) error {
	return tx.emit(ctx, e, `SELECT id, NULL::bigint AS parent_id FROM financial_transactions WHERE account_id = $1 AND bank_statement_id = $6`, statement)
}

// eachWebhook stands for the webhook in the job that emit keeps for each: it is
// the id of none.
const eachWebhook = math.MaxInt64

// emit writes the deliveries of the records that the query gives, whose
// parameter is $6, each with its parent where that is not the event's, and asks
// for them, in one statement: every change pays for it. The lock of a webhook, which the
// foreign key takes anyway, makes the status the one that holds when the event
// commits: a change of it waits for the event or is seen by it.
//
// A webhook that has a due job gets no other one, unless that has been tried before and
// may have to wait for its next try. The job is locked against its end: a run deletes
// only a job that no event has locked (Finish), and then looks for what is pending in
// a later statement, so a delivery whose event relied on the job is seen by it, or the
// job is still there. A job that is being deleted is locked already and counts for
// nothing. A run that goes on is woken; one whose lease has lapsed is offered again.
func (tx *Tx) emit(ctx context.Context, e finance.Event, records string, arg any) error {
	kind := jobs.DeliverWebhookKind
	key, args, err := keptJob(jobs.DeliverWebhook{AccountID: e.AccountID, WebhookID: eachWebhook})
	if err != nil {
		return err
	}
	asked, err := many[jobs.Ticket](ctx, tx.q, `
		WITH subscribed AS MATERIALIZED (
			SELECT id, status FROM webhooks
			WHERE account_id = $1 AND ($4 = 0 OR entity_id = $4) AND deleted_at IS NULL ORDER BY id FOR KEY SHARE),
		told AS (
			INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id, parent_id, traceparent, status)
			SELECT $1, w.id, $2, $3, r.id, nullif($4::bigint, 0), coalesce(r.parent_id, nullif($5::bigint, 0)), nullif($7, ''),
				CASE w.status WHEN 'error' THEN 'held' ELSE 'pending' END
			FROM subscribed w, (`+records+`) r
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
			RETURNING id, kind, queue, key)
		SELECT id, 0 AS claims, kind, queue, key, false AS running FROM fresh
		UNION ALL SELECT CASE WHEN running THEN 0 ELSE id END, claims, $8, $9, key, running FROM going WHERE running IS NOT NULL`,
		e.AccountID, e.Family, e.Action, e.EntityID, e.ParentID, arg, jobs.Traceparent(ctx),
		kind.Name, kind.Queue, key, args, strconv.FormatInt(eachWebhook, 10), jobs.RequestID(ctx))
	if err != nil {
		return err
	}
	tx.tickets = append(tx.tickets, asked...)
	return nil
}
