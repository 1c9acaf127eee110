package reports

import (
	"context"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"

	"github.com/lib/pq"
)

// CashFlow returns the cash flow of the scope. q has one snapshot for all statements. Transfers count in
// the deposit accounts alone: both sides are in one entity and one currency, and together they are nothing.
// Rows below hidden parents are left out, as lists leave them out. More than finance.MaxAccountBuckets by account are
// a finance.Invalid.
func CashFlow(ctx context.Context, q storage.Queries, s Scope, ask finance.CashFlowQuery) (*finance.CashFlow, error) {
	f := newCashFlow(ask)
	held, err := db.ManyNamed[heldMoney](ctx, q.DB, readHeldMoney, db.Args{
		"account": s.AccountID, "entities": s.EntityIDs, "from": ask.From.String(), "currency": ask.CurrencyID})
	if err != nil {
		return nil, err
	}
	if err := f.hold(held); err != nil {
		return nil, err
	}
	realised, err := db.ManyNamed[flowRow](ctx, q.DB, realisedFlow, f.args(s), db.Args{
		"from": ask.From.String(), "currency": ask.CurrencyID})
	if err != nil {
		return nil, err
	}
	if err := f.realise(realised); err != nil {
		return nil, err
	}
	if ask.CurrencyID == finance.BRL {
		err = f.readAccounts(ctx, q, s)
	}
	f.carry()
	return &f.CashFlow, err
}

// heldMoney is the balance of a deposit account before the period; without a balance in another currency. Transferred
// is the sum of its sides of transfers from the first day on. The two sides of a transfer add up to zero, unless the
// deposit account of one of them is being deleted.
type heldMoney struct {
	ID, CurrencyID       int64
	Name                 string
	Balance, Transferred finance.Sum
}

// readHeldMoney sums the transactions between the first day and whichever is nearer, the initial balance or the
// present one.
var readHeldMoney = db.Named("cash_flow.deposit_accounts", `
	SELECT d.id, d.currency_id, d.name,
		coalesce(d.initial_balance, 0) + CASE WHEN d.currency_id <> @currency THEN 0
			WHEN CAST(@from AS date) - (SELECT min(occurred_at) FROM financial_transactions
					WHERE account_id = @account AND deposit_account_id = d.id)
				< d.last_transaction_date - CAST(@from AS date)
			THEN (SELECT coalesce(sum(amount), 0) FROM financial_transactions
				WHERE account_id = @account AND deposit_account_id = d.id AND occurred_at < CAST(@from AS date))
			ELSE d.transactions_sum - (SELECT coalesce(sum(amount), 0) FROM financial_transactions
				WHERE account_id = @account AND deposit_account_id = d.id AND occurred_at >= CAST(@from AS date))
			END AS balance,
		(SELECT coalesce(sum(amount), 0) FROM financial_transactions
			WHERE account_id = @account AND deposit_account_id = d.id AND occurred_at >= CAST(@from AS date)
				AND transfer_id IS NOT NULL) AS transferred
	FROM deposit_accounts d WHERE d.account_id = @account AND d.entity_id = ANY(@entities) AND d.deleted_at IS NULL
	ORDER BY d.entity_id, fold(d.name), d.id`)

// flowRow is the flow of a day in the whole scope, of an entity or of a deposit account in a bucket. Buckets
// count from 1; bucket 0 is before the period, and the bucket after the last one is after it. Without
// transfers, In and Out are OwnIn and OwnOut.
type flowRow struct {
	Level            string
	Day              *finance.Date
	Bucket           *int
	EntityID         *int64
	DepositAccountID *int64
	In, Out          finance.Sum
	OwnIn, OwnOut    finance.Sum
}

// Levels of a flowRow.
const (
	ofDay            = "day"
	ofEntity         = "entity"
	ofDepositAccount = "deposit_account"
)

// flowLevels groups lines of days into the rows of a flow. The days after the period are in no row of a day.
const flowLevels = `
	GROUP BY GROUPING SETS ((day), (bucket, entity_id), (bucket, entity_id, deposit_account_id))
	HAVING CASE WHEN grouping(day) = 0 THEN day <= CAST(@to AS date)
		WHEN grouping(deposit_account_id) = 0 THEN @by_account ELSE true END
	ORDER BY entity_id, deposit_account_id, bucket, day`

// flowColumns are the columns of flowLevels beside the sums.
const flowColumns = `CASE WHEN grouping(day) = 0 THEN '` + ofDay + `' WHEN grouping(deposit_account_id) = 0
		THEN '` + ofDepositAccount + `' ELSE '` + ofEntity + `' END AS level,
	day, bucket, entity_id, deposit_account_id`

// realisedFlow sums the transactions of the period. The sides of transfers are read again by an index of their
// own, so that all the others need no visit to the table.
var realisedFlow = db.Named("cash_flow.realised", `
	SELECT `+flowColumns+`,
		coalesce(sum(came) FILTER (WHERE NOT side), 0) AS "in", coalesce(sum(went) FILTER (WHERE NOT side), 0) AS "out",
		coalesce(sum(CASE WHEN side THEN -came ELSE came END), 0) AS own_in,
		coalesce(sum(CASE WHEN side THEN -went ELSE went END), 0) AS own_out
	FROM (
		SELECT d.entity_id, d.id AS deposit_account_id, lines.*,
			width_bucket(lines.day, CAST(@starts AS date[])) AS bucket
		FROM deposit_accounts d CROSS JOIN LATERAL (
			SELECT false AS side, occurred_at AS day, sum(amount) FILTER (WHERE amount > 0) AS came,
				-sum(amount) FILTER (WHERE amount < 0) AS went
			FROM financial_transactions WHERE account_id = @account AND deposit_account_id = d.id
				AND occurred_at BETWEEN CAST(@from AS date) AND CAST(@to AS date)
			GROUP BY occurred_at
			UNION ALL
			SELECT true, occurred_at, sum(amount) FILTER (WHERE amount > 0), -sum(amount) FILTER (WHERE amount < 0)
			FROM financial_transactions WHERE account_id = @account AND deposit_account_id = d.id
				AND occurred_at BETWEEN CAST(@from AS date) AND CAST(@to AS date) AND transfer_id IS NOT NULL
			GROUP BY occurred_at) AS lines
		WHERE d.account_id = @account AND d.entity_id = ANY(@entities) AND d.deleted_at IS NULL
			AND d.currency_id = @currency) AS lines`+flowLevels)

// expectedFlow sums the open accounts by the day on which they are expected: the due date, or today. It
// reads the deposit account of each, by which the lines are not in the order of the index, only if asked to.
func expectedFlow(byAccount bool, visible string) db.Statement {
	depositAccount, key := `CAST(NULL AS bigint)`, ``
	if byAccount {
		depositAccount, key = `f.expected_deposit_account_id`, `, f.expected_deposit_account_id`
	}
	return db.Bind(`
	SELECT ` + flowColumns + `,
		coalesce(sum(due) FILTER (WHERE kind = 'receivable'), 0) AS "in",
		coalesce(sum(due) FILTER (WHERE kind = 'payable'), 0) AS "out"
	FROM (
		SELECT lines.*, width_bucket(lines.day, CAST(@starts AS date[])) AS bucket
		FROM (
			SELECT e.id AS entity_id, k.kind, lines.deposit_account_id,
				greatest(lines.due_date, CAST(@today AS date)) AS day, lines.due
			FROM unnest(CAST(@entities AS bigint[])) AS e (id)
				CROSS JOIN (VALUES ('payable'), ('receivable')) AS k (kind) CROSS JOIN LATERAL (
				SELECT f.due_date, ` + depositAccount + ` AS deposit_account_id,
					sum(f.amount) + coalesce(sum(f.ticket_amount), 0) + coalesce(sum(f.interest_amount), 0)
						- coalesce(sum(f.discount_amount), 0) AS due
				FROM financial_accounts f WHERE f.account_id = @account AND f.entity_id = e.id AND f.kind = k.kind
					AND f.status = 1 AND f.due_date <= CAST(@to AS date)` + visible + `
				GROUP BY f.due_date` + key + `) AS lines) AS lines) AS lines` + flowLevels)
}

// paidWithoutTransaction sums the accounts that were paid or received in the period and are not reconciled.
func paidWithoutTransaction(visible string) db.Statement {
	return db.Bind(`
	SELECT coalesce(sum(total) FILTER (WHERE kind = 'receivable'), 0) AS "in",
		coalesce(sum(total) FILTER (WHERE kind = 'payable'), 0) AS "out"
	FROM unnest(CAST(@entities AS bigint[])) AS e (id)
		CROSS JOIN (VALUES ('payable'), ('receivable')) AS k (kind) CROSS JOIN LATERAL (
		SELECT sum(f.total_amount) AS total
		FROM financial_accounts f WHERE f.account_id = @account AND f.entity_id = e.id AND f.kind = k.kind
			AND f.status = 2 AND f.occurred_at BETWEEN CAST(@from AS date) AND CAST(@to AS date)` + visible + `
		) AS lines`)
}

// readAccounts adds what payable and receivable accounts bring and cost.
func (f *cashFlow) readAccounts(ctx context.Context, q storage.Queries, s Scope) error {
	visible, err := q.ListVisible(ctx, s.AccountID, "financial_accounts", "f")
	if err != nil {
		return err
	}
	if f.Expects() {
		expected := expectedFlow(f.ByAccount, visible)
		rows, err := db.ManyNamed[flowRow](ctx, q.DB, expected, f.args(s), db.Args{"today": f.Today.String()})
		if err != nil {
			return err
		}
		if err := f.expect(rows); err != nil {
			return err
		}
	}
	paid := paidWithoutTransaction(visible)
	f.PaidWithoutTransaction, err = db.OneNamed[finance.InOut](ctx, q.DB, paid, db.Args{
		"account": s.AccountID, "entities": s.EntityIDs, "from": f.From.String(), "to": f.To.String(),
	})
	return err
}

// args are the values of the parameters that the statements of flows share.
func (f *cashFlow) args(s Scope) db.Args {
	starts := make([]string, 0, len(f.Buckets)+1)
	for _, b := range f.Buckets {
		starts = append(starts, b.From.String())
	}
	return db.Args{
		"account": s.AccountID, "entities": s.EntityIDs, "by_account": f.ByAccount, "to": f.To.String(),
		"starts": pq.Array(append(starts, f.To.AddDays(1).String())),
	}
}
