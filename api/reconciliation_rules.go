package api

import (
	"context"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
)

var reconciliationRules = resource[finance.ReconciliationRule]{
	root: "reconciliation_rule", plural: "reconciliation_rules",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (
		list.Page[finance.ReconciliationRule], error) {
		return q.ReconciliationRules(ctx, c.scope(), l)
	},
	find: func(ctx context.Context, q storage.Queries, c *call, id int64) (*finance.ReconciliationRule, error) {
		return q.ReconciliationRule(ctx, c.scope(), id)
	},
	lock: func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.ReconciliationRule, error) {
		return tx.LockReconciliationRule(ctx, c.scope(), id)
	},
	newRecord: func(c *call) *finance.ReconciliationRule {
		return &finance.ReconciliationRule{AccountID: c.access.AccountID, EntityID: c.entityID}
	},
	assign:    assignReconciliationRule,
	validate:  (*finance.ReconciliationRule).Validate,
	conflicts: (*storage.Tx).ReconciliationRuleConflicts,
	lockReferences: func(ctx context.Context, tx *storage.Tx, c *call, r *finance.ReconciliationRule,
		before finance.ReconciliationRule) error {
		return tx.ShareRuleReferences(ctx, c.scope(), r, before)
	},
	insert: inTurn((*storage.Tx).InsertReconciliationRule),
	update: (*storage.Tx).UpdateReconciliationRule,
	remove: (*storage.Tx).RemoveReconciliationRule,
	events: func(_ *call, r *finance.ReconciliationRule, action finance.Action) []finance.Event {
		return []finance.Event{{
			Family: finance.ReconciliationRulesFamily, Action: action, AccountID: r.AccountID, EntityID: r.EntityID,
			IDs: []int64{r.ID},
		}}
	},
	show: showReconciliationRule,
	path: func(_ *call, r *finance.ReconciliationRule) string { return paths.ReconciliationRule(r.EntityID, r.ID) },
}

func assignReconciliationRule(in *wire.Input, r *finance.ReconciliationRule) {
	in.String("name", &r.Name)
	in.Int("position", &r.Position)
	in.Bool("automatic", &r.Automatic)
	in.Strings("text_contains", (*[]string)(&r.TextContains))
	wire.DecodeIntoPtr(in, "amount_gte", &r.AmountGte)
	wire.DecodeIntoPtr(in, "amount_lte", &r.AmountLte)
	in.StringPtr("type", &r.Type)
	in.IntPtr("deposit_account_id", &r.DepositAccountID)
	in.StringPtr("counterpart_document", &r.CounterpartDocument)
	assignRuleAction(in, r)
}

// assignRuleAction reads the action of a rule. An object replaces the whole earlier action.
func assignRuleAction(in *wire.Input, r *finance.ReconciliationRule) {
	made, matched := in.Object("new_account"), in.Object("match")
	if in.Has("new_account") {
		r.NewAccount = made != nil
	}
	if in.Has("match") {
		r.Match = matched != nil
	}
	if made != nil {
		r.RuleAction = finance.RuleAction{}
		assignReferences(made, &r.References)
		made.StringPtr("description", &r.Description)
		made.StringPtr("document", &r.Document)
		made.StringPtr("observation", &r.Observation)
	}
	if matched != nil {
		r.RuleAction = finance.RuleAction{Days: finance.SuggestionWindow}
		matched.IntPtr("category_id", &r.CategoryID)
		matched.IntPtr("person_id", &r.PersonID)
		var days *int64
		if matched.IntPtr("days", &days); days != nil {
			r.Days = *days
		}
	}
}

func showReconciliationRule(_ *call, w *wire.Writer, r *finance.ReconciliationRule) {
	w.Int("id", r.ID)
	w.Int("entity_id", r.EntityID)
	w.String("name", r.Name)
	w.Int("position", r.Position)
	w.Bool("automatic", r.Automatic)
	w.Array("text_contains", "text_contain", len(r.TextContains), func(i int) {
		w.String("text_contain", r.TextContains[i])
	})
	wire.DecimalPtr(w, "amount_gte", r.AmountGte)
	wire.DecimalPtr(w, "amount_lte", r.AmountLte)
	w.StringPtr("type", r.Type)
	w.IntPtr("deposit_account_id", r.DepositAccountID)
	w.StringPtr("counterpart_document", r.CounterpartDocument)
	w.ObjectIf(r.NewAccount, "new_account", func() { showRuleAccount(w, &r.RuleAction) })
	w.ObjectIf(r.Match, "match", func() {
		w.IntPtr("category_id", r.CategoryID)
		w.IntPtr("person_id", r.PersonID)
		w.Int("days", r.Days)
	})
	w.Time("created_at", r.CreatedAt)
	w.Time("updated_at", r.UpdatedAt)
}

// showRuleAccount writes the attributes of an account that a rule makes.
func showRuleAccount(w *wire.Writer, a *finance.RuleAction) {
	w.IntPtr("category_id", a.CategoryID)
	w.IntPtr("person_id", a.PersonID)
	w.IntPtr("classification_center_id", a.ClassificationCenterID)
	w.StringPtr("description", a.Description)
	w.StringPtr("document", a.Document)
	w.StringPtr("observation", a.Observation)
}

var reconciliationRuleFields = openapi.Fields{
	"position": {
		Doc: "Rules apply in this order; rules with the same position in the order of their ids.",
		In:  "The position among the rules; the last if null, or absent on creation.",
		Min: 1, Max: finance.MaxRulePosition, Nullable: true,
	},
	"automatic": {Doc: "Whether the worker makes the reconciles that the rule proposes. If false, they are only " +
		"suggested.", In: "False where absent on creation."},
	"text_contains": {
		Doc: "The transaction has all these texts in its descriptions or its person's name, whatever case and accents.",
		In:  "At most 10 texts, each at most 255 characters; `%` and `*` are ordinary characters.",
	},
	"amount_gte": {Doc: "The least amount of the transaction, without sign.", In: notNegative},
	"amount_lte": {Doc: "The greatest amount of the transaction, without sign.", In: notNegative},
	"type": {Doc: "The type of the transaction.", Enum: openapi.Enum{
		Name: "TransactionType", Values: []string{finance.Debit, finance.Credit}}},
	"deposit_account_id": {Doc: "The deposit account of the transaction.", In: "A deposit account of the entity."},
	"counterpart_document": {Doc: "The CPF or CNPJ of the transaction's counterpart, or the only one in its texts.",
		In: "A CPF or CNPJ, with or without punctuation."},
	"new_account": {
		Doc: "The account that the rule creates: payable for a debit, receivable for a credit, with the " +
			"transaction's amount and day. Null if the rule finds an account.",
	},
	"match": {Doc: "The open account of the same amount that the rule finds. Null if the rule creates an " +
		"account."},
	"match.category_id": {Doc: "The category of the account; null for any.", In: "A category of the account."},
	"match.person_id":   {Doc: "The person of the account; null for any.", In: "A person of the account."},
	"match.days": {Doc: "The most days between the account's due or paid day and the transaction's day.",
		In: "7 where absent.", Min: 0, Max: finance.MaxRuleDays, Nullable: true},
}
