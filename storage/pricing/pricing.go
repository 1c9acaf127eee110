// Package pricing prices sales by the rules of their sale accounts, and groups and settles them in
// receivable accounts (decision 0020). It is apart because it has jobs' work; requests only enqueue it.
package pricing

import (
	"context"
	"errors"
	"math"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"
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

// Price prices up to most sales of the sale account, first the sales that await pricing, and
// reports whether there is nothing more to price now. Sales of a waiting application are left to
// the job that Settle enqueues when the application can continue. A sale account that is
// deleted, or in an entity that is being deleted, has no sales to price.
//
// Sales may be added to the sale account meanwhile, but it does not change. All locks
// (docs/locking.md) are statements before the one that computes, so that every sale is priced in
// its current version or not at all: a sale that is changed later awaits pricing again. The sales
// of accounts that were received meanwhile do not change. It emits the events of sales and
// accounts.
func Price(ctx context.Context, tx *storage.Tx, account, saleAccount int64, most int) (all bool, err error) {
	a, err := db.One[pricedSaleAccount](ctx, tx.DB, `
		SELECT a.entity_id, a.consolidate
		FROM sale_accounts a JOIN entities e ON e.account_id = a.account_id AND e.id = a.entity_id
		WHERE a.account_id = $1 AND a.id = $2 AND a.deleted_at IS NULL AND e.deleted_at IS NULL
		FOR SHARE OF a FOR KEY SHARE OF e`, account, saleAccount)
	if errors.Is(err, storage.ErrNotFound) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	of := batch{tx: tx, account: account, saleAccount: saleAccount, upTo: math.MaxInt64, most: most,
		pricedSaleAccount: a, selection: needsPricing}
	looked, _, err := of.price(ctx)
	if err != nil {
		return false, err
	}
	if of.most -= looked; of.most > 0 {
		var applied int
		if all, applied, err = applyNext(ctx, tx, of); err != nil {
			return false, err
		}
		looked += applied
	}
	if looked == 0 {
		return all, nil
	}
	// Once: the application may have looked at a sale that awaited its price, too.
	e := finance.Event{Family: finance.SalesFamily, Action: finance.Updated, AccountID: account, EntityID: a.EntityID}
	return all, tx.EmitRecords(ctx, e, emitPriced, db.Args{"sale_account": saleAccount})
}

var emitPriced = storage.EmissionOf("emit.priced_sales", `SELECT id, NULL::bigint AS parent_id FROM sales
	WHERE account_id = @account AND entity_id = @entity AND updated_at = now() AND sale_account_id = @sale_account`,
	finance.SalesFamily)

// applyNext continues the oldest application, and reports whether there is nothing more to do now:
// no application is left, or the oldest waits. It returns how many sales it looked at.
func applyNext(ctx context.Context, tx *storage.Tx, of batch) (all bool, looked int, err error) {
	// A later application of the same method and issuer starts from the beginning and replaces
	// this one.
	_, err = db.Exec(ctx, tx.DB, `
		DELETE FROM sale_rule_applications a WHERE a.account_id = $1 AND a.sale_account_id = $2 AND EXISTS (
			SELECT FROM sale_rule_applications n WHERE n.account_id = $1 AND n.sale_account_id = $2 AND n.id > a.id
			AND n.payment_method IS NOT DISTINCT FROM a.payment_method AND n.issuer IS NOT DISTINCT FROM a.issuer)`,
		of.account, of.saleAccount)
	if err != nil {
		return false, 0, err
	}
	next, err := db.One[application](ctx, tx.DB, `
		SELECT id, payment_method, issuer, priced_up_to, up_to, EXISTS (
			SELECT FROM financial_accounts WHERE account_id = $1 AND sale_account_id = $2 AND settling
				AND status = 1) AS waits
		FROM sale_rule_applications WHERE account_id = $1 AND sale_account_id = $2 ORDER BY id LIMIT 1 FOR UPDATE`,
		of.account, of.saleAccount)
	if errors.Is(err, storage.ErrNotFound) {
		return true, 0, nil
	}
	if err != nil || next.Waits {
		return next.Waits, 0, err
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
		return false, 0, err
	}
	if looked == of.most {
		_, err = db.Exec(ctx, tx.DB, `UPDATE sale_rule_applications SET priced_up_to = $4 WHERE account_id = $1
			AND sale_account_id = $2 AND id = $3`,
			of.account, of.saleAccount, next.ID, last)
		return false, looked, err
	}
	_, err = db.Exec(ctx, tx.DB, `DELETE FROM sale_rule_applications WHERE account_id = $1 AND sale_account_id = $2
		AND id = $3`,
		of.account, of.saleAccount, next.ID)
	if err != nil {
		return false, 0, err
	}
	left, err := db.One[bool](ctx, tx.DB, `
		SELECT EXISTS (SELECT FROM sale_rule_applications WHERE account_id = $1 AND sale_account_id = $2)`, of.account,
		of.saleAccount)
	return !left, looked, err
}
