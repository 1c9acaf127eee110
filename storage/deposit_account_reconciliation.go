package storage

import (
	"context"

	"bordero/finance"
	"bordero/internal/db"
)

// DepositAccountReconciliation counts and sums the transactions of a deposit account of the entity
// in a period, by their state of reconciliation.
func (q Queries) DepositAccountReconciliation(ctx context.Context, s Scope, depositAccount int64, from,
	to finance.Date) (*finance.DepositAccountReconciliation, error) {
	n, err := db.One[struct {
		Lines, Reconciled, Paired, Remaining             int64
		LinesSum, ReconciledSum, PairedSum, RemainingSum finance.Sum
	}](ctx, q.DB, `
		SELECT count(t.id) AS lines, coalesce(sum(t.amount), 0) AS lines_sum,
			count(t.id) FILTER (WHERE t.reconcile_id IS NOT NULL) AS reconciled,
			coalesce(sum(t.amount) FILTER (WHERE t.reconcile_id IS NOT NULL), 0) AS reconciled_sum,
			count(t.id) FILTER (WHERE t.reconcile_id IS NULL AND t.transfer_id IS NOT NULL) AS paired,
			coalesce(sum(t.amount) FILTER (WHERE t.reconcile_id IS NULL AND t.transfer_id IS NOT NULL),
				0) AS paired_sum,
			count(t.id) FILTER (WHERE t.reconcile_id IS NULL AND t.transfer_id IS NULL) AS remaining,
			coalesce(sum(t.amount) FILTER (WHERE t.reconcile_id IS NULL AND t.transfer_id IS NULL), 0) AS remaining_sum
		FROM deposit_accounts d LEFT JOIN financial_transactions t
			ON t.account_id = d.account_id AND t.deposit_account_id = d.id
				AND t.occurred_at BETWEEN CAST($4 AS date) AND CAST($5 AS date)
		WHERE d.account_id = $1 AND d.entity_id = $2 AND d.id = $3 AND d.deleted_at IS NULL GROUP BY d.id`,
		s.AccountID, s.EntityID, depositAccount, from.String(), to.String()) // a zero Date is stored as NULL
	return &finance.DepositAccountReconciliation{
		From: from, To: to, Lines: finance.Tally{Count: n.Lines, Sum: n.LinesSum}, Reconciled: finance.Tally{
			Count: n.Reconciled, Sum: n.ReconciledSum},
		Paired: finance.Tally{Count: n.Paired, Sum: n.PairedSum}, Left: finance.Tally{
			Count: n.Remaining, Sum: n.RemainingSum},
	}, err
}
