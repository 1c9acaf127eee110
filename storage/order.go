package storage

import (
	"slices"
	"strconv"
	"strings"

	"bordero/finance"
	"bordero/internal/messages"
)

// order is the order of a list. It makes ORDER BY, and the condition of the records after a place:
// with an index of the same order PostgreSQL begins at the place, however far it is from the first
// record (decision 0032).
type order struct {
	keys       []key // the last one is the record's id, so that no two places are equal; not null
	descending bool
	unindexed  bool // the order in a form that no index has
}

// key is an expression by which a list is ordered.
type key struct {
	expression string
	kind       *keyKind
}

// keyKind is a type of keys.
type keyKind struct {
	name  string                    // in SQL
	same  string                    // an operation that changes no value, and that no index has
	value func(string) (any, error) // parses a value; PostgreSQL can cast every value that it accepts
}

var (
	keyID     = &keyKind{"bigint", " + 0", identifier.parse}
	keyNumber = &keyKind{"int", " + 0", integer.parse}
	keyDay    = &keyKind{"date", " + 0", day.parse}
	keyText   = &keyKind{"text", " || ''", text.parse}
)

// by returns the order by other keys and then by the id.
func by(id string, before ...key) order { return order{keys: append(before, key{id, keyID})} }

// down returns the opposite order.
func (o order) down() order { o.descending = !o.descending; return o }

// sorted returns the order in a form that no index has.
func (o order) sorted() order { o.unindexed = true; return o }

// id returns the column of the record's id.
func (o order) id() string { return o.keys[len(o.keys)-1].expression }

// Place is the position of a record in the order of a list: the values of its keys, as texts. An
// empty Place that is not nil is before the first record.
type Place []string

// expressions returns the expressions that order the list.
func (o order) expressions() []string {
	var all []string
	for i, k := range o.keys {
		if i == 0 && o.unindexed {
			k.expression += k.kind.same
		}
		all = append(all, k.expression)
	}
	return all
}

// sql returns the text after ORDER BY.
func (o order) sql() string {
	if o.descending {
		return strings.Join(o.expressions(), " DESC, ") + " DESC"
	}
	return strings.Join(o.expressions(), ", ")
}

// place returns a column with the Place of each record.
func (o order) place() string {
	var all []string
	for _, k := range o.keys {
		all = append(all, "CAST("+k.expression+" AS text)")
	}
	return "ARRAY[" + strings.Join(all, ", ") + "]"
}

// after adds the condition of the records after a place to a statement. args are the parameters of
// the statement so far. A place of another order is a finance.Invalid.
func (o order) after(p Place, args []any) (string, []any, error) {
	if len(p) == 0 {
		return "", args, nil
	}
	if len(p) != len(o.keys) {
		return "", nil, finance.Refuse("cursor", messages.NotCursor)
	}
	args = slices.Clone(args)
	var values []string
	for i, k := range o.keys {
		v, err := k.kind.value(p[i])
		if err != nil {
			return "", nil, finance.Refuse("cursor", messages.NotCursor)
		}
		args = append(args, v)
		values = append(values, "CAST($"+strconv.Itoa(len(args))+" AS "+k.kind.name+")")
	}
	compared := " > "
	if o.descending {
		compared = " < "
	}
	return " AND (" + strings.Join(o.expressions(), ", ") + ")" + compared + "(" + strings.Join(values, ", ") + ")",
		args, nil
}
