package list

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"bordero/finance"
	"bordero/internal/messages"
)

// Filter is one search filter: a condition with ? for the value, the type of the value, and the
// description in the OpenAPI document.
type Filter struct {
	condition string
	value     Type
	doc       string
}

// Where returns the filter of a condition with ? for the value, and with the names of the list's parameters.
// doc is its description in the OpenAPI document.
func Where(condition string, value Type, doc string) Filter { return Filter{condition, value, doc} }

// With returns the filter with another condition for the same values.
func (f Filter) With(condition string) Filter { f.condition = condition; return f }

// Type is a type of values: its description by JSON Schema, and the function that parses a
// value that a client sent.
type Type struct {
	Name, Format string
	Enum         []string // all values; nil for any
	List         bool     // Parse reads several values with commas between them
	Parse        func(string) (any, error)
}

// tables has the filters of all lists, by the name of the list in the OpenAPI document.
var tables = map[string]map[string]Filter{}

// searches are the lists that are read with all of their filters, of records without ids.
var searches = map[string]bool{}

// Table registers the filters of a list, so that the OpenAPI document has them. It panics if one lacks
// its condition, type or description.
func Table(list string, filters map[string]Filter) map[string]Filter {
	for name, f := range filters {
		if f.condition == "" || f.value.Name == "" || f.value.Parse == nil || f.doc == "" {
			panic("list: the filter " + name + " of " + list + " needs a condition, a type and a description")
		}
	}
	tables[list] = filters
	return filters
}

// Required is Table for a list that is read with all of its filters, of records without ids.
func Required(list string, filters map[string]Filter) map[string]Filter {
	searches[list] = true
	return Table(list, filters)
}

// Description describes a filter to clients.
type Description struct {
	Name         string
	Type, Format string   // of JSON Schema
	Enum         []string // all values; nil for any
	Doc          string
	Required     bool
}

// Filters returns the filters of all lists, sorted by their names. ID has the filter of each list
// without a table of its own.
func Filters() map[string][]Description {
	all := map[string][]Description{"ID": {}}
	for list, filters := range tables {
		for name, f := range filters {
			all[list] = append(all[list], f.shown(name, searches[list]))
		}
	}
	for list := range all {
		if !searches[list] {
			all[list] = append(all[list], ofIDs("id").shown(byIDs, false))
		}
		slices.SortFunc(all[list], func(a, b Description) int { return strings.Compare(a.Name, b.Name) })
	}
	return all
}

func (f Filter) shown(name string, required bool) Description {
	return Description{Name: name, Type: f.value.Name, Format: f.value.Format, Enum: f.value.Enum, Doc: f.doc,
		Required: required}
}

// byIDs is the name of the filter by ids, in every list of records with ids.
const byIDs = "ids"

// ofIDs returns the filter by the ids in a column.
func ofIDs(column string) Filter {
	return Where(column+" = ANY(CAST(? AS bigint[]))", IDs,
		"Up to 500 ids, with commas between them or as search[ids][]. In a list, per_page=500 gives all on one page.")
}

// TakesOne reports whether a filter of this name takes one value. It is false for an unknown name.
func TakesOne(name string) bool {
	for _, filters := range tables {
		f, known := filters[name]
		if !known {
			f, known = filters[OtherName(name)]
		}
		if known {
			return !f.value.List
		}
	}
	return false
}

// UpdatedAtGTE is the name of the filter by which clients follow changes.
const UpdatedAtGTE = "updated_at_gte"

// ChangedSince returns the filter by which clients follow changes: every list of records with
// updated_at has it. prefix is the table's alias with its point, or "".
func ChangedSince(prefix string) Filter {
	return Where(prefix+"updated_at >= CAST(? AS timestamptz)", Moment, "Changed at this moment or date or later.")
}

// ExternalID returns the filter by the name of a record in another system. prefix is as for ChangedSince.
func ExternalID(prefix string) Filter {
	return Where(prefix+"external_id = ?", Text, "Exact external id.")
}

// OneOf is the type of values that are among all.
func OneOf[T ~string](all []T) Type {
	names := make([]string, len(all))
	for i, value := range all {
		names[i] = string(value)
	}
	return Type{Name: "string", Enum: names, Parse: func(s string) (any, error) {
		if !slices.Contains(names, s) {
			return nil, messages.NotOneOf(names)
		}
		return s, nil
	}}
}

// Text refuses a value that PostgreSQL cannot store as a text, and that therefore never matches.
var Text = Type{Name: "string", Parse: func(s string) (any, error) {
	if strings.ContainsRune(s, 0) || !utf8.ValidString(s) {
		return nil, messages.NotText
	}
	return s, nil
}}

// Containing is the text of a substring filter, for fold(...) LIKE.
var Containing = Type{Name: "string", Parse: func(s string) (any, error) {
	if _, err := Text.Parse(s); err != nil {
		return nil, err
	}
	return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(s) + "%", nil
}}

// Integer is a number of 32 bits.
var Integer = Type{Name: "integer", Parse: func(s string) (any, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		return nil, messages.NotInteger
	}
	return n, nil
}}

// ID is the id of a record.
var ID = Type{Name: "integer", Format: "int64", Parse: func(s string) (any, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return nil, messages.NotInteger
	}
	return n, nil
}}

// maxIDs is the most ids of a search.
const maxIDs = 500

// IDs are ids with commas between them.
var IDs = Type{Name: "string", List: true, Parse: func(s string) (any, error) {
	texts := strings.Split(s, ",")
	if len(texts) > maxIDs {
		return nil, messages.TooManyItems.With(maxIDs)
	}
	ids := make([]int64, len(texts))
	for i, text := range texts {
		var err error
		if ids[i], err = strconv.ParseInt(strings.TrimSpace(text), 10, 64); err != nil {
			return nil, messages.NotIDs
		}
	}
	return ids, nil
}}

// Day is a date, or the date of a longer timestamp.
var Day = Type{Name: "string", Format: "date", Parse: func(s string) (any, error) {
	d, err := finance.ParseDate(s)
	return d.String(), err
}}

// Month is YYYY-MM, or the month of a date.
var Month = Type{Name: "string", Parse: func(s string) (any, error) {
	var m finance.Month
	err := m.UnmarshalText([]byte(s))
	return m.String() + "-01", err // a zero Month is stored as NULL
}}

// Amount is an amount in the format of the documents.
var Amount = Type{Name: "string", Format: "decimal", Parse: func(s string) (any, error) {
	var a finance.Amount
	err := a.UnmarshalText([]byte(s))
	return a, err
}}

// Percentage is a percentage in the format of the documents.
var Percentage = Type{Name: "string", Format: "percentage", Parse: func(s string) (any, error) {
	var p finance.Percentage
	err := p.UnmarshalText([]byte(s))
	return p, err
}}

// Boolean is true or false, also as 1 or 0.
var Boolean = Type{Name: "boolean", Parse: func(s string) (any, error) {
	switch s {
	case "true", "1":
		return true, nil
	case "false", "0":
		return false, nil
	}
	return nil, messages.NotBoolean
}}

// Moment is an ISO 8601 time, in the forms that wire.Input.Time reads. Without an offset it is in the session's zone; a
// date is its first moment. It is formatted again, because PostgreSQL reads less than ISO 8601 allows.
var Moment = Type{Name: "string", Format: "date-time", Parse: func(s string) (any, error) {
	if day := len(time.DateOnly); len(s) > day {
		// A + in a query that was not encoded arrives as a space, and so does the one before an offset.
		clock := strings.Replace(s[day+1:], " ", "+", 1)
		s = s[:day] + strings.Replace(s[day:day+1], " ", "T", 1) + clock
	}
	const local = "2006-01-02T15:04:05"
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", local, "2006-01-02T15:04", time.DateOnly} {
		t, err := time.Parse(form, s)
		if year := t.UTC().Year(); err != nil || year < 1 || year > 9999 {
			continue
		}
		if strings.HasSuffix(form, "Z07:00") {
			return t.UTC().Format(time.RFC3339Nano), nil
		}
		return t.Format(local + ".999999999"), nil
	}
	return nil, finance.ErrNotDate
}}
