package storage

import (
	"context"
	"maps"
	"slices"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/jobs"
)

// settledAtOnce is the largest number of sales that are settled in the transaction that changes
// their receivable accounts; a job settles the rest.
const settledAtOnce = 500

// settleSales copies status and day of liquidation from the receivable accounts $2 to their sales, at
// most $3 sales that differ. Each sale also gets its part of the difference between the received
// and the expected amount (finance.AllocateDifference), without the amounts that a reconciliation
// deducted as a fee or withheld tax. The accounts are locked; settleSales locks the sales, by id.
const settleSales = `
	WITH accounts AS MATERIALIZED (
		SELECT id, status, occurred_at, CASE status WHEN 1 THEN 0 ELSE
			total_amount - amount + coalesce(fee_amount, 0) + coalesce(withheld_tax_amount, 0) END AS difference,
				amount, sales_count
		FROM financial_accounts WHERE account_id = $1 AND id = ANY($2)),
	parts AS (
		SELECT s.id, a.id AS of, a.status, a.occurred_at, a.difference, s.receivable_amount,
			div(abs(a.difference) * 100 *
			CASE a.amount WHEN 0 THEN 1 ELSE s.receivable_amount END, CASE a.amount WHEN 0 THEN a.sales_count
				ELSE a.amount END) AS cents
		FROM accounts a JOIN sales s ON s.account_id = $1 AND s.financial_account_id = a.id),
	new_states AS (
		SELECT id, status, occurred_at,
			CASE WHEN difference <> 0 THEN sign(difference) * (cents + CASE WHEN place <= remaining THEN 1
				ELSE 0 END) * 0.01 END AS difference
		FROM (SELECT p.*, row_number() OVER (PARTITION BY of ORDER BY receivable_amount DESC, id) AS place,
			abs(difference) * 100 - sum(cents) OVER (PARTITION BY of) AS remaining FROM parts p) p),
	locked_sales AS (
		SELECT s.id, w.status, w.occurred_at, w.difference FROM new_states w JOIN sales s ON s.account_id = $1
			AND s.id = w.id
		WHERE (s.status, s.liquidated_at, s.amount_difference) IS DISTINCT FROM (w.status, w.occurred_at, w.difference)
		ORDER BY s.id LIMIT $3 FOR NO KEY UPDATE OF s)
	UPDATE sales s SET status = h.status, liquidated_at = h.occurred_at, amount_difference = h.difference,
		updated_at = now()
	FROM locked_sales h WHERE s.account_id = $1 AND s.id = h.id`

// SettleSalesOf runs settleSales for receivable accounts of the entity, emits the events of the
// sales, and returns how many have changed.
func (tx *Tx) SettleSalesOf(ctx context.Context, s Scope, accounts []int64, most int) (int64, error) {
	changed, err := db.Exec(ctx, tx.DB, settleSales, s.AccountID, accounts, most)
	if err != nil || changed == 0 {
		return 0, err
	}
	return changed, tx.EmitRecords(ctx, finance.Event{
		Family: finance.SalesFamily, Action: finance.Updated, AccountID: s.AccountID, EntityID: s.EntityID,
	}, emitSettled, db.Args{"accounts": accounts})
}

var emitSettled = EmissionOf("emit.settled_sales", `SELECT id, NULL::bigint AS parent_id FROM sales
	WHERE account_id = @account AND financial_account_id = ANY(@accounts::bigint[]) AND updated_at = now()`,
	finance.SalesFamily)

// FollowReceivables updates the sales of locked and changed receivable accounts:
// at once, or by a job if there are many.
func (tx *Tx) FollowReceivables(ctx context.Context, s Scope, accounts []finance.FinancialAccount) error {
	var ids []int64
	var sales int64
	saleAccounts := map[int64]bool{}
	for _, f := range accounts {
		if f.SaleAccountID != nil {
			ids, sales = append(ids, f.ID), sales+f.SalesCount
			saleAccounts[*f.SaleAccountID] = true
		}
	}
	if len(ids) == 0 {
		return nil
	}
	if sales <= settledAtOnce {
		if _, err := tx.SettleSalesOf(ctx, s, ids, settledAtOnce); err != nil {
			return err
		}
		return tx.ResumePricing(ctx, s.AccountID, ids)
	}
	_, err := db.Exec(ctx, tx.DB,
		`UPDATE financial_accounts SET settling = true WHERE account_id = $1 AND id = ANY($2)`, s.AccountID, ids)
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(saleAccounts)) {
		if err := tx.EnqueueSettling(ctx, s.AccountID, id); err != nil {
			return err
		}
	}
	return nil
}

// EnqueueSettling enqueues a job that settles the sales of the receivable accounts of the sale account
// that are marked as settling.
func (tx *Tx) EnqueueSettling(ctx context.Context, account, saleAccount int64) error {
	return tx.Enqueue(ctx, account, jobs.SettleSales{AccountID: account, SaleAccountID: saleAccount})
}

// lockSaleAccountOf locks the sale account of a received receivable account that may be about to
// open again: it waits for a running pricing and blocks the next. It comes before the lock of the
// receivable account, because pricing locks its accounts after the sale account.
func (tx *Tx) lockSaleAccountOf(ctx context.Context, s Scope, id int64) error {
	_, err := db.Exec(ctx, tx.DB, `
		SELECT FROM sale_accounts WHERE account_id = $1 AND id = (
			SELECT sale_account_id FROM financial_accounts WHERE account_id = $1 AND entity_id = $2 AND id = $3
				AND status = 2) FOR NO KEY UPDATE`,
		s.AccountID, s.EntityID, id)
	return err
}

// reinstateDailyReceivables prepares receivable accounts that are about to open again: the first
// account of each day will take the sales of its day, and no other open account of that day. The
// substitutes' sales move back in the next pricing job. The sale accounts are locked first, because
// pricing may be creating a substitute right now; only the sale account of an account that was
// received while its own lock was awaited is not locked.
func (tx *Tx) reinstateDailyReceivables(ctx context.Context, account int64, ids []int64) error {
	_, err := db.Exec(ctx, tx.DB, `
		SELECT FROM sale_accounts WHERE account_id = $1 AND id IN (SELECT sale_account_id FROM financial_accounts
			WHERE account_id = $1 AND id = ANY($2))
		ORDER BY id FOR NO KEY UPDATE`, account, ids)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, tx.DB, `
		WITH opening AS (
			SELECT id, sale_account_id, due_date, min(id) OVER (PARTITION BY sale_account_id, due_date) AS first
			FROM financial_accounts WHERE account_id = $1 AND id = ANY($2) AND consolidated)
		UPDATE financial_accounts f SET gathering = f.id = n.first
		FROM (SELECT id, first FROM opening
			UNION SELECT g.id, o.first FROM opening o JOIN financial_accounts g ON g.account_id = $1
				AND g.sale_account_id = o.sale_account_id
				AND g.due_date = o.due_date AND g.gathering AND g.status = 1) n
		WHERE f.account_id = $1 AND f.id = n.id`, account, ids)
	return err
}

// ResumePricing enqueues a job for the sales of reopened accounts. The job does the work that was
// not possible while the accounts were received: it prices changed sales, and regroups sales after
// a change of their grouping. An account that was received again before its sales had followed it has
// left an open account of its day that gathers no sales: these are regrouped, too.
func (tx *Tx) ResumePricing(ctx context.Context, account int64, accounts []int64) error {
	type resumed struct {
		ID     int64
		Misfit bool
	}
	// A sale may have moved to another sale account meanwhile, which prices it.
	all, err := db.Many[resumed](ctx, tx.DB, `
		SELECT id, bool_or(misfit) AS misfit FROM (
			SELECT a.id, f.status = 1 AND f.consolidated <> a.consolidate OR f.consolidated AND EXISTS (
				SELECT FROM financial_accounts o WHERE o.account_id = $1 AND o.sale_account_id = a.id
					AND o.due_date = f.due_date AND o.status = 1 AND o.consolidated AND o.id <> f.id
					AND (f.status = 1 OR NOT o.gathering)) AS misfit, false AS awaits
			FROM financial_accounts f JOIN sale_accounts a ON a.account_id = f.account_id AND a.id = f.sale_account_id
			WHERE f.account_id = $1 AND f.id = ANY($2)
			UNION ALL
			SELECT s.sale_account_id, false, true FROM sales s JOIN financial_accounts f ON f.account_id = s.account_id
				AND f.id = s.financial_account_id
			WHERE s.account_id = $1 AND s.financial_account_id = ANY($2) AND s.awaiting_pricing AND f.status = 1) a
		WHERE misfit OR awaits GROUP BY id ORDER BY id`, account, accounts)
	if err != nil {
		return err
	}
	for _, a := range all {
		again := tx.EnqueuePricing
		if a.Misfit {
			again = tx.groupAgain
		}
		if err := again(ctx, account, a.ID); err != nil {
			return err
		}
	}
	return nil
}
