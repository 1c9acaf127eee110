package pricing

import (
	"context"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"
)

// Settle settles up to most sales of the sale account's receivable accounts that are settling,
// in the order of the accounts' ids, and emits their events. It reports whether the work is done;
// receivable accounts of a hidden sale account need no settling.
func Settle(ctx context.Context, tx *storage.Tx, account, saleAccount int64, most int) (all bool, err error) {
	// Many accounts of few sales, or the first alone if it has more. An account has a sale.
	next, err := db.Many[int64](ctx, tx.DB, `
		SELECT id FROM (
			SELECT f.id, sum(f.sales_count) OVER (ORDER BY f.id) AS sales, row_number() OVER (ORDER BY f.id) AS place
				FROM (
				SELECT f.id, f.sales_count FROM financial_accounts f JOIN entities e ON e.account_id = f.account_id
					AND e.id = f.entity_id
				WHERE f.account_id = $1 AND f.sale_account_id = $2 AND f.settling AND e.deleted_at IS NULL
					AND `+storage.OwnerVisible("financial_accounts", "f")+` ORDER BY f.id LIMIT $3) f) f
		WHERE sales <= $3 OR place = 1 ORDER BY id`, account, saleAccount, most)
	if err != nil {
		return false, err
	}
	if len(next) == 0 {
		return true, resumeApplications(ctx, tx, account, saleAccount)
	}
	held, err := db.Many[finance.FinancialAccount](ctx, tx.DB, `
		SELECT id, entity_id, sales_count FROM financial_accounts WHERE account_id = $1 AND id = ANY($2)
			AND settling ORDER BY id FOR NO KEY UPDATE`,
		account, next)
	if err != nil || len(held) == 0 { // removed meanwhile, with their sales
		return false, err
	}
	var ids []int64
	var sales int64
	for _, f := range held {
		ids, sales = append(ids, f.ID), sales+f.SalesCount
	}
	changed, err := tx.SettleSalesOf(ctx, storage.Scope{AccountID: account, EntityID: held[0].EntityID}, ids, most)
	if err != nil || changed == int64(most) && sales > changed {
		return false, err
	}
	_, err = db.Exec(ctx, tx.DB,
		`UPDATE financial_accounts SET settling = false WHERE account_id = $1 AND id = ANY($2)`, account, ids)
	if err != nil {
		return false, err
	}
	return false, tx.ResumePricing(ctx, account, ids)
}

// resumeApplications enqueues a job for the applications that waited until nothing was settling
// (applyNext). It ignores which accounts the applications waited for: these may have been received
// again meanwhile, or been removed with their sales.
func resumeApplications(ctx context.Context, tx *storage.Tx, account, saleAccount int64) error {
	waiting, err := db.One[bool](ctx, tx.DB, `
		SELECT EXISTS (SELECT FROM sale_rule_applications WHERE account_id = $1 AND sale_account_id = $2)`, account,
		saleAccount)
	if err != nil || !waiting {
		return err
	}
	return tx.EnqueuePricing(ctx, account, saleAccount)
}
