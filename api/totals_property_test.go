package api_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/internal/tier"
)

// summedList is a family of records with totals, as its list shows them.
type summedList struct {
	path   string // below an entity
	search string // that the totals need
	keys   []string
	sums   []string
	parent string // the member with the id of the parent, if the family also has totals below one parent
	below  string // the path of the list of parents
}

var summedLists = []summedList{
	{"financial_transactions", "&search[currency_id]=1", []string{"category", "category_tree", "person", "center",
		"month", "deposit_account", "entity"}, []string{"credits", "debits", "sum"}, "deposit_account_id",
		"deposit_accounts/%v/financial_transactions"},
	{"payable_accounts", "", accountKeys, accountSums, "", ""},
	{"receivable_accounts", "", accountKeys, accountSums, "", ""},
	{"sales", "", []string{"status", "category", "category_tree", "person", "center", "classifier:9001",
		"classifier:9002", "month", "competency_month", "entity"},
		[]string{"nominal_amount", "total_amount", "net_amount", "receivable_amount"}, "", ""},
	{"credit_cards/transactions", "", []string{"category", "category_tree", "person", "center", "classifier:9001",
		"classifier:9002", "month", "entity"}, []string{"amount"}, "credit_card_id", "credit_cards/%v/transactions"},
}

var (
	accountKeys = []string{"status", "category", "category_tree", "person", "center", "classifier:9001",
		"classifier:9002", "month", "competency_month", "deposit_account", "entity"}
	accountSums = []string{"amount", "total_amount", "due_amount"}
)

// listedRecord is a record as its list shows it.
type listedRecord struct {
	entity int64
	family summedList
	shown  map[string]any
}

// keyShare is the share of a record that one value of a key has: cents for each sum.
type keyShare struct {
	value string
	cents []int64
}

// summedGroup is the number and the sums in cents of a group.
type summedGroup struct {
	count int64
	cents []int64
}

// parentOf has the categories of the books below another.
var parentOf = map[string]string{"9002": "9001", "9003": "9002", "9004": "9001"}

// Every total is the sum of the records that the lists with the same filters have, to the cent, split or not.
func TestTotalsFollowFromTheLists(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	b := newFlowBooks(t, r)
	b.classify(t, r)
	for _, f := range summedLists {
		for _, search := range []string{"", "&search[category_tree]=9002", "&search[person_id_is_null]=true"} {
			search = f.search + search
			var all []listedRecord
			for _, e := range b.entityIDs {
				all = append(all, b.listed(t, f, e, search)...)
			}
			if len(all) < 5 {
				t.Fatalf("%d records of %s%s", len(all), f.path, search)
			}
			for _, keys := range f.groupings(r) {
				path, of := b.totals(r, f, all, slices.Contains(keys, "entity"))
				b.checkTotals(t, path+search, f, of, keys)
			}
		}
	}
}

// groupings returns no keys, each key and some pairs; in the long tier all pairs.
func (f summedList) groupings(r *rand.Rand) (all [][]string) {
	all = append(all, nil)
	var pairs [][]string
	for _, one := range f.keys {
		all = append(all, []string{one})
		for _, other := range f.keys {
			if one != other && !(strings.HasPrefix(one, "category") && strings.HasPrefix(other, "category")) {
				pairs = append(pairs, []string{one, other})
			}
		}
	}
	r.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	return append(all, pairs[:min(tier.Size(6, 200), len(pairs))]...)
}

// totals chooses the totals of all entities, of some, of one, or of the record above a record, and the records
// that they are of.
func (b *flowBooks) totals(r *rand.Rand, f summedList, all []listedRecord, wide bool) (string, []listedRecord) {
	of := func(is func(listedRecord) bool) []listedRecord {
		return slices.DeleteFunc(slices.Clone(all), func(r listedRecord) bool { return !is(r) })
	}
	first, way := all[r.IntN(len(all))], r.IntN(4)
	switch {
	case way == 0:
		return "/" + f.path + "/totals?", all
	case way == 1 || wide:
		return fmt.Sprintf("/%s/totals?entities=%d,%d", f.path, b.entityIDs[0], b.entityIDs[2]),
			of(func(r listedRecord) bool { return r.entity != b.entityIDs[1] })
	case way == 2 && f.parent != "":
		return fmt.Sprintf("/entities/%d/"+f.below+"/totals?", first.entity, first.shown[f.parent]),
			of(func(r listedRecord) bool { return r.shown[f.parent] == first.shown[f.parent] })
	}
	return fmt.Sprintf("/entities/%d/%s/totals?", first.entity, f.path),
		of(func(r listedRecord) bool { return r.entity == first.entity })
}

// listed returns all records of a list.
func (b *flowBooks) listed(t *testing.T, f summedList, entity int64, search string) (all []listedRecord) {
	t.Helper()
	a := b.call(t, "GET", fmt.Sprintf("/entities/%d/%s?per_page=500%s", entity, f.path, search)).want(t, 200)
	for _, wrapped := range a.value(t).([]any) {
		for _, shown := range wrapped.(map[string]any) {
			all = append(all, listedRecord{entity, f, shown.(map[string]any)})
		}
	}
	return all
}

// checkTotals compares the totals at a path with the records.
func (b *flowBooks) checkTotals(t *testing.T, path string, f summedList, of []listedRecord, keys []string) {
	t.Helper()
	want, whole := map[[2]string]*summedGroup{}, &summedGroup{cents: make([]int64, len(f.sums))}
	if len(keys) == 0 {
		want[[2]string{}] = whole
	} else {
		path += "&group_by=" + strings.Join(keys, ",")
	}
	for _, r := range of {
		whole.add(r.sums(t))
		if len(keys) > 0 {
			r.addTo(t, want, keys)
		}
	}
	members := []string{}
	for i, k := range keys {
		members = append(members, memberOf(k))
		if i == 1 && members[0] == members[1] {
			members[1] = "second_" + members[1]
		}
	}
	got, sum := map[[2]string]*summedGroup{}, make([]int64, len(f.sums))
	for _, shown := range b.shownTotals(t, path, len(keys) > 0) {
		var label [2]string
		for i, member := range members {
			label[i] = fmt.Sprint(shown[member])
		}
		g := &summedGroup{}
		_, _ = fmt.Sscan(fmt.Sprint(shown["count"]), &g.count)
		for i, name := range f.sums {
			g.cents = append(g.cents, centsOf(t, shown[name]))
			sum[i] += g.cents[i]
		}
		if got[label] != nil {
			t.Errorf("%s has the group %v twice", path, label)
		}
		got[label] = g
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d groups, want %d", path, len(got), len(want))
	}
	for label, g := range want {
		if got[label] == nil || fmt.Sprint(*got[label]) != fmt.Sprint(*g) {
			t.Errorf("%s: %v is %v, want %v", path, label, got[label], g)
		}
	}
	if !slices.Contains(keys, "category_tree") && !slices.Equal(sum, whole.cents) {
		t.Errorf("%s: the groups add up to %v, the list to %v", path, sum, whole.cents)
	}
}

// shownTotals returns the totals at a path.
func (b *flowBooks) shownTotals(t *testing.T, path string, grouped bool) (all []map[string]any) {
	t.Helper()
	shown := b.call(t, "GET", path).want(t, 200).value(t).(map[string]any)["totals"]
	if !grouped {
		return []map[string]any{shown.(map[string]any)}
	}
	for _, one := range shown.([]any) {
		all = append(all, one.(map[string]any)["total"].(map[string]any))
	}
	return all
}

func (g *summedGroup) add(cents []int64) {
	g.count++
	for i, n := range cents {
		g.cents[i] += n
	}
}

// memberOf returns the member that shows a key of groups.
func memberOf(key string) string {
	switch key {
	case "center":
		return "classification_center_id"
	case "category", "person", "deposit_account", "entity":
		return key + "_id"
	case "category_tree":
		return "category_id"
	case "status", "month", "competency_month":
		return key
	}
	return "custom_classification_name"
}

// centsOf returns an amount as cents; null is 0.
func centsOf(t *testing.T, value any) int64 {
	t.Helper()
	if value == nil {
		return 0
	}
	var a finance.Amount
	if err := a.UnmarshalText(fmt.Append(nil, value)); err != nil {
		t.Fatalf("%v: %v", value, err)
	}
	return int64(a)
}

// sums returns the cents that a record has in each sum of its family.
func (r listedRecord) sums(t *testing.T) (all []int64) {
	t.Helper()
	amount := centsOf(t, r.shown["amount"])
	for _, name := range r.family.sums {
		cents := centsOf(t, r.shown[name])
		switch name {
		case "credits":
			cents = max(0, amount)
		case "debits":
			cents = min(0, amount)
		case "sum":
			cents = amount
		case "due_amount":
			if fmt.Sprint(r.shown["status"]) == "1" {
				cents = amount + centsOf(t, r.shown["ticket_amount"]) + centsOf(t, r.shown["interest_amount"]) -
					centsOf(t, r.shown["discount_amount"])
			}
		}
		all = append(all, cents)
	}
	return all
}

// addTo adds a record to the groups by the keys. A record belongs to one group by most keys; by category_tree, to
// the group of each ancestor of its category; by a key that splits it, to the group of each part.
func (r listedRecord) addTo(t *testing.T, groups map[[2]string]*summedGroup, keys []string) {
	t.Helper()
	whole := r.sums(t)
	seconds := [][]keyShare{{{"", whole}}}
	if len(keys) == 2 {
		seconds = r.shares(t, keys[1], whole)
	}
	for _, rows := range r.shares(t, keys[0], whole) {
		for _, columns := range seconds {
			cells := make([][]int64, len(rows)*len(columns)) // by row and column, each with all sums
			for sum := range whole {
				for i, n := range crossed(whole[sum], rows, columns, sum) {
					cells[i] = append(cells[i], n)
				}
			}
			for i, cents := range cells {
				label := [2]string{rows[i/len(columns)].value, columns[i%len(columns)].value}
				if groups[label] == nil {
					groups[label] = &summedGroup{cents: make([]int64, len(whole))}
				}
				groups[label].add(cents)
			}
		}
	}
}

// crossed returns row × column ÷ whole for each row and column, in cents: the ones left go to the largest.
func crossed(whole int64, rows, columns []keyShare, sum int) (cells []int64) {
	var products []int64
	left := whole
	for _, row := range rows {
		for _, column := range columns {
			product := row.cents[sum] * column.cents[sum]
			cell := int64(0)
			if whole != 0 {
				cell = product / whole
			}
			products, cells, left = append(products, product), append(cells, cell), left-cell
		}
	}
	for ; left != 0; left -= sign(left) {
		largest := slices.Index(products, slices.Max(products))
		cells[largest] += sign(left)
		products[largest] = -1
	}
	return cells
}

func sign(n int64) int64 {
	if n < 0 {
		return -1
	}
	return 1
}

// shares returns the shares of a record by a key; by category_tree several times the whole.
func (r listedRecord) shares(t *testing.T, key string, whole []int64) [][]keyShare {
	t.Helper()
	member := memberOf(key)
	switch classifier, is := strings.CutPrefix(key, "classifier:"); {
	case is:
		return [][]keyShare{r.parts(t, "custom_classifications", "name", "<nil>", whole, func(p map[string]any) bool {
			return fmt.Sprint(p["custom_classifier_id"]) == classifier
		})}
	case key == "center":
		return [][]keyShare{r.parts(t, "classification_center_classifications", member, fmt.Sprint(r.shown[member]),
			whole, func(map[string]any) bool { return true })}
	case key == "entity":
		return [][]keyShare{{{fmt.Sprint(r.entity), whole}}}
	case key == "month":
		day := r.shown["due_date"]
		if day == nil || r.family.path == "sales" {
			day = r.shown["occurred_at"]
		}
		return [][]keyShare{{{fmt.Sprint(day)[:len("2026-08")], whole}}}
	case key == "deposit_account" && r.shown[member] == nil:
		member = "expected_deposit_account_id"
	}
	value := fmt.Sprint(r.shown[member])
	all := [][]keyShare{{{value, whole}}}
	for above := parentOf[value]; key == "category_tree" && above != ""; above = parentOf[above] {
		all = append(all, []keyShare{{above, whole}})
	}
	return all
}

// parts returns the shares of the parts in a list of a record: of each sum the amount of a part, or else its
// percentage, at most what the parts before it left. What is left is null's. A record without parts is whole.
func (r listedRecord) parts(t *testing.T, list, member, without string, whole []int64,
	is func(map[string]any) bool) (shares []keyShare) {
	t.Helper()
	left, some := slices.Clone(whole), false
	add := func(value string, cents []int64) {
		i := slices.IndexFunc(shares, func(s keyShare) bool { return s.value == value })
		if i < 0 {
			i, shares = len(shares), append(shares, keyShare{value, make([]int64, len(whole))})
		}
		for sum, n := range cents {
			shares[i].cents[sum] += n
			left[sum] -= n
		}
	}
	parts, _ := r.shown[list].([]any)
	for _, part := range parts {
		p := part.(map[string]any)
		if !is(p) {
			continue
		}
		cents := slices.Clone(left)
		for sum := range whole {
			size, negative := max(whole[sum], -whole[sum]), sign(whole[sum])
			switch most := left[sum] * negative; {
			case p["amount"] != nil:
				cents[sum] = negative * min(most, centsOf(t, p["amount"]))
			case p["percentage"] != nil:
				cents[sum] = negative * min(most, (size*tenThousandths(t, p["percentage"])+500_000)/1_000_000)
			}
		}
		add(fmt.Sprint(p[member]), cents)
		some = true
	}
	if !some {
		return []keyShare{{without, whole}}
	}
	if slices.ContainsFunc(left, func(n int64) bool { return n != 0 }) {
		add("<nil>", slices.Clone(left))
	}
	return shares
}

// tenThousandths returns a percentage in units of 0.0001.
func tenThousandths(t *testing.T, percentage any) int64 {
	t.Helper()
	var p finance.Percentage
	if err := p.UnmarshalText(fmt.Append(nil, percentage)); err != nil {
		t.Fatalf("%v: %v", percentage, err)
	}
	return int64(p)
}
