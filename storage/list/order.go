package list

import (
	"strconv"
	"strings"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
)

// Order is the order of a list. It makes ORDER BY, and the condition of the records after a place:
// with an index of the same order PostgreSQL begins at the place, however far it is from the first
// record (decision 0032).
type Order struct {
	keys       []Key // the last one is the record's id, so that no two places are equal; not null
	descending bool
	unindexed  bool // the order in a form that no index has
}

// Key is an expression by which a list is ordered.
type Key struct {
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
	ids     = &keyKind{"bigint", " + 0", ID.Parse}
	numbers = &keyKind{"int", " + 0", Integer.Parse}
	days    = &keyKind{"date", " + 0", Day.Parse}
	texts   = &keyKind{"text", " || ''", Text.Parse}
)

// NumberKey returns the key of an expression of type int that is not null.
func NumberKey(expression string) Key { return Key{expression, numbers} }

// DayKey returns the key of an expression of type date that is not null.
func DayKey(expression string) Key { return Key{expression, days} }

// TextKey returns the key of an expression of type text that is not null.
func TextKey(expression string) Key { return Key{expression, texts} }

// By returns the order by other keys and then by the id.
func By(id string, before ...Key) Order { return Order{keys: append(before, Key{id, ids})} }

// Down returns the opposite order.
func (o Order) Down() Order { o.descending = !o.descending; return o }

// sorted returns the order in a form that no index has.
func (o Order) sorted() Order { o.unindexed = true; return o }

// id returns the column of the record's id.
func (o Order) id() string { return o.keys[len(o.keys)-1].expression }

// Place is the position of a record in the order of a list: the values of its keys, as texts. An
// empty Place that is not nil is before the first record.
type Place []string

// expressions returns the expressions that order the list.
func (o Order) expressions() []string {
	var all []string
	for i, k := range o.keys {
		if i == 0 && o.unindexed {
			k.expression += k.kind.same
		}
		all = append(all, k.expression)
	}
	return all
}

// SQL returns the text after ORDER BY.
func (o Order) SQL() string {
	if o.descending {
		return strings.Join(o.expressions(), " DESC, ") + " DESC"
	}
	return strings.Join(o.expressions(), ", ")
}

// place returns a column with the Place of each record.
func (o Order) place() string {
	var all []string
	for _, k := range o.keys {
		all = append(all, "CAST("+k.expression+" AS text)")
	}
	return "ARRAY[" + strings.Join(all, ", ") + "]"
}

// after returns the condition of the records after a place, after an AND, and its parameters. A place of
// another order is a finance.Invalid.
func (o Order) after(p Place) (string, db.Args, error) {
	if len(p) == 0 {
		return "", nil, nil
	}
	if len(p) != len(o.keys) {
		return "", nil, finance.Refuse("cursor", messages.NotCursor)
	}
	args := db.Args{}
	var values []string
	for i, k := range o.keys {
		v, err := k.kind.value(p[i])
		if err != nil {
			return "", nil, finance.Refuse("cursor", messages.NotCursor)
		}
		name := "place_" + strconv.Itoa(i+1)
		args[name] = v
		values = append(values, "CAST(@"+name+" AS "+k.kind.name+")")
	}
	compared := " > "
	if o.descending {
		compared = " < "
	}
	return " AND (" + strings.Join(o.expressions(), ", ") + ")" + compared + "(" + strings.Join(values, ", ") + ")",
		args, nil
}
