package reports

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"strconv"
	"strings"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/storage"
	"bordero/storage/list"

	"github.com/lib/pq"
)

// MaxGroups is the most groups of a total.
const MaxGroups = 10_000

// Key is a key of groups: its name, and for ClassifierKey the id of the classifier.
type Key struct {
	Name       string
	Classifier int64
}

// Total is the number and the sums of the records of one group, in the order of Family.Sums. Keys has the value
// of each key. CurrencyID is zero if all totals have one currency.
type Total struct {
	Keys       []Value
	Count      int64
	Sums       []finance.Sum
	CurrencyID int64
}

// Value is the value of a key of a group; zero for the group of the records without one.
type Value struct {
	ID       int64  // of the record, or the status
	Text     string // the month, or the name of a classifier's value
	Name     string // of the record ID
	FullName string // of the category ID
}

// Totals counts and sums the records of a family that a list with the search has, and groups them by at most
// two keys; without a key it returns one Total. All statements run in the caller's snapshot. Values of a key
// that split a record share its sums (finance.Shares), and count it once each. The group of a category of the
// key category_tree also has the records of the categories below it.
//
// More than MaxGroups groups, a group with several currencies, an unknown classifier and a bad filter are a
// finance.Invalid.
func Totals(ctx context.Context, q storage.Queries, s Scope, f Family, search map[string]string, keys ...Key) (
	[]Total, error) {
	t := totals{Queries: q, scope: s, family: f, keys: keys, most: MaxGroups}
	if err := t.checkClassifiers(ctx); err != nil {
		return nil, err
	}
	if err := prepareSums(ctx, q); err != nil {
		return nil, err
	}
	if err := t.sum(ctx, search); err != nil {
		return nil, err
	}
	if err := t.leaveHidden(ctx); err != nil {
		return nil, err
	}
	if err := t.climb(ctx); err != nil {
		return nil, err
	}
	if len(t.groups) > t.most {
		return nil, t.tooManyGroups()
	}
	if len(keys) == 0 && len(t.groups) == 0 {
		t.group(groupKeys{})
	}
	return t.named(ctx)
}

// sum sums the records into the groups.
func (t *totals) sum(ctx context.Context, search map[string]string) error {
	t.groups = map[groupKeys]*group{}
	if err := t.choose(ctx, search); err != nil {
		return err
	}
	if err := t.sumUnsplit(ctx); err != nil {
		return err
	}
	return t.sumSplit(ctx)
}

func (t *totals) tooManyGroups() error {
	return finance.Refuse(GroupBy, messages.TooManyGroups.With(messages.Number(int64(t.most))))
}

// GroupBy is the parameter with the keys.
const GroupBy = "group_by"

// groupKeys are the keys of a group as texts; "" is null. Classifications split no record by the third.
type groupKeys [3]string

// totals is the computation of one answer.
type totals struct {
	storage.Queries
	scope  Scope
	family Family
	keys   []Key
	narrow *Narrowing // to the part of one center, or of one value of a classifier; nil for all
	most   int        // groups
	from   string     // with the conditions of the search
	args   db.Args
	groups map[groupKeys]*group
	values map[string]string // the names of the values of classifiers, by their ids as texts
}

// group has the sums of one group in cents.
type group struct {
	count    int64
	sums     []*big.Int
	currency int64 // zero if all groups have one
}

// group returns the group of keys, which it adds if it is new.
func (t *totals) group(keys groupKeys) *group {
	g := t.groups[keys]
	if g == nil {
		g = &group{sums: make([]*big.Int, len(t.family.Sums))}
		for i := range g.sums {
			g.sums[i] = new(big.Int)
		}
		t.groups[keys] = g
	}
	return g
}

// checkClassifiers refuses a classifier that the account does not have.
func (t *totals) checkClassifiers(ctx context.Context) error {
	for _, k := range t.keys {
		if k.Name != ClassifierKey {
			continue
		}
		known, err := db.One[bool](ctx, t.DB, `SELECT EXISTS (SELECT FROM custom_classifiers WHERE account_id = $1
			AND id = $2 AND deleted_at IS NULL)`, t.scope.AccountID, k.Classifier)
		if err != nil {
			return err
		}
		if !known {
			return finance.Refuse(GroupBy, messages.IDsNotExisting.With(strconv.FormatInt(k.Classifier, 10)))
		}
	}
	return nil
}

// CheckSearch returns a finance.Invalid for filters that the family's list does not have, or for values that
// cannot be read.
func (f Family) CheckSearch(search map[string]string) error {
	_, _, err := list.Conditions(f.filters(search), f.alias+".id", search)
	return err
}

// choose sets the rows that are summed.
func (t *totals) choose(ctx context.Context, search map[string]string) error {
	f := t.family
	conditions, values, err := list.Conditions(f.filters(search), f.alias+".id", search)
	if err != nil {
		return err
	}
	visible, err := t.ListVisible(ctx, t.scope.AccountID, f.table, f.alias)
	if err != nil {
		return err
	}
	t.from = f.from(search) + visible + conditions
	t.args = db.Args{"account": t.scope.AccountID, "entities": pq.Array(t.scope.EntityIDs)}
	if t.narrow != nil && !f.split(t.narrow.Key) {
		t.from += " AND " + f.alias + ".classification_center_id = @narrow"
		t.args["narrow"] = t.narrow.ID
	}
	for _, more := range []db.Args{f.args, values} {
		maps.Copy(t.args, more)
	}
	if f.ofDeposits {
		delete(t.args, "entities")
		t.args["deposit_accounts"], err = t.depositAccounts(ctx)
	}
	return err
}

// depositAccounts returns the ids of the deposit accounts whose transactions are summed. From a subquery, the planner
// would not know their number, nor that they are of the account, and would look up all transactions of the account.
func (t *totals) depositAccounts(ctx context.Context) (ids pq.Int64Array, err error) {
	return db.Many[int64](ctx, t.DB, `
		SELECT id FROM deposit_accounts WHERE account_id = $1 AND entity_id = ANY($2) AND deleted_at IS NULL
			AND ($3 = 0 OR id = $3)`, t.scope.AccountID, pq.Array(t.scope.EntityIDs), t.family.parent)
}

// split reports whether classifications may split a record among the values of a key.
func (f Family) split(k Key) bool {
	return k.Name == ClassifierKey || k.Name == "center" && f.centered != ""
}

// classified returns the condition for the records that classifications split among the values of the i-th key.
func (t *totals) classified(i int) string {
	if t.keys[i].Name == ClassifierKey {
		return t.family.valued.CustomClassified(t.family.alias, classifierParameter(i))
	}
	return t.family.centered.CenterClassified(t.family.alias)
}

func classifierParameter(i int) string { return "classifier_" + strconv.Itoa(i+1) }

// anySplit returns the condition for the records that classifications split, and its parameters; "" if no key
// splits records.
func (t *totals) anySplit() (condition string, args db.Args) {
	var any []string
	args = maps.Clone(t.args)
	for i, k := range t.keys {
		if !t.family.split(k) {
			continue
		}
		any = append(any, t.classified(i))
		if k.Name == ClassifierKey {
			args[classifierParameter(i)] = k.Classifier
		}
	}
	if n := t.narrow; n != nil && t.family.split(n.Key) {
		if n.Name == ClassifierKey {
			args["narrow_classifier"] = n.Classifier
			any = append(any, t.family.valued.CustomClassified(t.family.alias, "narrow_classifier"))
		} else {
			any = append(any, t.family.centered.CenterClassified(t.family.alias))
		}
	}
	return strings.Join(any, " OR "), args
}

// expression returns the expression of the value of the i-th key of a record that no classifications split.
func (t *totals) expression(i int) key {
	if t.keys[i].Name == ClassifierKey {
		return key{of: "CAST(NULL AS bigint)"}
	}
	return t.family.keys[t.keys[i].Name]
}

// value returns the expression of a key's value as a text, from the expression of its first value.
func (k key) value(of string) string {
	if k.again != "" {
		of = strings.ReplaceAll(k.again, "%", of)
	}
	return "CAST(" + of + " AS text)"
}

// errSeveralCurrencies refuses a group whose amounts have no sum.
var errSeveralCurrencies = finance.Refuse("currency_id", messages.SeveralCurrencies)

// summed is a row of sumUnsplit.
type summed struct {
	Key1, Key2, Key3 *string
	Count            int64
	Sums             pq.StringArray
	Currency         int64
	Several          bool // currencies
}

// sumUnsplit sums the records that no classifications split.
func (t *totals) sumUnsplit(ctx context.Context) error {
	several, err := t.severalCurrencies(ctx)
	if err != nil {
		return err
	}
	of := []string{"count(*) AS count"} // of the records
	again := []string{"CAST(coalesce(sum(count), 0) AS bigint) AS count"}
	var sums, by []string
	for i, value := range t.family.values {
		of = append(of, fmt.Sprintf("sum(%s) AS sum_%d", value, i+1))
		sums = append(sums, fmt.Sprintf("CAST(coalesce(sum(sum_%d), 0) AS text)", i+1))
	}
	if t.family.derived != "" {
		sums = append(sums, "CAST("+t.family.derived+" AS text)")
	}
	again = append(again, "ARRAY["+strings.Join(sums, ", ")+"] AS sums")
	if several {
		currency := t.family.alias + ".currency_id"
		of = append(of, "min("+currency+") AS lowest", "max("+currency+") AS highest")
		again = append(again, "coalesce(min(lowest), 0) AS currency",
			"coalesce(min(lowest) <> max(highest), false) AS several")
	}
	for i := range t.keys {
		name := fmt.Sprintf("key%d", i+1)
		of = append(of, t.expression(i).of+" AS "+name)
		again = append(again, t.expression(i).value(name)+" AS "+name)
		by = append(by, name)
	}
	from, args := t.from, t.args
	if split, more := t.anySplit(); split != "" {
		from, args = from+" AND NOT ("+split+")", more
	}
	if n := t.narrow; n != nil && t.family.split(n.Key) {
		if n.Name == ClassifierKey { // only a classification has a value
			return nil
		}
		from += " AND " + t.family.alias + ".classification_center_id = @narrow"
		args["narrow"] = n.ID
	}
	text := db.PlanEach + "SELECT " + strings.Join(again, ", ") + "\nFROM (SELECT " + strings.Join(of, ", ") +
		"\nFROM " + from + groupedBy(by) + ") g" + groupedBy(positions(len(again)-len(by), len(again)))
	if len(by) > 0 {
		text += fmt.Sprintf("\nLIMIT %d", t.most+1)
	}
	statement := db.Bind(text)
	rows, err := db.ManyNamed[summed](ctx, t.DB, statement, args)
	if err != nil {
		return err
	}
	if len(rows) > t.most {
		return t.tooManyGroups()
	}
	for _, row := range rows {
		if row.Several {
			return errSeveralCurrencies
		}
		g := t.group(groupKeys{orEmpty(row.Key1), orEmpty(row.Key2), orEmpty(row.Key3)})
		g.count, g.currency = g.count+row.Count, row.Currency
		for i, sum := range row.Sums {
			g.sums[i].Add(g.sums[i], finance.Sum(sum).Cents())
		}
	}
	return nil
}

func groupedBy(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return "\nGROUP BY " + strings.Join(keys, ", ")
}

// positions returns the numbers of the columns after the first ones.
func positions(after, all int) (numbers []string) {
	for n := after + 1; n <= all; n++ {
		numbers = append(numbers, strconv.Itoa(n))
	}
	return numbers
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// severalCurrencies reports whether the deposit accounts in scope have several currencies.
func (t *totals) severalCurrencies(ctx context.Context) (bool, error) {
	if !t.family.currencies {
		return false, nil
	}
	return db.One[bool](ctx, t.DB, `SELECT count(DISTINCT currency_id) > 1 FROM deposit_accounts
		WHERE account_id = $1 AND entity_id = ANY($2) AND deleted_at IS NULL`,
		t.scope.AccountID, pq.Array(t.scope.EntityIDs))
}
