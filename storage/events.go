package storage

import (
	"context"
	"maps"
	"math"
	"slices"
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
	switch n := len(e.IDs); {
	case n == 0:
		return nil
	case n > changeIDs:
		return tx.EmitRecords(ctx, e, emitMany, db.Args{"ids": e.IDs})
	}
	return tx.EmitRecords(ctx, e, emitFew, db.Args{"ids": slices.Sorted(slices.Values(e.IDs))})
}

// ofIDs selects the records of an event by their ids. Their parent is the event's.
const ofIDs = `SELECT unnest(@ids::bigint[]) AS id, NULL::bigint AS parent_id`

// The records of most events are one change: without a query that groups them, emit takes PostgreSQL a third
// less time. Their ids are in ascending order.
var (
	emitFew = emissionOf("emit", ofIDs, `SELECT `+changeValues("nullif(@parent::bigint, 0)", "@ids::bigint[]",
		"@attributes"), finance.ChangeFamilies)
	emitMany = EmissionOf("emit.many", ofIDs, finance.ChangeFamilies...)
)

// EmitEach is Emit for the events of several requests in one: each event is a change of its own. The events differ
// in their entities, parents, ids and attributes alone. Those of one entity take the statements of one event.
func (tx *Tx) EmitEach(ctx context.Context, events []finance.Event) error {
	of := map[int64][]finance.Event{}
	for _, e := range events {
		of[e.EntityID] = append(of[e.EntityID], e)
	}
	for _, entity := range slices.Sorted(maps.Keys(of)) {
		if err := tx.emitEachOf(ctx, of[entity]); err != nil {
			return err
		}
	}
	return nil
}

// emitEachOf is EmitEach for events of one entity.
func (tx *Tx) emitEachOf(ctx context.Context, events []finance.Event) error {
	var parents, of, ids []int64
	var attributes []string
	for i, e := range events {
		parents, attributes = append(parents, e.ParentID), append(attributes, e.Attributes)
		for _, id := range e.IDs {
			of, ids = append(of, int64(i+1)), append(ids, id)
		}
	}
	e := events[0]
	e.ParentID, e.Attributes = 0, ""
	return tx.EmitRecords(ctx, e, emitEach, db.Args{"ids": ids, "of": of, "each_parent": parents,
		"each_attributes": attributes})
}

// emitEach has the number of the event of each record, and the parent and the attributes of each event.
var emitEach = emissionOf("emit.each", ofIDs, `SELECT `+changeValues(
	"nullif(@parent::bigint + (@each_parent::bigint[])[r.event], 0)", "array_agg(r.id ORDER BY r.id)",
	"@attributes || (@each_attributes::text[])[r.event]")+`
			FROM unnest(@of::bigint[], @ids::bigint[]) AS r (event, id)
			GROUP BY r.event ORDER BY r.event`, finance.ChangeFamilies)

// emitTransactions is Emit for transactions of several deposit accounts: the parent of
// each is its own deposit account.
func (tx *Tx) emitTransactions(ctx context.Context, e finance.Event) error {
	return tx.EmitRecords(ctx, e, emitOwnParents, db.Args{"ids": e.IDs})
}

var emitOwnParents = EmissionOf("emit.transactions", `SELECT id, deposit_account_id AS parent_id
	FROM financial_transactions
	WHERE account_id = @account AND id = ANY(@ids::bigint[])`, finance.FinancialTransactionsFamily)

// EmitImported is Emit for the transactions that a statement imported. Their ids never
// leave the database.
func (tx *Tx) EmitImported(ctx context.Context, e finance.Event, statement int64) error {
	return tx.EmitRecords(ctx, e, emitOfStatement, db.Args{"statement": statement})
}

var emitOfStatement = EmissionOf("emit.imported", `SELECT id, NULL::bigint AS parent_id FROM financial_transactions
	WHERE account_id = @account AND bank_statement_id = @statement`, finance.FinancialTransactionsFamily)

// eachWebhook is the placeholder for the webhook's id in the key and the arguments of
// the jobs that emit inserts. No webhook has this id.
const eachWebhook = math.MaxInt64

// Emission has the statements of an event whose records a query selects, by the jobs that follow from
// the event.
type Emission struct {
	name, records, changes string // changes is the query of the new changes
	families               []finance.Family
	statements             map[*EventJobs]db.Statement
}

// emissions are bound when the jobs that follow from events are known (Follow).
var emissions []*Emission

// EmissionOf returns the statements of events of the families. The query selects the ids and the parents
// of the records; its parameters are those of EmitRecords beside @account and @entity.
func EmissionOf(name, records string, families ...finance.Family) *Emission {
	return emissionOf(name, records, changesOf(records), families)
}

func emissionOf(name, records, changes string, families []finance.Family) *Emission {
	e := &Emission{name: name, records: records, changes: changes, families: families,
		statements: map[*EventJobs]db.Statement{}}
	emissions = append(emissions, e)
	if following.event != nil {
		e.bind()
	}
	return e
}

func (e *Emission) bind() {
	for _, family := range e.families {
		for _, action := range finance.Actions {
			j := following.event(finance.Event{Family: family, Action: action})
			if _, bound := e.statements[j]; bound {
				continue
			}
			name := e.name
			if j != nil {
				name += "." + j.Name
			}
			e.statements[j] = db.Named(name, emitRecords(e.records, e.changes, j))
		}
	}
}

// EmitRecords is Emit for the records of an emission, whatever the ids of the event. more has the
// parameters of the emission's query.
func (tx *Tx) EmitRecords(ctx context.Context, e finance.Event, records *Emission, more db.Args) error {
	return tx.emit(ctx, e, records.statements[following.event(e)], more)
}

// emit writes the changes and the deliveries of the records of an event by one statement, and enqueues
// the jobs that deliver them.
func (tx *Tx) emit(ctx context.Context, e finance.Event, statement db.Statement, more db.Args) error {
	kind := jobs.DeliverWebhookKind
	key, args, err := queue.Stored(jobs.DeliverWebhook{AccountID: e.AccountID, WebhookID: eachWebhook})
	if err != nil {
		return err
	}
	by := jobs.Author(ctx)
	values := db.Args{
		"account": e.AccountID, "entity": e.EntityID, "parent": e.ParentID, "family": e.Family, "action": e.Action,
		"attributes": e.Attributes, "concerns": familyNames(e.VisibleTo), "notifies": e.Family.Notifies(),
		"request": jobs.RequestID(ctx), "trace": jobs.Traceparent(ctx), "user": by.UserID, "token": by.Token,
		"job":  by.Job,
		"kind": kind.Name, "queue": kind.Queue, "job_key": key, "job_args": args,
		"each_webhook": strconv.FormatInt(eachWebhook, 10),
	}
	enqueued, err := db.ManyNamed[jobs.Ticket](ctx, tx.DB, statement, values, more)
	if err != nil {
		return err
	}
	tx.noteChanges(enqueued)
	return nil
}

// changesOf returns the query of the changes of the records that a query selects: one for each parent and
// changeIDs records. The parent_id of a record replaces the event's where it is not null.
func changesOf(records string) string {
	return `SELECT ` + changeValues("parent_id", "array_agg(id ORDER BY id)", "@attributes") + `
			FROM (
				SELECT id, parent_id, (row_number() OVER (PARTITION BY parent_id ORDER BY id) - 1) / ` +
		strconv.Itoa(changeIDs) + ` AS part
				FROM (SELECT r.id, coalesce(r.parent_id, nullif(@parent::bigint, 0)) AS parent_id FROM (` + records +
		`) r) r) r
			GROUP BY parent_id, part ORDER BY parent_id, part`
}

// changeValues are the values of a new change, of a parent, an array of ids and attributes.
func changeValues(parent, ids, attributes string) string {
	return `@account, @family, @action, nullif(@entity::bigint, 0), ` + parent + `, ` + ids + `,
				nullif(@request, ''),
				nullif(@user::bigint, 0), nullif(@token, ''), nullif(@job, ''), nullif(` + attributes + `, ''),
				@concerns::text[]`
}

// emitRecords returns the text of emit, one statement, because every change pays for it. Sharing the
// webhook's row, which the foreign key does anyway, fixes its status until the event
// commits: a change of the status waits for the event or is seen by it.
//
// A webhook that has a due job gets no other one, unless that job has failed before and may have to
// wait for its next attempt. emit shares the job's row: a run deletes only a job that no event has
// locked (Finish), and reads the pending deliveries in a later statement. So the run sees the
// delivery of an event that relied on its job, or the job remains. A job that is being deleted is
// locked already and is skipped. Of several jobs, emit relies on the running one, which is woken. So is the run of an
// unclaimed job, which may be claimed, and look for deliveries, before the event commits. A job with a lapsed lease is
// offered again.
//
// The jobs that follow from the event are enqueued too.
func emitRecords(records, changes string, following *EventJobs) string {
	followingJobs, enqueued := "", ""
	if following != nil {
		followingJobs = `,
		following_jobs AS (` + following.Insert(records) + `)`
		enqueued = ` UNION ALL SELECT * FROM following_jobs`
	}
	return `
		WITH new_changes AS (
			INSERT INTO unsealed_changes (account_id, family, action, entity_id, parent_id, record_ids, request_id,
				user_id, token, job, attributes, concerns)
			` + changes + `
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
				SELECT id, claims, coalesce(leased_until >= now(), true) AS running FROM jobs
				WHERE id = coalesce((
						SELECT id` + dueJobs + `
							AND due_at > now() - interval '20 seconds'` + claimedFirst + `), (
						SELECT id` + dueJobs + claimedFirst + `))
					AND` + reliable + `
				FOR KEY SHARE SKIP LOCKED) j),
		new_jobs AS (` + queue.InsertJobs + `
			SELECT @kind, @queue, key, args, @account, nullif(@request, ''), nullif(@trace, ''), now() FROM wanted_jobs
			WHERE NOT EXISTS (SELECT FROM due_jobs WHERE due_jobs.key = wanted_jobs.key)
			RETURNING id, kind, queue, key)` + followingJobs + `
		SELECT id, 0 AS claims, kind, queue, key, false AS running FROM new_jobs
		UNION ALL SELECT CASE WHEN running THEN 0 ELSE id END, claims, @kind, @queue, key, running
		FROM due_jobs` + enqueued
}

// The parts of the subqueries that find the job on which an event relies. While another session holds a snapshot, the
// dead rows of earlier jobs of the webhook stay, so recent jobs come first. A run lasts up to
// 15 s, or a minute and more while POSTs go on.
const (
	dueJobs  = ` FROM jobs WHERE kind = @kind AND key = wanted_jobs.key AND` + reliable
	reliable = `
							CASE WHEN failed_at IS NULL AND due_at <= now() AND attempts <= 1 THEN true END`
	claimedFirst = `
						ORDER BY leased_until DESC NULLS LAST LIMIT 1`
)
