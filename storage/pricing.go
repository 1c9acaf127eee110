package storage

import (
	"context"
	"errors"
	"math"

	"bordero/finance"
	"bordero/internal/db"
)

// pricedSaleAccount has the attributes of a sale account that pricing needs.
type pricedSaleAccount struct {
	EntityID    int64
	Consolidate bool
}

// application is a pending application of a rule, or of another grouping.
type application struct {
	ID            int64
	PaymentMethod *string
	Issuer        *string
	PricedUpTo    int64
	UpTo          int64
	Waits         bool // until the sales of reopened accounts, which it may match, are open again
}

// PriceSales prices up to most sales of the sale account, first the sales that await pricing, and
// reports whether there is nothing more to price now. Sales of a waiting application are left to
// the job that SettleSales enqueues when the application can continue. A sale account that is
// deleted, or in an entity that is being deleted, has no sales to price.
//
// Sales may be added to the sale account meanwhile, but it does not change. All locks
// (docs/locking.md) are statements before the one that computes, so that every sale is priced in
// its current version or not at all: a sale that is changed later awaits pricing again. The sales
// of accounts that were received meanwhile do not change. It emits the events of sales and
// accounts.
func (tx *Tx) PriceSales(ctx context.Context, account, saleAccount int64, most int) (all bool, err error) {
	a, err := db.One[pricedSaleAccount](ctx, tx.DB, `
		SELECT a.entity_id, a.consolidate
		FROM sale_accounts a JOIN entities e ON e.account_id = a.account_id AND e.id = a.entity_id
		WHERE a.account_id = $1 AND a.id = $2 AND a.deleted_at IS NULL AND e.deleted_at IS NULL
		FOR SHARE OF a FOR KEY SHARE OF e`, account, saleAccount)
	if errors.Is(err, ErrNotFound) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	of := batch{tx: tx, account: account, saleAccount: saleAccount, upTo: math.MaxInt64, most: most,
		pricedSaleAccount: a, selection: needsPricing}
	looked, _, err := of.price(ctx)
	if of.most -= looked; err != nil || of.most == 0 {
		return false, err
	}
	return tx.applyNext(ctx, of)
}

// applyNext continues the oldest application, and reports whether there is nothing more to do now:
// no application is left, or the oldest waits.
func (tx *Tx) applyNext(ctx context.Context, of batch) (all bool, err error) {
	// A later application of the same method and issuer starts from the beginning and replaces
	// this one.
	_, err = db.Exec(ctx, tx.DB, `
		DELETE FROM sale_rule_applications a WHERE a.account_id = $1 AND a.sale_account_id = $2 AND EXISTS (
			SELECT FROM sale_rule_applications n WHERE n.account_id = $1 AND n.sale_account_id = $2 AND n.id > a.id
			AND n.payment_method IS NOT DISTINCT FROM a.payment_method AND n.issuer IS NOT DISTINCT FROM a.issuer)`,
		of.account, of.saleAccount)
	if err != nil {
		return false, err
	}
	next, err := db.One[application](ctx, tx.DB, `
		SELECT id, payment_method, issuer, priced_up_to, up_to, payment_method IS NOT NULL AND EXISTS (
			SELECT FROM financial_accounts WHERE account_id = $1 AND sale_account_id = $2 AND settling
				AND status = 1) AS waits
		FROM sale_rule_applications WHERE account_id = $1 AND sale_account_id = $2 ORDER BY id LIMIT 1 FOR UPDATE`,
		of.account, of.saleAccount)
	if errors.Is(err, ErrNotFound) {
		return true, nil
	}
	if err != nil || next.Waits {
		return next.Waits, err
	}
	of.after, of.selection = next.PricedUpTo, matchesRule
	if next.PaymentMethod == nil {
		of.selection = inOpenReceivable
	} else {
		of.method, of.issuer = *next.PaymentMethod, finance.OrZero(next.Issuer)
		of.application, of.upTo = next.ID, next.UpTo
	}
	looked, last, err := of.price(ctx)
	if err != nil {
		return false, err
	}
	if looked == of.most {
		_, err = db.Exec(ctx, tx.DB, `UPDATE sale_rule_applications SET priced_up_to = $4 WHERE account_id = $1
			AND sale_account_id = $2 AND id = $3`,
			of.account, of.saleAccount, next.ID, last)
		return false, err
	}
	_, err = db.Exec(ctx, tx.DB, `DELETE FROM sale_rule_applications WHERE account_id = $1 AND sale_account_id = $2
		AND id = $3`,
		of.account, of.saleAccount, next.ID)
	if err != nil {
		return false, err
	}
	left, err := db.One[bool](ctx, tx.DB, `
		SELECT EXISTS (SELECT FROM sale_rule_applications WHERE account_id = $1 AND sale_account_id = $2)`, of.account,
		of.saleAccount)
	return !left, err
}

// CascadeSales removes sales of a hidden sale account, and subtracts them from their receivable
// accounts. A receivable account without sales is removed. A sale stays if it moved to another sale
// account before its lock was granted. CascadeSales emits the events of all changes.
func (tx *Tx) CascadeSales(ctx context.Context, account int64, ids []int64) error {
	ofSales := `financial_accounts WHERE account_id = $1 AND id = ANY(ARRAY(
		SELECT financial_account_id FROM sales WHERE account_id = $1 AND id = ANY($2)))`
	err := tx.undoReconcilesAround(ctx, account, ofSales, ids, func() error {
		return tx.lockReceivables(ctx, account, ids)
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
		WHERE account_id = $1 AND original_sale_id = ANY($2) AND id <> ALL($2) RETURNING`, finance.Updated, account,
		ids)
	if err != nil {
		return err
	}
	if err := tx.removeAttachmentsOf(ctx, attachedSale, account, ids); err != nil {
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
	if err := tx.ExecEmitting(ctx, "sales", `DELETE FROM sales WHERE account_id = $1 AND id = ANY($2) RETURNING`,
		finance.Destroyed, account, ids); err != nil {
		return err
	}
	var accounts, counts []int64
	var amounts []string
	for _, d := range deltas {
		accounts, counts, amounts = append(accounts, d.ID), append(counts, d.Count), append(amounts, d.Amount.String())
	}
	changed, err := db.Many[receivable](ctx, tx.DB, `
		UPDATE financial_accounts f SET amount = f.amount - d.amount,`+discountWithin("f.amount - d.amount")+
		`, sales_count = f.sales_count - d.count, updated_at = now()
		FROM unnest($2::bigint[], $3::bigint[], $4::numeric[]) AS d (id, count, amount) WHERE f.account_id = $1
			AND f.id = d.id
		RETURNING f.id, f.entity_id, CASE f.sales_count WHEN 0 THEN 'destroyed' ELSE 'updated' END AS action`, account,
		accounts, counts, amounts)
	if err != nil {
		return err
	}
	if err := tx.removeEmptied(ctx, account, changed); err != nil {
		return err
	}
	if err := tx.spreadReceived(ctx, account, changed); err != nil {
		return err
	}
	return tx.emitReceivables(ctx, account, changed)
}

// spreadReceived spreads the received amount of locked accounts among their remaining sales, after
// some sales have left. Accounts of a hidden sale account are about to be removed with all their
// sales.
func (tx *Tx) spreadReceived(ctx context.Context, account int64, changed []receivable) error {
	left := idsOf(changed, finance.Updated)
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
	return tx.followReceivables(ctx, Scope{AccountID: account, EntityID: changed[0].EntityID}, received)
}
