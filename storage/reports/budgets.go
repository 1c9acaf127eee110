package reports

import (
	"context"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/storage"

	"github.com/lib/pq"
)

var readPlanned = db.Named("reports.planned", `
	SELECT b.entity_id, b.category_id, b.month, CASE WHEN k.revenue THEN b.amount ELSE -b.amount END AS amount
	FROM budgets b
	JOIN categories k ON k.account_id = b.account_id AND k.id = b.category_id AND k.deleted_at IS NULL
	WHERE b.account_id = @account AND b.entity_id = ANY (@entities) AND b.month BETWEEN @from AND @to
		AND b.classification_center_id IS NOT DISTINCT FROM @center
	ORDER BY b.entity_id, b.month, b.category_id LIMIT @most`)

// Budgets returns the budgets from one month to another: those of a center, or, for nil, those without one, which are
// the whole category's. center is one that exists. A budget includes the categories below its own, so where a
// category has one in a month, the budgets below it are not added; else their sum is that of the category. More than
// maxIncomeEntries budgets are a finance.Invalid under against.
func Budgets(ctx context.Context, q storage.Queries, s Scope, from, to finance.Month, center *int64) ([]finance.Planned,
	error) {
	all, err := db.ManyNamed[finance.Planned](ctx, q.DB, readPlanned, db.Args{
		"account": s.AccountID, "entities": pq.Array(s.EntityIDs), "from": from, "to": to, "center": center,
		"most": maxIncomeEntries + 1,
	})
	if err == nil && len(all) > maxIncomeEntries {
		err = finance.Refuse("against", messages.TooManyBudgets.With(messages.Number(maxIncomeEntries)))
	}
	return all, err
}
