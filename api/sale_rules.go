package api

import (
	"context"
	"fmt"
	"strings"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
)

var saleRules = resource[finance.SaleRule]{
	root: "sale_rule", plural: "sale_rules",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (list.Page[finance.SaleRule],
		error) {
		return q.SaleRules(ctx, c.access, c.pathID("sale_account_id"), l)
	},
	find: func(ctx context.Context, q storage.Queries, c *call, id int64) (*finance.SaleRule, error) {
		return q.SaleRule(ctx, c.access, c.pathID("sale_account_id"), id)
	},
	parent: parent{
		check: func(ctx context.Context, q storage.Queries, c *call) error {
			id := c.pathID("sale_account_id")
			_, err := q.SaleAccount(ctx, c.access, id)
			return found(err, saleAccounts.root, id)
		},
		lock: func(ctx context.Context, tx *storage.Tx, c *call) error {
			id := c.pathID("sale_account_id")
			a, err := tx.ShareSaleAccount(ctx, c.access, id)
			if err != nil {
				return found(err, saleAccounts.root, id)
			}
			return c.shareEntityByID(ctx, tx, a.EntityID)
		},
	},
	lock: func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.SaleRule, error) {
		parent := c.pathID("sale_account_id")
		r, err := tx.LockSaleRule(ctx, c.access, parent, id)
		if err != nil {
			return nil, err
		}
		return r, c.shareEntityByID(ctx, tx, r.EntityID)
	},
	newRecord: func(c *call) *finance.SaleRule {
		return &finance.SaleRule{AccountID: c.access.AccountID, SaleAccountID: c.pathID("sale_account_id")}
	},
	assign:         assignSaleRule,
	validate:       (*finance.SaleRule).Validate,
	lockReferences: lockSaleRuleReferences,
	conflicts:      (*storage.Tx).SaleRuleConflicts,
	insert:         inTurn((*storage.Tx).InsertSaleRule),
	update:         (*storage.Tx).UpdateSaleRule,
	remove:         (*storage.Tx).RemoveSaleRule,
	events: func(_ *call, r *finance.SaleRule, action finance.Action) []finance.Event {
		return []finance.Event{{
			Family: finance.SaleRulesFamily, Action: action,
			AccountID: r.AccountID, EntityID: r.EntityID, ParentID: r.SaleAccountID, IDs: []int64{r.ID},
		}}
	},
	show: showSaleRule,
	path: func(_ *call, r *finance.SaleRule) string { return paths.SaleRule(r.SaleAccountID, r.ID) },
}

// assignSaleRule reads a rule. Each update specifies whether the rule is applied to the existing
// sales; a new rule always is.
func assignSaleRule(in *wire.Input, r *finance.SaleRule) {
	in.Has("sale_account_id") // of the path
	in.String("payment_method", &r.PaymentMethod)
	in.StringPtr("issuer", &r.Issuer)
	wire.DecodeIntoPtr(in, "fee_percentage", &r.FeePercentage)
	wire.DecodeIntoPtr(in, "fixed_fee_amount", &r.FixedFeeAmount)
	wire.DecodeIntoPtr(in, "minimum_fee_amount", &r.MinimumFeeAmount)
	in.Int("days_to_liquidation", &r.DaysToLiquidation)
	in.Synonym("week_day", "weekdays") // its name in XML
	wire.DecodeInto(in, "week_day", &r.Weekdays)
	wire.DecodeInto(in, "weekdays", &r.Weekdays)
	var apply bool
	in.Bool("apply_rules", &apply)
	if r.ApplyRules = 0; apply || r.ID == 0 {
		r.ApplyRules = 1
	}
}

func lockSaleRuleReferences(ctx context.Context, tx *storage.Tx, c *call, r *finance.SaleRule,
	before finance.SaleRule) error {
	if r.PaymentMethod == before.PaymentMethod {
		return nil
	}
	a, err := tx.ShareSaleAccount(ctx, c.access, r.SaleAccountID)
	if err != nil {
		return found(err, saleAccounts.root, r.SaleAccountID)
	}
	if !a.AcceptsMethod(r.PaymentMethod) {
		return finance.Refuse("payment_method", messages.NotEnabled)
	}
	return nil
}

func showSaleRule(_ *call, w *wire.Writer, r *finance.SaleRule) {
	w.Int("id", r.ID)
	w.Int("sale_account_id", r.SaleAccountID)
	w.StringPtr("issuer", r.Issuer)
	w.String("payment_method", r.PaymentMethod)
	wire.DecimalPtr(w, "fee_percentage", r.FeePercentage)
	wire.DecimalPtr(w, "fixed_fee_amount", r.FixedFeeAmount)
	wire.DecimalPtr(w, "minimum_fee_amount", r.MinimumFeeAmount)
	w.Int("days_to_liquidation", r.DaysToLiquidation)
	w.Int("apply_rules", r.ApplyRules)
	weekdays := "weekdays"
	if w.XML() {
		weekdays = "week_day" // the name that XML clients know
	}
	if r.Weekdays == 0 {
		w.Null(weekdays)
	} else {
		w.String(weekdays, r.Weekdays.String())
	}
	w.Time("created_at", r.CreatedAt)
	w.Time("updated_at", r.UpdatedAt)
}

// issuers describes the field issuer of requests.
var issuers = fmt.Sprintf("Case does not matter. For a voucher %s; for a card %s. Other methods have no issuer.",
	strings.Join(finance.VoucherProviders, ", "), strings.Join(finance.SaleCards, ", "))

var saleRuleFields = openapi.Fields{
	"issuer": {Doc: "The card network or voucher provider.", In: issuers},
	"fee_percentage": {Doc: "The part of the fee that depends on the amount.",
		In: "0 to 100, with at most 4 decimals.", Format: "percentage"},
	"minimum_fee_amount": {Doc: "The least fee of a sale.", In: notNegative},
	"days_to_liquidation": {Doc: "Days from the sale to the receipt.", In: "0 where absent.", Min: 0, Max: 3650,
		Nullable: true},
	"apply_rules": {
		Doc: "The value as last sent.", In: "Whether existing sales are priced again; always on creation.",
		Enum: openapi.Enum{Name: "RuleApplication", Values: []int{0, 1}}, Type: "integer",
	},
	"weekdays": {
		Doc:  "Days of receipt as digits with commas between them, 0 for Sunday; `week-day` in XML.",
		In:   "As in answers; `week_day` is accepted too.",
		Type: "string", Nullable: true, XML: "week_day",
	},
	"week_day": {Doc: "Days of receipt as digits with commas between them, 0 for Sunday.", Type: "string", Alias: true},
}
