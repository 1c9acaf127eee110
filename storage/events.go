package storage

import (
	"context"
	"math"
	"strconv"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/jobs"
	"bordero/storage/queue"
)

// Emit records an event in the transaction of the change, whose records are locked: its
// changes (changes.go), one delivery per record and webhook of the entity (of the account
// for account-level records) that asks for the event, held while the webhook is in error, and
// one job per webhook that is not in error and has no due job. Without such a webhook it
// writes only the changes.
func (tx *Tx) Emit(ctx context.Context, e finance.Event) error {
	return tx.emit(ctx, e, emitIDs, db.Args{"ids": e.IDs})
}

var emitIDs = emissionOf("emit", `SELECT unnest(@ids::bigint[]) AS id, NULL::bigint AS parent_id`,
	nothing, allDays, daysOfAccounts, daysOfTransactions)

// emitTransactions is Emit for transactions of several deposit accounts: the parent of
// each is its own deposit account.
func (tx *Tx) emitTransactions(ctx context.Context, e finance.Event) error {
	return tx.emit(ctx, e, emitOwnParents, db.Args{"ids": e.IDs})
}

var emitOwnParents = emissionOf("emit.transactions", `SELECT id, deposit_account_id AS parent_id
	FROM financial_transactions
	WHERE account_id = @account AND id = ANY(@ids::bigint[])`, nothing, daysOfTransactions)

// emitImported is Emit for the transactions that a statement imported. Their ids never
// leave the database.
func (tx *Tx) emitImported(ctx context.Context, e finance.Event, statement int64) error {
	return tx.emit(ctx, e, emitOfStatement, db.Args{"statement": statement})
}

var emitOfStatement = emissionOf("emit.imported", `SELECT id, NULL::bigint AS parent_id FROM financial_transactions
	WHERE account_id = @account AND bank_statement_id = @statement`, daysOfTransactions)

// eachWebhook is the placeholder for the webhook's id in the key and the arguments of
// the jobs that emit inserts. No webhook has this id.
const eachWebhook = math.MaxInt64

// emission has the statements of emit for the records of a query, by the days to reconcile after the
// event.
type emission map[reconcileDays]db.Statement

// emissionOf returns the statements for a query of ids and parents of records, for the days of
// their events.
func emissionOf(name, records string, days ...reconcileDays) emission {
	all := emission{}
	for _, d := range days {
		full := name
		if d != nothing {
			full += ".reconcile_" + string(d)
		}
		all[d] = db.Named(full, emitRecords(records, d))
	}
	return all
}

// emit writes the changes and the deliveries of the records of an emission, and enqueues the jobs
// that deliver them. more has the parameters of the emission beside the parameters of the event.
func (tx *Tx) emit(ctx context.Context, e finance.Event, records emission, more db.Args) error {
	kind := jobs.DeliverWebhookKind
	key, args, err := queue.Stored(jobs.DeliverWebhook{AccountID: e.AccountID, WebhookID: eachWebhook})
	if err != nil {
		return err
	}
	by := jobs.Author(ctx)
	values := db.Args{
		"account": e.AccountID, "entity": e.EntityID, "parent": e.ParentID, "family": e.Family, "action": e.Action,
		"attributes": e.Attributes, "concerns": familyNames(e.Concerns), "notifies": e.Family.Notifies(),
		"request": jobs.RequestID(ctx), "trace": jobs.Traceparent(ctx), "user": by.UserID, "token": by.Token,
		"job":  by.Job,
		"kind": kind.Name, "queue": kind.Queue, "job_key": key, "job_args": args,
		"each_webhook": strconv.FormatInt(eachWebhook, 10),
	}
	statement := records[daysToReconcile(e)]
	enqueued, err := db.Many[jobs.Ticket](ctx, tx.DB, statement.SQL, statement.Args(values, more)...)
	if err != nil {
		return err
	}
	tx.noteChanges(enqueued)
	return nil
}

// emitRecords returns the text of emit, one statement, because every change pays for it. The parent_id
// of a record replaces the event's where it is not null. Sharing the
// webhook's row, which the foreign key does anyway, fixes its status until the event
// commits: a change of the status waits for the event or is seen by it.
//
// A webhook that has a due job gets no other one, unless that job has failed before and may have to
// wait for its next attempt. emit shares the job's row: a run deletes only a job that no event has
// locked (Finish), and reads the pending deliveries in a later statement. So the run sees the
// delivery of an event that relied on its job, or the job remains. A job that is being deleted is
// locked already and is skipped. A running job is woken; a job with a lapsed lease is offered
// again.
//
// A change of records that the worker reconciles automatically enqueues its job too.
func emitRecords(records string, days reconcileDays) string {
	reconcileJobs, enqueued := "", ""
	if days != nothing {
		reconcileJobs = `,
		reconcile_jobs AS (` + reconcileAround(days.of(records)) + `)`
		enqueued = ` UNION ALL SELECT * FROM reconcile_jobs`
	}
	return `
		WITH new_changes AS (
			INSERT INTO unsealed_changes (account_id, family, action, entity_id, parent_id, record_ids, request_id,
				user_id, token, job, attributes, concerns)
			SELECT @account, @family, @action, nullif(@entity::bigint, 0), parent_id, array_agg(id ORDER BY id),
				nullif(@request, ''),
				nullif(@user::bigint, 0), nullif(@token, ''), nullif(@job, ''), nullif(@attributes, ''),
					@concerns::text[]
			FROM (
				SELECT id, parent_id, (row_number() OVER (PARTITION BY parent_id ORDER BY id) - 1) / ` + changeIDs +
		` AS part
				FROM (SELECT r.id, coalesce(r.parent_id, nullif(@parent::bigint, 0)) AS parent_id FROM (` + records +
		`) r) r) r
			GROUP BY parent_id, part ORDER BY parent_id, part
			RETURNING id, parent_id, record_ids),
		subscribed AS MATERIALIZED (
			SELECT id, status FROM webhooks
			WHERE account_id = @account AND (@entity = 0 OR entity_id = @entity) AND deleted_at IS NULL AND @notifies
				AND (events IS NULL OR events && ARRAY[@family::text || '.*', @family || '.' || @action::text])
			ORDER BY id FOR KEY SHARE),
		new_deliveries AS (
			INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id, parent_id,
				traceparent, status, change_id)
			SELECT @account, w.id, @family, @action, r.id, nullif(@entity::bigint, 0), c.parent_id, nullif(@trace, ''),
				CASE w.status WHEN 'error' THEN 'held' ELSE 'pending' END, c.id
			FROM subscribed w, new_changes c, unnest(c.record_ids) AS r (id)
			RETURNING webhook_id, status),
		wanted_jobs AS (
			SELECT replace(@job_key, @each_webhook, webhook_id::text) AS key,
				replace(@job_args, @each_webhook, webhook_id::text) AS args
			FROM new_deliveries WHERE status = 'pending' GROUP BY webhook_id),
		due_jobs AS MATERIALIZED (
			SELECT wanted_jobs.key, j.id, j.claims, j.running FROM wanted_jobs CROSS JOIN LATERAL (
				SELECT id, claims, leased_until >= now() AS running FROM jobs
				WHERE kind = @kind AND key = wanted_jobs.key AND CASE WHEN failed_at IS NULL AND due_at <= now()
					AND attempts <= 1 THEN true END
				LIMIT 1 FOR KEY SHARE SKIP LOCKED) j),
		new_jobs AS (` + queue.InsertJobs + `
			SELECT @kind, @queue, key, args, @account, nullif(@request, ''), nullif(@trace, ''), now() FROM wanted_jobs
			WHERE NOT EXISTS (SELECT FROM due_jobs WHERE due_jobs.key = wanted_jobs.key)
			RETURNING id, kind, queue, key)` + reconcileJobs + `
		SELECT id, 0 AS claims, kind, queue, key, false AS running FROM new_jobs
		UNION ALL SELECT CASE WHEN running THEN 0 ELSE id END, claims, @kind, @queue, key, running FROM due_jobs
			WHERE running IS NOT NULL` + enqueued
}
