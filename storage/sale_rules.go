package storage

import (
	"context"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage/list"
)

// saleRuleWritable are the columns that a client's document sets.
var saleRuleWritable = db.ColumnsOf[finance.SaleRule](
	`payment_method, issuer, fee_percentage, fixed_fee_amount, minimum_fee_amount,
	days_to_liquidation, weekdays, apply_rules`)

// saleRuleColumns are read with the alias r.
var saleRuleColumns = `r.id, r.account_id, r.sale_account_id, ` + saleRuleWritable.List("r.") +
	`, r.created_at, r.updated_at,
	(SELECT entity_id FROM sale_accounts WHERE account_id = r.account_id AND id = r.sale_account_id) AS entity_id`

var (
	insertSaleRule = db.Named("sale_rules.insert",
		`INSERT INTO sale_rules AS r (account_id, sale_account_id, `+saleRuleWritable.List("")+`)
		VALUES (@account, @sale_account, `+saleRuleWritable.Parameters()+`) RETURNING `+saleRuleColumns)
	updateSaleRule = db.Named("sale_rules.update",
		`UPDATE sale_rules AS r SET `+saleRuleWritable.Assignments()+`, updated_at = now()
		WHERE r.account_id = @account AND r.id = @id RETURNING `+saleRuleColumns)
)

// visibleSaleRules selects the rules of one sale account that the user may see.
const visibleSaleRules = `sale_rules r WHERE r.account_id = @account AND r.sale_account_id = @sale_account
	AND EXISTS (SELECT FROM ` + visibleSaleAccounts + ` AND a.id = @sale_account)`

var (
	readSaleRule = db.Named("sale_rules.read", `SELECT `+saleRuleColumns+` FROM `+visibleSaleRules+` AND r.id = @id`)
	lockSaleRule = db.Named("sale_rules.lock",
		`SELECT `+saleRuleColumns+` FROM `+visibleSaleRules+` AND r.id = @id FOR NO KEY UPDATE OF r`)
)

var saleRuleFilters = list.Table("SaleRule", map[string]list.Filter{
	"payment_method": list.Where("r.payment_method = ?", list.OneOf(finance.PaymentMethods), "Exact method."),
	"issuer":         list.Where("r.issuer = ?", issuer, "Issuer, whatever its case."),
	"updated_at_gte": list.ChangedSince("r."),
})

// SaleRules lists the rules of a sale account, by id. For a missing sale account the list is
// empty.
func (q Queries) SaleRules(ctx context.Context, a finance.Access, saleAccount int64, l list.Query) (
	list.Page[finance.SaleRule],
	error) {
	return list.Read[finance.SaleRule](ctx, q.DB, l, saleRuleFilters, saleRuleColumns, visibleSaleRules,
		list.By("r.id"), accessArgs(a), db.Args{"sale_account": saleAccount})
}

// SaleRule reads one rule of the sale account.
func (q Queries) SaleRule(ctx context.Context, a finance.Access, saleAccount, id int64) (*finance.SaleRule, error) {
	r, err := db.OneNamed[finance.SaleRule](ctx, q.DB, readSaleRule,
		accessArgs(a), db.Args{"sale_account": saleAccount, "id": id})
	return &r, err
}

// LockSaleRule reads one rule of the sale account and locks it FOR NO KEY UPDATE, to change it, after
// the sale account: see InsertSaleRule.
func (tx *Tx) LockSaleRule(ctx context.Context, a finance.Access, saleAccount, id int64) (*finance.SaleRule, error) {
	if err := tx.lockVisibleSaleAccount(ctx, a, saleAccount); err != nil {
		return nil, err
	}
	r, err := db.OneNamed[finance.SaleRule](ctx, tx.DB, lockSaleRule,
		accessArgs(a), db.Args{"sale_account": saleAccount, "id": id})
	return &r, err
}

// InsertSaleRule stores a new rule, completes it with the values that the database set, and
// enqueues its application to the existing sales. A second rule for a method and issuer is a
// finance.Invalid.
//
// It locks the sale account, so that no pricing runs from here to the commit. Such a pricing would
// price a sale that is made meanwhile without the rule, and the application would not include that
// sale.
func (tx *Tx) InsertSaleRule(ctx context.Context, r *finance.SaleRule) error {
	_, err := db.Exec(ctx, tx.DB, `SELECT FROM sale_accounts WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE`,
		r.AccountID, r.SaleAccountID)
	if err != nil {
		return err
	}
	kept, err := db.OneNamed[finance.SaleRule](ctx, tx.DB, insertSaleRule, saleRuleWritable.Args(r), db.Args{
		"account": r.AccountID, "sale_account": r.SaleAccountID,
	})
	if err != nil {
		return refused(err)
	}
	*r = kept
	return tx.ApplyRule(ctx, r, nil)
}

// UpdateSaleRule stores the changes of a locked rule, and enqueues its application to the sales
// that it matches or matched if that was requested. It has the refusals of InsertSaleRule.
func (tx *Tx) UpdateSaleRule(ctx context.Context, r *finance.SaleRule) error {
	before, err := db.One[finance.SaleRule](ctx, tx.DB, `SELECT `+saleRuleColumns+
		` FROM sale_rules r WHERE r.account_id = $1 AND r.id = $2`,
		r.AccountID, r.ID)
	if err != nil {
		return err
	}
	kept, err := db.OneNamed[finance.SaleRule](ctx, tx.DB, updateSaleRule, saleRuleWritable.Args(r), db.Args{
		"account": r.AccountID, "id": r.ID,
	})
	if err != nil {
		return refused(err)
	}
	*r = kept
	if r.ApplyRules == 0 {
		return nil
	}
	return tx.ApplyRule(ctx, r, &before)
}

// RemoveSaleRule removes a rule. The sales that it priced do not change; its pending application goes on.
func (tx *Tx) RemoveSaleRule(ctx context.Context, r *finance.SaleRule) error {
	_, err := db.Exec(ctx, tx.DB, `DELETE FROM sale_rules WHERE account_id = $1 AND id = $2`, r.AccountID, r.ID)
	return err
}
