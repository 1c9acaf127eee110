package reports

import (
	"context"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"bordero/finance"
	"bordero/internal/db"

	"github.com/lib/pq"
)

// splitRecord is a record that classifications split.
type splitRecord struct {
	Key1, Key2, Key3      *string       // of a key that does not split it
	Cents                 pq.Int64Array // the values that are summed
	CustomClassifications finance.CustomClassifications
	CenterClassifications finance.CenterClassifications
}

// sumSplit adds the records that classifications split to the groups, one record at a time: finance has the
// rules.
func (t *totals) sumSplit(ctx context.Context) error {
	condition, args := t.anySplit()
	if condition == "" {
		return nil
	}
	alias := t.family.alias
	var columns, cents []string
	for _, value := range t.family.values {
		cents = append(cents, "CAST(coalesce("+value+", 0) * 100 AS bigint)")
	}
	columns = append(columns, "ARRAY["+strings.Join(cents, ", ")+"] AS cents")
	if t.family.valued != "" {
		columns = append(columns, t.family.valued.CustomClassifications(alias))
	}
	if t.family.centered != "" {
		columns = append(columns, t.family.centered.CenterClassifications(alias))
	}
	for i := range t.keys {
		e := t.expression(i)
		columns = append(columns, fmt.Sprintf("%s AS key%d", e.value(e.of), i+1))
	}
	statement := db.Bind(db.PlanEach + "SELECT " + strings.Join(columns, ", ") + "\nFROM " + t.from +
		" AND (" + condition + ")")
	t.values = map[string]string{}
	return db.Each(ctx, t.DB, statement.SQL, func(r *splitRecord) error {
		t.addSplit(r)
		if len(t.groups) > t.most {
			return t.tooManyGroups()
		}
		return nil
	}, statement.Args(args)...)
}

// share is the share of a record that one value of a key has: an amount for each sum.
type share struct {
	key     string
	amounts []finance.Amount
}

// addSplit adds a record to the groups of its shares.
func (t *totals) addSplit(r *splitRecord) {
	if t.narrow != nil && !t.cutTo(r, t.narrow) {
		return
	}
	ways := [2][]share{{{amounts: amounts(r.Cents)}}, {{amounts: amounts(r.Cents)}}}
	for i, k := range t.keys[:min(len(t.keys), len(ways))] {
		ways[i] = t.shares(r, k, orEmpty([]*string{r.Key1, r.Key2}[i]))
	}
	for sum := range r.Cents {
		of := func(way []share) (all []finance.Amount) {
			for _, s := range way {
				all = append(all, s.amounts[sum])
			}
			return all
		}
		for i, row := range finance.Product(finance.Amount(r.Cents[sum]), of(ways[0]), of(ways[1])) {
			for j, amount := range row {
				g := t.group(groupKeys{ways[0][i].key, ways[1][j].key, orEmpty(r.Key3)})
				g.sums[sum].Add(g.sums[sum], big.NewInt(int64(amount)))
				if sum == 0 {
					g.count++
				}
			}
		}
	}
}

// Narrowing selects the part of a center, or of a value of a classifier, in each record.
type Narrowing struct {
	Key
	ID int64 // of the center or the value
}

// cutTo reduces the values of a record to the part of a narrowing, and reports whether it has one.
func (t *totals) cutTo(r *splitRecord, n *Narrowing) bool {
	for _, s := range t.shares(r, n.Key, "") {
		if s.key == strconv.FormatInt(n.ID, 10) {
			for i, amount := range s.amounts {
				r.Cents[i] = int64(amount)
			}
			return true
		}
	}
	return false
}

func amounts(cents pq.Int64Array) (all []finance.Amount) {
	for _, n := range cents {
		all = append(all, finance.Amount(n))
	}
	return all
}

// shares returns the shares of the values of a key in a record, and what no value has, if anything, as the
// share of null. whole is the value of a key that does not split the record.
func (t *totals) shares(r *splitRecord, k Key, whole string) []share {
	parts := t.parts(r, k)
	if len(parts) == 0 {
		return []share{{whole, amounts(r.Cents)}}
	}
	var all []share
	rest, left := share{amounts: make([]finance.Amount, len(r.Cents))}, false
	for sum, cents := range r.Cents {
		each, over := t.split(finance.Amount(cents), finance.Amount(r.Cents[0]), parts)
		for i, amount := range each {
			if sum == 0 {
				all = append(all, share{strconv.FormatInt(parts[i].By, 10), make([]finance.Amount, len(r.Cents))})
			}
			all[i].amounts[sum] = amount
		}
		rest.amounts[sum], left = over, left || over != 0
	}
	if left {
		all = append(all, rest)
	}
	return joined(all)
}

// split returns the shares of parts in a value of a record, and the rest.
func (t *totals) split(value, first finance.Amount, parts []finance.Part) (shares []finance.Amount,
	rest finance.Amount) {
	if t.family.parts {
		return finance.SharesOf(value, first, parts)
	}
	return finance.Shares(value, parts)
}

// joined joins the shares of one value, which a record may have twice.
func joined(all []share) (shares []share) {
	at := map[string]int{}
	for _, s := range all {
		i, known := at[s.key]
		if !known {
			at[s.key] = len(shares)
			shares = append(shares, s)
			continue
		}
		for sum, amount := range s.amounts {
			shares[i].amounts[sum] += amount
		}
	}
	return shares
}

// parts returns the parts of a record by a key; none if the key does not split it.
func (t *totals) parts(r *splitRecord, k Key) (parts []finance.Part) {
	switch {
	case k.Name == ClassifierKey:
		for _, c := range r.CustomClassifications {
			if c.CustomClassifierID == k.Classifier {
				t.values[strconv.FormatInt(c.ValueID, 10)] = c.Name
				parts = append(parts, finance.Part{By: c.ValueID, Amount: c.Amount, Percentage: c.Percentage})
			}
		}
	case t.family.split(k):
		for _, c := range r.CenterClassifications {
			parts = append(parts, finance.Part{By: c.ClassificationCenterID, Amount: c.Amount,
				Percentage: c.Percentage})
		}
	}
	return parts
}
