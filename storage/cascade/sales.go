package cascade

import (
	"context"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"
)

// RemoveSales removes sales of a hidden sale account, and subtracts them from their receivable
// accounts. A receivable account without sales is removed. A sale stays if it moved to another sale
// account before its lock was granted. RemoveSales emits the events of all changes.
func RemoveSales(ctx context.Context, tx *storage.Tx, account int64, ids []int64) error {
	ofSales := `financial_accounts WHERE account_id = @account AND id = ANY(ARRAY(
		SELECT financial_account_id FROM sales WHERE account_id = @account AND id = ANY(@ids)))`
	err := tx.UndoReconcilesAround(ctx, account, ofSales, ids, func() error {
		return tx.LockReceivables(ctx, account, ids)
	})
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, tx.DB, `SELECT FROM sales WHERE account_id = $1 AND id = ANY($2) ORDER BY id FOR UPDATE`,
		account, ids)
	if err != nil {
		return err
	}
	ids, err = db.Many[int64](ctx, tx.DB, `
		SELECT s.id FROM sales s JOIN sale_accounts a ON a.account_id = s.account_id AND a.id = s.sale_account_id
		WHERE s.account_id = $1 AND s.id = ANY($2) AND a.deleted_at IS NOT NULL`, account, ids)
	if err != nil {
		return err
	}
	// An installment of a sale may have moved to another sale account.
	err = tx.ExecEmitting(ctx, "sales", `UPDATE sales SET original_sale_id = NULL, updated_at = now()
		WHERE account_id = @account AND original_sale_id = ANY(@ids) AND id <> ALL(@ids) RETURNING`,
		finance.Updated, account, db.Args{"ids": ids})
	if err != nil {
		return err
	}
	if err := tx.RemoveAttachmentsOf(ctx, storage.AttachedSale, account, ids); err != nil {
		return err
	}
	deltas, err := db.Many[struct {
		ID, Count int64
		Amount    finance.Amount
	}](ctx, tx.DB, `
		SELECT financial_account_id AS id, count(*) AS count, sum(receivable_amount) AS amount FROM sales
		WHERE account_id = $1 AND id = ANY($2) AND financial_account_id IS NOT NULL GROUP BY 1`, account, ids)
	if err != nil {
		return err
	}
	err = tx.ExecEmitting(ctx, "sales", `DELETE FROM sales WHERE account_id = @account AND id = ANY(@ids) RETURNING`,
		finance.Destroyed, account, db.Args{"ids": ids})
	if err != nil {
		return err
	}
	var accounts, counts []int64
	var amounts []string
	for _, d := range deltas {
		accounts, counts, amounts = append(accounts, d.ID), append(counts, d.Count), append(amounts, d.Amount.String())
	}
	changed, err := db.Many[storage.Receivable](ctx, tx.DB, `
		UPDATE financial_accounts f SET amount = f.amount - d.amount,`+storage.DiscountWithin("f.amount - d.amount")+
		`, sales_count = f.sales_count - d.count, updated_at = now()
		FROM unnest($2::bigint[], $3::bigint[], $4::numeric[]) AS d (id, count, amount) WHERE f.account_id = $1
			AND f.id = d.id
		RETURNING f.id, f.entity_id, CASE f.sales_count WHEN 0 THEN 'destroyed' ELSE 'updated' END AS action`, account,
		accounts, counts, amounts)
	if err != nil {
		return err
	}
	if err := tx.RemoveEmptied(ctx, account, changed); err != nil {
		return err
	}
	if err := spreadReceived(ctx, tx, account, changed); err != nil {
		return err
	}
	return tx.EmitReceivables(ctx, account, changed)
}

// spreadReceived spreads the received amount of locked accounts among their remaining sales, after
// some sales have left. Accounts of a hidden sale account are about to be removed with all their
// sales.
func spreadReceived(ctx context.Context, tx *storage.Tx, account int64, changed []storage.Receivable) error {
	left := storage.IDsOf(changed, finance.Updated)
	if len(left) == 0 {
		return nil
	}
	received, err := db.Many[finance.FinancialAccount](ctx, tx.DB, `
		SELECT f.id, f.sale_account_id, f.sales_count
		FROM financial_accounts f JOIN sale_accounts a ON a.account_id = f.account_id AND a.id = f.sale_account_id
		WHERE f.account_id = $1 AND f.id = ANY($2) AND f.status > $3 AND a.deleted_at IS NULL ORDER BY f.id`, account,
		left, finance.Outstanding)
	if err != nil {
		return err
	}
	return tx.FollowReceivables(ctx, storage.Scope{AccountID: account, EntityID: changed[0].EntityID}, received)
}
