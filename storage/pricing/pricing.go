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
	if of.most -= looked; err != nil || of.most == 0 {
		return false, err
	}
	return applyNext(ctx, tx, of)
}

// applyNext continues the oldest application, and reports whether there is nothing more to do now:
// no application is left, or the oldest waits.
func applyNext(ctx context.Context, tx *storage.Tx, of batch) (all bool, err error) {
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
	if errors.Is(err, storage.ErrNotFound) {
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
