package reports

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"bordero/finance"
	"bordero/internal/db"

	"github.com/lib/pq"
)

// TreeKey is the key of the categories with the categories below them.
const TreeKey = "category_tree"

// leaveHidden adds the groups of hidden categories to those without a category, as climb does: a job has yet to clear
// the references to them.
func (t *totals) leaveHidden(ctx context.Context) error {
	at := slices.IndexFunc(t.keys, func(k Key) bool { return k.Name == "category" })
	if at < 0 {
		return nil
	}
	hidden, err := db.Many[string](ctx, t.DB, `SELECT CAST(id AS text) FROM categories
		WHERE account_id = $1 AND deleted_at IS NOT NULL`, t.scope.AccountID)
	if err != nil {
		return err
	}
	for keys, g := range t.groups {
		if !slices.Contains(hidden, keys[at]) {
			continue
		}
		delete(t.groups, keys)
		keys[at] = ""
		if err := t.group(keys).add(g); err != nil {
			return err
		}
	}
	return nil
}

// climb adds the groups of each category to the groups of the categories above it.
func (t *totals) climb(ctx context.Context) error {
	at := slices.IndexFunc(t.keys, func(k Key) bool { return k.Name == TreeKey })
	if at < 0 {
		return nil
	}
	type category struct{ ID, ParentID int64 }
	all, err := db.Many[category](ctx, t.DB, `SELECT id, coalesce(parent_id, 0) AS parent_id FROM categories
		WHERE account_id = $1 AND deleted_at IS NULL`, t.scope.AccountID)
	if err != nil {
		return err
	}
	above := map[int64]int64{}
	for _, c := range all {
		above[c.ID] = c.ParentID
	}
	leaves := t.groups
	t.groups = map[groupKeys]*group{}
	for keys, leaf := range leaves {
		id, _ := strconv.ParseInt(keys[at], 10, 64)
		if _, known := above[id]; !known {
			keys[at] = ""
			if err := t.group(keys).add(leaf); err != nil {
				return err
			}
			continue
		}
		for ; id != 0; id = above[id] {
			keys[at] = strconv.FormatInt(id, 10)
			if err := t.group(keys).add(leaf); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds the sums of another group, which must have the same currency.
func (g *group) add(o *group) error {
	if g.count > 0 && g.currency != o.currency {
		return errSeveralCurrencies
	}
	g.count, g.currency = g.count+o.count, o.currency
	for i := range g.sums {
		g.sums[i].Add(g.sums[i], o.sums[i])
	}
	return nil
}

// names are the statements for the names of the records of each key.
var names = map[string]string{
	"category":        `SELECT id, name, full_name FROM categories WHERE account_id = $1 AND id = ANY($2)`,
	TreeKey:           `SELECT id, name, full_name FROM categories WHERE account_id = $1 AND id = ANY($2)`,
	"person":          `SELECT id, name FROM people WHERE account_id = $1 AND id = ANY($2)`,
	"center":          `SELECT id, name FROM classification_centers WHERE account_id = $1 AND id = ANY($2)`,
	EntityKey:         `SELECT id, name FROM entities WHERE account_id = $1 AND id = ANY($2)`,
	"deposit_account": `SELECT id, name FROM deposit_accounts WHERE account_id = $1 AND id = ANY($2)`,
}

// named returns the groups with the names of their keys. They are in the order of their keys: ids, months and
// the texts of classifiers ascending, a tree by its full names, null last.
func (t *totals) named(ctx context.Context) ([]Total, error) {
	var values [2]map[string]Value
	for i := range t.keys {
		var err error
		if values[i], err = t.valuesOf(ctx, i); err != nil {
			return nil, err
		}
	}
	all := []Total{}
	for keys, g := range t.groups {
		one := Total{Count: g.count, CurrencyID: g.currency}
		for i := range t.keys {
			one.Keys = append(one.Keys, values[i][keys[i]])
		}
		for _, sum := range g.sums {
			one.Sums = append(one.Sums, finance.SumOf(sum))
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b Total) int {
		order := 0
		for i := range t.keys {
			order = cmp.Or(order, t.compare(i, a.Keys[i], b.Keys[i]))
		}
		return order
	})
	return all, nil
}

// compare compares two values of the i-th key.
func (t *totals) compare(i int, a, b Value) int {
	null := func(v Value) bool { return v == Value{} && t.keys[i].Name != "status" } // 0 is a status
	switch {
	case null(a) && null(b):
		return 0
	case null(a):
		return 1
	case null(b):
		return -1
	case t.keys[i].Name == TreeKey:
		return cmp.Or(cmp.Compare(a.FullName, b.FullName), cmp.Compare(a.ID, b.ID))
	}
	return cmp.Or(cmp.Compare(a.Text, b.Text), cmp.Compare(a.ID, b.ID))
}

// valuesOf returns the values of the i-th key in all groups, by their texts.
func (t *totals) valuesOf(ctx context.Context, i int) (map[string]Value, error) {
	values := map[string]Value{}
	statement, named := names[t.keys[i].Name]
	var ids []int64
	for keys := range t.groups {
		text := keys[i]
		if _, known := values[text]; known || text == "" {
			continue
		}
		id, err := strconv.ParseInt(text, 10, 64)
		switch {
		case t.keys[i].Name == ClassifierKey:
			values[text] = Value{Text: t.values[text]}
		case err != nil: // a month
			values[text] = Value{Text: text}
		default:
			values[text] = Value{ID: id}
			ids = append(ids, id)
		}
	}
	if !named || len(ids) == 0 {
		return values, nil
	}
	type row struct {
		ID             int64
		Name, FullName string
	}
	rows, err := db.Many[row](ctx, t.DB, statement, t.scope.AccountID, pq.Array(ids))
	for _, r := range rows {
		values[strconv.FormatInt(r.ID, 10)] = Value{ID: r.ID, Name: r.Name, FullName: r.FullName}
	}
	return values, err
}
