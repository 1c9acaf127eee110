package matching

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/list"
	"bordero/storage/queue"

	"github.com/lib/pq"
)

// automaticEntities selects the entities of the account with automatic reconciliation.
const automaticEntities = `
	SELECT entity_id FROM deposit_accounts WHERE account_id = @account AND automatic_reconciliation
	UNION ALL SELECT entity_id FROM reconciliation_rules WHERE account_id = @account AND automatic`

// enqueueReconciling returns a statement that enqueues the job that reconciles an entity automatically for
// each row of a query: the entity, and the first and the last day to look at, null for all.
func enqueueReconciling(spans string) string {
	kind := jobs.ReconcileAutomaticallyKind
	return queue.InsertJobs + `
		SELECT ` + queue.KindName(kind) + `, ` + pq.QuoteLiteral(kind.Queue) + `, @account::bigint || ':' || entity_id,
			json_strip_nulls(json_build_object('account_id', @account::bigint, 'entity_id', entity_id, 'from', first,
				'to', last))::text,
			@account, nullif(@request, ''), nullif(@trace, ''), now()
		FROM (` + spans + `) d
		RETURNING id, 0 AS claims, kind, queue, key, false AS running`
}

// reconcileAround returns a statement, with the parameters of emit, that enqueues the job for the
// entity, if anything there is reconciled automatically: for the days around the days that a query
// returns, or for all days if a day is null. If the query returns no row, it enqueues nothing.
func reconcileAround(days string) string {
	return enqueueReconciling(`
		SELECT @entity::bigint AS entity_id, CASE WHEN bool_and(day IS NOT NULL) THEN min(day) END AS first,
			max(day) AS last FROM (` + days + `) d
		WHERE EXISTS (
			SELECT FROM (` + automaticEntities + `
			) a WHERE a.entity_id = @entity) HAVING count(*) > 0`)
}

// reconcileOfPerson enqueues the jobs that look at the open records of a person of the account:
// decisions compare the name and the number of the person.
func reconcileOfPerson(ctx context.Context, tx *storage.Tx, account, person int64) error {
	enqueued, err := db.ManyNamed[jobs.Ticket](ctx, tx.DB, reconcilePerson, db.Args{
		"account": account, "person": person, "most": mostOfPerson, "request": jobs.RequestID(ctx),
		"trace": jobs.Traceparent(ctx),
	})
	tx.Offer(enqueued...)
	return err
}

// mostOfPerson bounds the records that a request reads for the days of a person. No index has only the open ones.
const mostOfPerson = 10_000

// reconcilePerson enqueues jobs for the days of the person's open records or, if the person has more than @most
// records, for all days of each entity with automatic reconciliation.
var reconcilePerson = db.Named("automatic.reconcile_person", enqueueReconciling(`
	WITH automatic AS (`+automaticEntities+`
	), records AS (
		(SELECT entity_id, coalesce(occurred_at, due_date) AS day, reconcile_id IS NULL AS open
		FROM financial_accounts
		WHERE account_id = @account AND person_id = @person AND EXISTS (SELECT FROM automatic) LIMIT @most + 1)
		UNION ALL
		SELECT d.entity_id, t.occurred_at, t.reconcile_id IS NULL AND t.transfer_id IS NULL
		FROM (
			SELECT * FROM financial_transactions
			WHERE account_id = @account AND person_id = @person AND EXISTS (SELECT FROM automatic) LIMIT @most + 1) t
			JOIN deposit_accounts d ON d.account_id = t.account_id AND d.id = t.deposit_account_id
	)
	SELECT entity_id, min(day) AS first, max(day) AS last FROM records
	WHERE open AND entity_id IN (SELECT entity_id FROM automatic) AND (SELECT count(*) FROM records) <= @most
	GROUP BY 1
	UNION ALL
	SELECT DISTINCT entity_id, CAST(NULL AS date), CAST(NULL AS date) FROM automatic
	WHERE (SELECT count(*) FROM records) > @most`))

// The jobs that follow from events, by the days of an entity around which there is something new to
// reconcile.
var (
	allDays            = around("reconcile_all", allDaysOf)
	daysOfAccounts     = around("reconcile_accounts", daysOfAccountsOf)
	daysOfTransactions = around("reconcile_transactions", daysOfTransactionsOf)
)

// around returns the job for the days that a query returns, from a query of records.
func around(name string, days func(records string) string) *storage.EventJobs {
	return &storage.EventJobs{Name: name, Insert: func(records string) string { return reconcileAround(days(records)) }}
}

func init() { storage.Follow(jobsOf, reconcileOfPerson) }

// jobsOf returns the job that reconciles after an event. Events of the worker's own reconciliations have
// none: their accounts and transactions are reconciled.
func jobsOf(e finance.Event) *storage.EventJobs {
	switch {
	case e.Family == finance.ReconciliationRulesFamily: // the records that a changed rule fits may be of any day
		return allDays
	case e.Action == finance.Destroyed:
		return nil
	case e.Family == finance.PayableAccountsFamily || e.Family == finance.ReceivableAccountsFamily:
		return daysOfAccounts
	case e.Family == finance.FinancialTransactionsFamily:
		return daysOfTransactions
	}
	return nil
}

func allDaysOf(string) string {
	return `SELECT NULL::date AS day FROM entities WHERE account_id = @account AND id = @entity
		AND deleted_at IS NULL`
}

func daysOfAccountsOf(records string) string {
	return `SELECT coalesce(f.occurred_at, f.due_date) AS day FROM financial_accounts f
		WHERE f.account_id = @account AND f.reconcile_id IS NULL AND f.id IN (SELECT r.id FROM (` + records + `) r)`
}

func daysOfTransactionsOf(records string) string {
	return `SELECT t.occurred_at AS day FROM financial_transactions t
		WHERE t.account_id = @account AND t.reconcile_id IS NULL AND t.transfer_id IS NULL
			AND t.id IN (SELECT r.id FROM (` + records + `) r)`
}

// unreconciled is the condition for transactions t of the deposit accounts d of the entity that the
// worker may see, without the transactions of a statement that is being deleted.
var unreconciled = `
	d.account_id = @account AND d.entity_id = @entity AND d.deleted_at IS NULL AND t.account_id = @account
		AND t.deposit_account_id = d.id
	AND t.reconcile_id IS NULL AND t.transfer_id IS NULL AND t.currency_id = 1 AND ` + storage.ImportStays("t")

// daysOfJobs counts the transactions to decide on, by day, of the days that the jobs name.
var daysOfJobs = db.Named("automatic.days_of_jobs", `
	WITH wanted_days AS (
		SELECT CASE WHEN bool_and(args::json ->> 'from' IS NOT NULL)
			THEN min((args::json ->> 'from')::date) - @reach::int END AS first,
			CASE WHEN bool_and(args::json ->> 'to' IS NOT NULL)
				THEN max((args::json ->> 'to')::date) + @reach::int END AS last
		FROM jobs WHERE id = ANY(@jobs))
	SELECT t.occurred_at AS day, count(*) AS count FROM deposit_accounts d, financial_transactions t
	WHERE `+unreconciled+` AND NOT t.left_to_people AND (d.automatic_reconciliation OR @automatic)
		AND t.occurred_at >= coalesce(greatest(@from::date, (SELECT first FROM wanted_days)), '-infinity')
		AND t.occurred_at <= coalesce((SELECT last FROM wanted_days), 'infinity')
	GROUP BY 1 ORDER BY 1`)

// PeriodsToReconcile returns the days from the given one on of which a run of the job decides on
// the transactions, in periods of about that many transactions each.
func PeriodsToReconcile(ctx context.Context, q storage.Queries, job queue.Job, s storage.Scope, from finance.Date,
	most int64) (
	[]finance.Period, error) {
	rules, err := q.ReconciliationRules(ctx, s, list.Query{})
	if err != nil {
		return nil, err
	}
	automatic := slices.ContainsFunc(rules.Items, func(r finance.ReconciliationRule) bool { return r.Automatic })
	days, err := db.ManyNamed[struct {
		Day   finance.Date
		Count int64
	}](ctx, q.DB, daysOfJobs, db.Args{
		"account": s.AccountID, "entity": s.EntityID, "jobs": job.IDs(),
		"reach": finance.Reach(rules.Items) / 2,
		"from":  from, "automatic": automatic,
	})
	var periods []finance.Period
	count := most
	for _, d := range days {
		if count >= most {
			periods, count = append(periods, finance.Period{First: d.Day}), 0
		}
		periods[len(periods)-1].Last = d.Day
		count += d.Count
	}
	return periods, err
}

// OpenBooks are the records of an entity that the worker decides on.
type OpenBooks struct {
	storage.Scope
	Transactions, Accounts []finance.Candidate
	Rules                  []finance.ReconciliationRule
	versions               []int64                 // of the rules
	awaiting               map[finance.Amount]bool // the amounts of decisions that ReconcileDecided left
}

// selectRules reads the rules of an entity in their order, each with the version of its row.
var selectRules = `SELECT ` + storage.ReconciliationRuleColumns + `, CAST(r.xmin::text AS bigint) AS version
		FROM ` + storage.ReconciliationRulesOf + ` ORDER BY r.position, r.id`

var (
	readRules  = db.Named("automatic.read_rules", selectRules)
	shareRules = db.Named("automatic.share_rules", selectRules+` FOR SHARE OF r`)
)

// versionedRules runs a statement that begins with selectRules.
func versionedRules(ctx context.Context, q storage.Queries, s storage.Scope, statement db.Statement) (
	[]finance.ReconciliationRule, []int64, error) {
	return db.ManyWith[finance.ReconciliationRule, int64](ctx, q.DB, statement.SQL,
		statement.Args(db.Args{"account": s.AccountID, "entity": s.EntityID})...)
}

// sameRules locks the rules of the entity FOR SHARE, against changes, and reports whether they are
// still the rules of the books.
func sameRules(ctx context.Context, tx *storage.Tx, b *OpenBooks) (same bool, err error) {
	now, versions, err := versionedRules(ctx, tx.Queries, b.Scope, shareRules)
	sameID := func(a, b finance.ReconciliationRule) bool { return a.ID == b.ID }
	return slices.EqualFunc(now, b.Rules, sameID) && slices.Equal(versions, b.versions), err
}

// ErrBooksTooLarge means that more records are open around a period than memory should hold.
var ErrBooksTooLarge = errors.New("too many records are open")

// ReadOpenBooks reads the records that Decide needs to decide on the transactions of a period, in one
// snapshot of the database. If these are more than most records, it returns ErrBooksTooLarge.
func ReadOpenBooks(ctx context.Context, s *storage.Store, scope storage.Scope, p finance.Period, most int) (
	b *OpenBooks, err error) {
	err = s.InSnapshot(ctx, func(tx *storage.Tx) error {
		b, err = openBooks(ctx, tx.Queries, scope, p, most)
		return err
	})
	return b, err
}

// The days around a period that its transactions are compared with, in SQL, where a day may be
// before the year 1.
const firstAround, lastAround = `CAST(@first AS date) - @reach::int`, `CAST(@last AS date) + @reach::int`

// The statements of openBooks, which end with a LIMIT.
var (
	openTransactions = db.Named("automatic.open_transactions", `
		SELECT t.id, CAST(t.xmin::text AS bigint) AS version, t.deposit_account_id, t.occurred_at, t.amount,
			`+transactionIdentifiers+`,
			`+transactionText+` AS text, d.automatic_reconciliation AS unattended, t.left_to_people
		FROM deposit_accounts d, financial_transactions t `+movementPeople+`
		WHERE `+unreconciled+` AND t.occurred_at BETWEEN `+firstAround+` AND `+lastAround)
	openAccounts = db.Named("automatic.open_accounts", `
		SELECT f.id, CAST(f.version AS bigint) AS version, coalesce(f.expected_deposit_account_id,
			0) AS deposit_account_id, f.day AS occurred_at,
			CASE f.kind WHEN 'payable' THEN -f.total ELSE f.total END AS amount, `+accountIdentifiers+`,
			`+accountText+` AS text, f.status = 1 AS open, f.category_id, f.person_id
		FROM (
			SELECT *, xmin::text AS version, occurred_at AS day, total_amount AS total FROM financial_accounts
			WHERE account_id = @account AND entity_id = @entity AND kind = ANY('{payable,receivable}') AND status = 2
				AND occurred_at BETWEEN `+firstAround+` AND `+lastAround+`
			UNION ALL
			SELECT * FROM (
				SELECT *, xmin::text, due_date AS day,
					amount + coalesce(ticket_amount, 0) + coalesce(interest_amount, 0) - coalesce(discount_amount,
						0) AS total
				FROM financial_accounts
				WHERE account_id = @account AND entity_id = @entity AND kind = ANY('{payable,receivable}')
					AND status = 1
					AND due_date <= `+lastAround+`) o
			WHERE o.day >= `+firstAround+` OR o.total IN (SELECT unnest(@amounts::numeric[]))) f
		LEFT JOIN people p ON p.account_id = f.account_id AND p.id = f.person_id
		WHERE `+storage.OwnerVisible("financial_accounts", "f"))
)

func openBooks(ctx context.Context, q storage.Queries, s storage.Scope, p finance.Period, most int) (*OpenBooks,
	error) {
	b := OpenBooks{Scope: s, awaiting: map[finance.Amount]bool{}}
	var err error
	if b.Rules, b.versions, err = versionedRules(ctx, q, s, readRules); err != nil {
		return nil, err
	}
	around := db.Args{"account": s.AccountID, "entity": s.EntityID, "first": p.First, "last": p.Last,
		"reach": finance.Reach(b.Rules)}
	limit := " LIMIT " + strconv.Itoa(most+1) // a plan for an unknown limit expects a tenth of the rows
	b.Transactions, err = db.Many[finance.Candidate](ctx, q.DB, openTransactions.SQL+limit,
		openTransactions.Args(around)...)
	if err != nil {
		return nil, err
	}
	if len(b.Transactions) > most {
		return nil, ErrBooksTooLarge
	}
	moved := make([]finance.Amount, len(b.Transactions))
	for i, t := range b.Transactions {
		moved[i] = t.Amount.Abs()
	}
	b.Accounts, err = db.Many[finance.Candidate](ctx, q.DB, openAccounts.SQL+limit,
		openAccounts.Args(around, db.Args{"amounts": pq.Array(moved)})...)
	if err == nil && len(b.Transactions)+len(b.Accounts) > most {
		err = ErrBooksTooLarge
	}
	for _, side := range [][]finance.Candidate{b.Transactions, b.Accounts} {
		for i := range side {
			side[i].Identify()
		}
	}
	return &b, err
}

// Decide returns the decisions on the transactions of the period for which the books were read.
func (b *OpenBooks) Decide(p finance.Period) []finance.Decision {
	return slices.DeleteFunc(finance.Decide(b.Transactions, b.Accounts, b.Rules), func(d finance.Decision) bool {
		return d.Transaction.OccurredAt.Before(p.First) || d.Transaction.OccurredAt.After(p.Last)
	})
}
