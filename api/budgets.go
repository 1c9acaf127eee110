package api

import (
	"context"
	"net/http"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
)

var budgets = resource[finance.Budget]{
	root: "budget", plural: "budgets",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (list.Page[finance.Budget], error) {
		return q.Budgets(ctx, c.scope(), l)
	},
	find: func(ctx context.Context, q storage.Queries, c *call, id int64) (*finance.Budget, error) {
		return q.Budget(ctx, c.scope(), id)
	},
	lock: func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.Budget, error) {
		return tx.LockBudget(ctx, c.scope(), id)
	},
	parent: parent{lock: lockBudgets},
	newRecord: func(c *call) *finance.Budget {
		return &finance.Budget{AccountID: c.access.AccountID, EntityID: c.entityID}
	},
	assign: func(in *wire.Input, b *finance.Budget) {
		wire.DecodeInto(in, "month", &b.Month)
		in.IntPtr("category_id", &b.CategoryID)
		in.IntPtr("classification_center_id", &b.ClassificationCenterID)
		wire.DecodeIntoPtr(in, "amount", &b.Amount)
	},
	validate: (*finance.Budget).Validate,
	identity: func(c *call, b *finance.Budget) identity {
		return identity{storage.BudgetIdentities, c.scope(), b.ID, storage.BudgetIdentity(b)}
	},
	refers: storage.BudgetRefersTo,
	insert: (*storage.Tx).InsertBudgets,
	update: (*storage.Tx).UpdateBudget,
	remove: (*storage.Tx).RemoveBudget,
	events: func(_ *call, b *finance.Budget, action finance.Action) []finance.Event {
		return []finance.Event{{
			Family: finance.BudgetsFamily, Action: action, AccountID: b.AccountID, EntityID: b.EntityID,
			IDs: []int64{b.ID},
		}}
	},
	show: showBudget,
	path: func(_ *call, b *finance.Budget) string { return paths.Budget(b.EntityID, b.ID) },
}

// lockBudgets locks the entity, so that writes of its budgets wait for each other: a batch locks budgets after their
// identities, and a change of one claims its identity under its lock.
func lockBudgets(ctx context.Context, tx *storage.Tx, c *call) error {
	_, err := tx.LockEntity(ctx, c.scope())
	return found(err, entities.root, c.entityID)
}

func showBudget(_ *call, w *wire.Writer, b *finance.Budget) {
	w.Int("id", b.ID)
	w.Int("entity_id", b.EntityID)
	w.String("month", b.Month.String())
	w.Int("category_id", finance.OrZero(b.CategoryID))
	w.IntPtr("classification_center_id", b.ClassificationCenterID)
	wire.Decimal(w, "amount", finance.OrZero(b.Amount))
	w.Time("created_at", b.CreatedAt)
	w.Time("updated_at", b.UpdatedAt)
}

// newBudget answers with the template of a budget. The status is 200.
func (a *API) newBudget(c *call) error {
	if err := budgets.checkParents(c.ctx(), a.Store.Queries, c); err != nil {
		return err
	}
	return c.send(c.answer(http.StatusOK, func(w *wire.Writer) {
		w.Object(budgets.root, func() { showBudgetTemplate(c, w, budgets.newRecord(c)) })
	}))
}

func showBudgetTemplate(_ *call, w *wire.Writer, b *finance.Budget) {
	w.IntPtr("id", nil)
	w.Int("entity_id", b.EntityID)
	w.Null("month")
	w.IntPtr("category_id", nil)
	w.IntPtr("classification_center_id", nil)
	wire.DecimalPtr[finance.Amount](w, "amount", nil)
	w.TimePtr("created_at", nil)
	w.TimePtr("updated_at", nil)
}

var budgetFields = openapi.Fields{
	"entity_id": {Doc: "Its entity."},
	"month":     {Doc: "The month of the budget.", In: "`YYYY-MM`.", Pattern: monthPattern, Example: "2026-08"},
	"category_id": {Doc: "The category of the budget, with the categories below it.",
		In: "A category of the account."},
	"classification_center_id": {Doc: "The center of the budget; null for the whole category.",
		In: "A center of the entity."},
	"amount": {Doc: "The amount in reais, without sign: that of an expense too.", In: notNegative, Example: "1500.00"},
}
