package storage

import (
	"context"
	"fmt"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/storage/list"
)

var budgetWritable = db.ColumnsOf[finance.Budget](`month, category_id, classification_center_id, amount`)

var budgetColumns = `b.id, b.account_id, b.entity_id, ` + budgetWritable.List("b.") + `, b.created_at, b.updated_at`

// budgetsOf selects the budgets of an entity, without budgets of hidden categories and centers.
var budgetsOf = `budgets b WHERE b.account_id = @account AND b.entity_id = @entity AND ` + OwnerVisible("budgets", "b")

var (
	readBudget    = db.Named("budgets.read", `SELECT `+budgetColumns+` FROM `+budgetsOf+` AND b.id = @id`)
	insertBudgets = db.Named("budgets.insert", `
		INSERT INTO budgets AS b (account_id, entity_id, `+budgetWritable.List("")+`)
		SELECT @account, @entity, `+budgetWritable.List("n.")+`
		FROM json_populate_recordset(NULL::budgets, @budgets) WITH ORDINALITY n ORDER BY n.ordinality
		RETURNING `+budgetColumns)
	updateBudget = db.Named("budgets.update", `
		UPDATE budgets AS b SET `+budgetWritable.Assignments()+`, updated_at = now()
		WHERE b.account_id = @account AND b.entity_id = @entity AND b.id = @id RETURNING `+budgetColumns)
)

var budgetFilters = list.Table("Budget", map[string]list.Filter{
	"month_equals": list.Where("b.month = CAST(? AS date)", list.Month, "Of this month, `YYYY-MM`."),
	"month_gte": list.Where("b.month >= CAST(? AS date)", list.Month,
		"Of this month, `YYYY-MM`, or later."),
	"month_lte": list.Where("b.month <= CAST(? AS date)", list.Month,
		"Of this month, `YYYY-MM`, or earlier."),
	"category_id_equals":              list.Where("b.category_id = ?", list.ID, "Category, without those below it."),
	"classification_center_id_equals": list.Where("b.classification_center_id = ?", list.ID, "Center."),
	"classification_center_id_is_null": list.Where("(b.classification_center_id IS NULL) = ?", list.Boolean,
		"Without a center."),
	"updated_at_gte": list.ChangedSince("b."),
})

// Budgets lists the budgets of the entity by month.
func (q Queries) Budgets(ctx context.Context, s Scope, l list.Query) (list.Page[finance.Budget], error) {
	return list.Read[finance.Budget](ctx, q.DB, l, budgetFilters, budgetColumns, budgetsOf,
		list.By("b.id", list.DayKey("b.month")), db.Args{"account": s.AccountID, "entity": s.EntityID})
}

// Budget reads one budget of the entity.
func (q Queries) Budget(ctx context.Context, s Scope, id int64) (*finance.Budget, error) {
	b, err := db.OneNamed[finance.Budget](ctx, q.DB, readBudget,
		db.Args{"account": s.AccountID, "entity": s.EntityID, "id": id})
	return &b, err
}

// BudgetsGoWith reports whether budgets are removed with deleted records, to which they refer by the column.
func (tx *Tx) BudgetsGoWith(ctx context.Context, account int64, column string, ids []int64) (bool, error) {
	if owners["budgets"][column] == "" {
		return false, nil
	}
	going := db.Bind(`
		SELECT EXISTS (
			SELECT FROM budgets b
			WHERE b.account_id = @account AND b.` + column + ` = ANY(@ids::bigint[]) AND ` + EntityVisible("b") + `)`)
	return db.OneNamed[bool](ctx, tx.DB, going, db.Args{"account": account, "ids": ids})
}

// LockBudget reads one budget of the entity to change it. It locks the entity FOR NO KEY UPDATE, as every write of its
// budgets does, and protects the category and the center from deletion until the transaction ends.
func (tx *Tx) LockBudget(ctx context.Context, s Scope, id int64) (*finance.Budget, error) {
	if _, err := tx.LockEntity(ctx, s); err != nil {
		return nil, err
	}
	b, err := tx.Budget(ctx, s, id)
	if err != nil {
		return nil, err
	}
	faults, err := tx.ShareEach(ctx, s, finance.Access{}, []Refers{BudgetRefersTo(b)})
	if err == nil && faults[0] != nil { // one was hidden meanwhile
		err = ErrNotFound
	}
	return b, err
}

// InsertBudgets stores new budgets of one entity, whose identities are claimed, and fills in the columns that the
// database sets.
func (tx *Tx) InsertBudgets(ctx context.Context, budgets []*finance.Budget) error {
	rows, err := budgetWritable.JSON(dereferenced(budgets))
	if err != nil {
		return err
	}
	stored, err := db.ManyNamed[finance.Budget](ctx, tx.DB, insertBudgets, db.Args{
		"account": budgets[0].AccountID, "entity": budgets[0].EntityID, "budgets": string(rows),
	})
	for i := range stored {
		*budgets[i] = stored[i]
	}
	return err
}

// UpdateBudget stores the changes of a locked budget, whose new identity is claimed.
func (tx *Tx) UpdateBudget(ctx context.Context, b *finance.Budget) error {
	kept, err := db.OneNamed[finance.Budget](ctx, tx.DB, updateBudget, budgetWritable.Args(b), db.Args{
		"account": b.AccountID, "entity": b.EntityID, "id": b.ID,
	})
	if err != nil {
		return err
	}
	*b = kept
	return nil
}

// RemoveBudget removes a budget.
func (tx *Tx) RemoveBudget(ctx context.Context, b *finance.Budget) error {
	_, err := db.Exec(ctx, tx.DB, `DELETE FROM budgets WHERE account_id = $1 AND id = $2`, b.AccountID, b.ID)
	return err
}

// BudgetRefersTo returns the records that a budget refers to.
func BudgetRefersTo(b *finance.Budget) Refers {
	return Refers{References: &finance.References{CategoryID: b.CategoryID,
		ClassificationCenterID: b.ClassificationCenterID}}
}

// BudgetIdentities are the months, categories and centers of budgets, as BudgetIdentity returns them.
var BudgetIdentities = Identities{kind: "budgets", table: "budgets",
	taken: finance.Message{Attribute: "month", Fault: messages.BudgetTaken},
	read: db.Named("budgets.identities", `
		SELECT b.id, i.identity, false AS hidden
		FROM unnest(@identities::text[]) AS i (identity)
		JOIN budgets b ON b.account_id = @account AND b.entity_id = @entity
			AND b.month = split_part(i.identity, '/', 1)::date
			AND b.category_id = split_part(i.identity, '/', 2)::bigint
			AND b.classification_center_id IS NOT DISTINCT FROM nullif(split_part(i.identity, '/', 3), '0')::bigint
		WHERE `+OwnerVisible("budgets", "b")+` ORDER BY b.id`)}

// BudgetIdentity returns the month, the category and the center of a budget as one text, or nil without a month or a
// category.
func BudgetIdentity(b *finance.Budget) *string {
	if b.Month.IsZero() || b.CategoryID == nil {
		return nil
	}
	text := fmt.Sprintf("%s-01/%d/%d", b.Month, *b.CategoryID, finance.OrZero(b.ClassificationCenterID))
	return &text
}
