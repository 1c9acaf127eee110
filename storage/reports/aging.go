package reports

import (
	"context"
	"slices"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/storage"

	"github.com/lib/pq"
)

// agingOf sums the accounts, without those below hidden parents, which visible leaves out if there are any. It
// sums by entity first, because each group names the entities that have some of its accounts. The number of a
// group is how many of the first days an account has reached: 0 is not overdue. Each person comes before its
// groups.
func agingOf(visible string) db.Statement {
	// How to find the accounts depends on the day: a cached plan would read all.
	return db.Bind(db.PlanEach + `
	WITH open_accounts AS (
		SELECT f.entity_id, f.person_id,
			width_bucket(CAST(@day AS date) - f.due_date, CAST(@first_days AS int[])) AS group_number,
			count(*) AS count, sum(f.amount) + coalesce(sum(f.ticket_amount), 0) + coalesce(sum(f.interest_amount), 0)
				- coalesce(sum(f.discount_amount), 0) AS sum
		FROM financial_accounts f
		WHERE f.account_id = @account AND f.entity_id = ANY (@entities) AND f.kind = @kind
			AND ` + storage.OpenOn("@day") + visible + `
		GROUP BY f.entity_id, f.person_id, group_number
	), sums AS (
		SELECT grouping(person_id) = 0 AS of_person, person_id, group_number, coalesce(sum(count), 0) AS count,
			coalesce(sum(sum), 0) AS sum,
			coalesce(json_agg(DISTINCT entity_id ORDER BY entity_id), '[]') AS entity_ids
		FROM open_accounts
		GROUP BY GROUPING SETS ((person_id, group_number), (person_id), (group_number), ())
	)
	SELECT s.of_person, s.person_id, s.group_number, s.count, s.sum, s.entity_ids, CASE WHEN s.group_number IS NULL
		THEN (SELECT name FROM people p WHERE p.account_id = @account AND p.id = s.person_id) END AS person_name
	FROM sums s
	ORDER BY s.group_number IS NULL DESC, s.sum DESC, s.person_id LIMIT @rows`)
}

// agingRow is the sum of a group, or, without a number, of all groups: of one person or of all accounts.
type agingRow struct {
	OfPerson    bool
	PersonID    *int64
	PersonName  *string
	GroupNumber *int
	Count       int64
	Sum         finance.Sum
	EntityIDs   finance.IDs
}

// Aging fills the total and the people of an aging, by groups with the bounds. More than
// finance.MaxAgingPeople people are a finance.Invalid.
func Aging(ctx context.Context, tx *storage.Tx, s Scope, bounds finance.AgingBounds, a *finance.Aging) error {
	visible, err := tx.ListVisible(ctx, s.AccountID, "financial_accounts", "f")
	if err != nil {
		return err
	}
	if err := prepareSums(ctx, tx.Queries); err != nil {
		return err
	}
	groups, sums := bounds.Groups(), agingOf(visible)
	rows, err := db.ManyNamed[agingRow](ctx, tx.DB, sums, db.Args{
		"account": s.AccountID, "entities": pq.Array(s.EntityIDs), "kind": a.Kind, "day": a.On,
		"first_days": pq.Array(bounds.FirstDays()), "rows": (finance.MaxAgingPeople + 1) * (len(groups) + 1),
	})
	if err != nil {
		return err
	}
	a.Total.Groups = slices.Clone(groups)
	places := map[int64]int{} // of people, by id; 0 is no person
	for _, r := range rows {
		person := finance.OrZero(r.PersonID)
		switch at, known := places[person]; {
		case !r.OfPerson:
			r.add(&a.Total)
		case known:
			r.add(&a.People[at].AgingTotal)
		case len(a.People) == finance.MaxAgingPeople:
			return finance.Refuse(finance.Base, messages.TooManyPeople.With(finance.MaxAgingPeople))
		default:
			places[person] = len(a.People)
			a.People = append(a.People, finance.PersonAging{PersonID: r.PersonID, PersonName: r.PersonName,
				AgingTotal: finance.AgingTotal{Count: r.Count, Sum: r.Sum, Groups: slices.Clone(groups)}})
		}
	}
	return nil
}

// add sets the sum of a group, or of all groups, of a total.
func (r *agingRow) add(to *finance.AgingTotal) {
	if r.GroupNumber == nil {
		to.Count, to.Sum = r.Count, r.Sum
		return
	}
	g := &to.Groups[*r.GroupNumber]
	g.Count, g.Sum, g.EntityIDs = r.Count, r.Sum, r.EntityIDs
}
