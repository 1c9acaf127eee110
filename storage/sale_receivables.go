package storage

import (
	"context"
	"slices"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/jobs"
)

// EnqueuePricing enqueues a job that prices the sales of the sale account that await it, and
// continues the applications of its rules.
func (tx *Tx) EnqueuePricing(ctx context.Context, account, saleAccount int64) error {
	return tx.Enqueue(ctx, account, jobs.PriceSales{AccountID: account, SaleAccountID: saleAccount})
}

// ApplyRule enqueues a job that applies the rule, in its current version, to the existing sales of
// its method and issuer. before is the previous version, nil for a new rule; if its method or
// issuer differ, its sales are priced again too. The application runs to its end, even if the rule
// is changed or removed, and leaves out sales that are changed later. The caller has locked the
// sale account before it wrote the rule: see InsertSaleRule.
func (tx *Tx) ApplyRule(ctx context.Context, rule, before *finance.SaleRule) error {
	if before != nil && !sameSales(rule, before) {
		if err := tx.applyTo(ctx, rule.AccountID, rule.SaleAccountID, &before.PaymentMethod, before.Issuer,
			nil); err != nil {
			return err
		}
	}
	if err := tx.applyTo(ctx, rule.AccountID, rule.SaleAccountID, &rule.PaymentMethod, rule.Issuer, rule); err != nil {
		return err
	}
	return tx.EnqueuePricing(ctx, rule.AccountID, rule.SaleAccountID)
}

// sameSales reports whether both rules are for sales of one method and issuer.
func sameSales(a, b *finance.SaleRule) bool {
	return a.PaymentMethod == b.PaymentMethod && finance.OrZero(a.Issuer) == finance.OrZero(b.Issuer)
}

// groupAgain enqueues a job that groups the sales of the sale account again, because its
// consolidation was switched on or off, or a receivable account that does not fit the consolidation
// opened again. The prices of the sales stay.
func (tx *Tx) groupAgain(ctx context.Context, account, saleAccount int64) error {
	if err := tx.applyTo(ctx, account, saleAccount, nil, nil, nil); err != nil {
		return err
	}
	return tx.EnqueuePricing(ctx, account, saleAccount)
}

// applyTo stores an application: of the rule, or of the removal of the rule. Without a method, all
// sales are grouped again.
func (tx *Tx) applyTo(ctx context.Context, account, saleAccount int64, method, issuer *string,
	rule *finance.SaleRule) error {
	var id *int64
	var of finance.SaleRule
	if rule != nil {
		id, of = &rule.ID, *rule
	}
	_, err := db.ExecNamed(ctx, tx.DB, insertApplication, db.Args{
		"account": account, "sale_account": saleAccount, "method": method, "issuer": issuer, "rule": id,
		"percentage": of.FeePercentage,
		"fixed":      of.FixedFeeAmount, "minimum": of.MinimumFeeAmount, "days": of.DaysToLiquidation,
		"weekdays": of.Weekdays,
	})
	return err
}

var insertApplication = db.Named("pricing.insert_application", `
	INSERT INTO sale_rule_applications (account_id, sale_account_id, payment_method, issuer, sale_rule_id,
		fee_percentage, fixed_fee_amount,
		minimum_fee_amount, days_to_liquidation, weekdays, up_to)
	SELECT @account, @sale_account, @method, @issuer, @rule, @percentage, @fixed, @minimum, @days, @weekdays,
		coalesce(max(id), 0)
	FROM sales WHERE account_id = @account AND sale_account_id = @sale_account`)

// LockReceivables locks the receivable accounts that the sales are in FOR NO KEY UPDATE, by id, until
// the transaction ends: nothing else prices, receives or reconciles them. A removal of sales calls it
// before it locks the sales, as pricing does.
func (tx *Tx) LockReceivables(ctx context.Context, account int64, sales []int64) error {
	_, err := db.Exec(ctx, tx.DB, lockReceivablesOf, account, sales)
	return err
}

// HoldReceivables locks the receivable accounts that the sales are in FOR SHARE, by id, until the transaction ends:
// they stay open or received. A change of sales calls it before it locks the sales, as pricing and receipts do.
func (tx *Tx) HoldReceivables(ctx context.Context, account int64, sales []int64) error {
	_, err := db.Exec(ctx, tx.DB, receivablesOf+` FOR SHARE`, account, sales)
	return err
}

const (
	receivablesOf = `
	SELECT f.id FROM financial_accounts f
	WHERE f.account_id = $1 AND f.id = ANY(ARRAY(
		SELECT financial_account_id FROM sales WHERE account_id = $1 AND id = ANY($2)
			AND financial_account_id IS NOT NULL))
	ORDER BY f.id`
	lockReceivablesOf = receivablesOf + ` FOR NO KEY UPDATE`
)

// WithdrawSales removes the sales from their receivable accounts, and calls removeEmptied for the accounts that become
// empty: RemoveEmptied where a user removes sales, else RemoveEmptiedKeepingFiles (decision 0025). The sales then have
// status 0 and no price, also sales that a job still has to reopen. A sale of an account that was received meanwhile is
// a finance.Invalid. It emits the events of the accounts.
func (tx *Tx) WithdrawSales(ctx context.Context, account int64, sales []int64,
	removeEmptied func(ctx context.Context, account int64, changed []Receivable) error) error {
	if err := tx.LockReceivables(ctx, account, sales); err != nil {
		return err
	}
	received, err := db.Many[int64](ctx, tx.DB, `
		SELECT f.status FROM sales s JOIN financial_accounts f ON f.account_id = s.account_id
			AND f.id = s.financial_account_id
		WHERE s.account_id = $1 AND s.id = ANY($2) AND f.status > 1`, account, sales)
	if err != nil {
		return err
	}
	if len(received) > 0 {
		return finance.RefuseLiquidated(slices.Max(received))
	}
	changed, err := db.Many[Receivable](ctx, tx.DB, `
		WITH locked_sales AS (
			SELECT id, financial_account_id, receivable_amount FROM sales
			WHERE account_id = $1 AND id = ANY($2) AND financial_account_id IS NOT NULL ORDER BY id FOR NO KEY UPDATE),
		updated_sales AS (
			UPDATE sales s SET `+unpriced+`, updated_at = now() FROM locked_sales l WHERE s.account_id = $1
				AND s.id = l.id),
		deltas AS (SELECT financial_account_id AS id, sum(receivable_amount) AS amount, count(*) AS n
			FROM locked_sales GROUP BY 1)
		UPDATE financial_accounts f SET amount = f.amount - d.amount,`+DiscountWithin("f.amount - d.amount")+
		`, sales_count = f.sales_count - d.n, updated_at = now()
		FROM deltas d WHERE f.account_id = $1 AND f.id = d.id
		RETURNING f.id, f.entity_id, CASE f.sales_count WHEN 0 THEN 'destroyed' ELSE 'updated' END AS action`, account,
		sales)
	if err != nil {
		return err
	}
	if err := removeEmptied(ctx, account, changed); err != nil {
		return err
	}
	return tx.EmitReceivables(ctx, account, changed)
}

// unpriced are the assignments for a sale without a price.
const unpriced = `status = 0, sale_rule_id = NULL, financial_account_id = NULL, fee_percentage = NULL,
	fee_percentage_amount = NULL,
	fixed_fee_amount = NULL, receivable_amount = NULL, days_to_liquidation = NULL, liquidation_weekday = NULL, ` +
	`estimated_liquidated_at = NULL,
	liquidated_at = NULL, amount_difference = NULL`

// Receivable is a receivable account and its change. An account without
// sales is destroyed.
type Receivable struct {
	ID, EntityID int64
	Action       finance.Action
}

// IDsOf returns the ids of the accounts with an action.
func IDsOf(all []Receivable, action finance.Action) (ids []int64) {
	for _, r := range all {
		if r.Action == action {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// RemoveEmptied removes the destroyed accounts, with the attachments that belong to no other record.
func (tx *Tx) RemoveEmptied(ctx context.Context, account int64, changed []Receivable) error {
	ids := IDsOf(changed, finance.Destroyed)
	if len(ids) == 0 {
		return nil
	}
	return tx.removeAccounts(ctx, account, ids)
}

// RemoveEmptiedKeepingFiles removes the destroyed accounts, which their sales have left, but not their files.
func (tx *Tx) RemoveEmptiedKeepingFiles(ctx context.Context, account int64, changed []Receivable) error {
	emptied := IDsOf(changed, finance.Destroyed)
	if err := tx.DetachFiles(ctx, finance.ReceivableAccounts, account, emptied); err != nil {
		return err
	}
	return tx.RemoveEmptied(ctx, account, changed)
}

// EmitReceivables emits the events of the accounts, which are of one entity.
func (tx *Tx) EmitReceivables(ctx context.Context, account int64, changed []Receivable) error {
	for _, action := range []finance.Action{finance.Created, finance.Updated, finance.Destroyed} {
		ids := IDsOf(changed, action)
		if len(ids) == 0 {
			continue
		}
		err := tx.Emit(ctx, finance.Event{
			Family: finance.ReceivableAccountsFamily, Action: action, AccountID: account, EntityID: changed[0].EntityID,
			IDs: ids,
		})
		if err != nil {
			return err
		}
	}
	return nil
}
