package storage

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"bordero/finance"
	"bordero/internal/messages"
)

// filter is one search filter: a condition with ? for the value, the type of the value, and the
// description in the OpenAPI document.
type filter struct {
	condition string
	value     valueType
	doc       string
}

// valueType is a type of values: its description by JSON Schema, and the function that parses a
// value that a client sent.
type valueType struct {
	name, format string
	enum         []string // all values; nil for any
	parse        func(string) (any, error)
}

// tables has the filters of all lists, by the name of the list in the OpenAPI document.
var tables = map[string]map[string]filter{}

// table registers the filters of a list, so that the OpenAPI document has them. It panics if one lacks
// its condition, type or description.
func table(list string, filters map[string]filter) map[string]filter {
	for name, f := range filters {
		if f.condition == "" || f.value.name == "" || f.value.parse == nil || f.doc == "" {
			panic("storage: the filter " + name + " of " + list + " needs a condition, a type and a description")
		}
	}
	tables[list] = filters
	return filters
}

// Filter describes a filter to clients.
type Filter struct {
	Name         string
	Type, Format string   // of JSON Schema
	Enum         []string // all values; nil for any
	Doc          string
	Required     bool
}

// Filters returns the filters of all lists, sorted by their names. ID has the filter of each list
// without a table of its own.
func Filters() map[string][]Filter {
	all := map[string][]Filter{"ID": {}}
	for list, filters := range tables {
		for name, f := range filters {
			all[list] = append(all[list], f.shown(name, list == suggestions))
		}
	}
	for list := range all {
		if list != suggestions { // a suggestion has no id
			all[list] = append(all[list], ofIDs("id").shown(byIDs, false))
		}
		slices.SortFunc(all[list], func(a, b Filter) int { return strings.Compare(a.Name, b.Name) })
	}
	return all
}

func (f filter) shown(name string, required bool) Filter {
	return Filter{Name: name, Type: f.value.name, Format: f.value.format, Enum: f.value.enum, Doc: f.doc,
		Required: required}
}

// byIDs is the name of the filter by ids, in every list of records with ids.
const byIDs = "ids"

// ofIDs returns the filter by the ids in a column.
func ofIDs(column string) filter {
	return filter{column + " = ANY(CAST(? AS bigint[]))", identifiers,
		"Up to 500 ids, with commas between them or as search[ids][]."}
}

// UpdatedAtGTE is the name of the filter by which clients follow changes.
const UpdatedAtGTE = "updated_at_gte"

// changedSince returns the filter by which clients follow changes: every list of records with
// updated_at has it. prefix is the table's alias with its point, or "".
func changedSince(prefix string) filter {
	return filter{prefix + "updated_at >= CAST(? AS timestamptz)", moment, "Changed at this moment or date or later."}
}

// oneOf is the type of values that are among all.
func oneOf[T ~string](all []T) valueType {
	names := make([]string, len(all))
	for i, value := range all {
		names[i] = string(value)
	}
	return valueType{name: "string", enum: names, parse: func(s string) (any, error) {
		if !slices.Contains(names, s) {
			return nil, messages.NotOneOf(names)
		}
		return s, nil
	}}
}

// text refuses a value that PostgreSQL cannot store as a text, and that therefore never matches.
var text = valueType{name: "string", parse: func(s string) (any, error) {
	if strings.ContainsRune(s, 0) || !utf8.ValidString(s) {
		return nil, messages.NotText
	}
	return s, nil
}}

// containing is the text of a substring filter, for fold(...) LIKE.
var containing = valueType{name: "string", parse: func(s string) (any, error) {
	if _, err := text.parse(s); err != nil {
		return nil, err
	}
	return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(s) + "%", nil
}}

var integer = valueType{name: "integer", parse: func(s string) (any, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		return nil, messages.NotInteger
	}
	return n, nil
}}

// identifier is the id of a record.
var identifier = valueType{name: "integer", format: "int64", parse: func(s string) (any, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return nil, messages.NotInteger
	}
	return n, nil
}}

// maxIDs is the most ids of a search.
const maxIDs = 500

// identifiers are ids with commas between them.
var identifiers = valueType{name: "string", parse: func(s string) (any, error) {
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

// day is a date, or the date of a longer timestamp.
var day = valueType{name: "string", format: "date", parse: func(s string) (any, error) {
	d, err := finance.ParseDate(s)
	return d.String(), err
}}

// month is YYYY-MM, or the month of a date.
var month = valueType{name: "string", parse: func(s string) (any, error) {
	var m finance.Month
	err := m.UnmarshalText([]byte(s))
	return m.String() + "-01", err // a zero Month is stored as NULL
}}

// amount is an amount in the format of the documents.
var amount = valueType{name: "string", format: "decimal", parse: func(s string) (any, error) {
	var a finance.Amount
	err := a.UnmarshalText([]byte(s))
	return a, err
}}

// percentage is a percentage in the format of the documents.
var percentage = valueType{name: "string", format: "percentage", parse: func(s string) (any, error) {
	var p finance.Percentage
	err := p.UnmarshalText([]byte(s))
	return p, err
}}

var boolean = valueType{name: "boolean", parse: func(s string) (any, error) {
	switch s {
	case "true", "1":
		return true, nil
	case "false", "0":
		return false, nil
	}
	return nil, messages.NotBoolean
}}

// moment is an ISO 8601 time. Without an offset it is in the session's zone; a date is its first
// moment. It is formatted again, because PostgreSQL reads less than ISO 8601 allows.
var moment = valueType{name: "string", format: "date-time", parse: func(s string) (any, error) {
	// A + in a query that was not encoded arrives as a space.
	s = strings.Replace(s, " ", "+", 1)
	const local = "2006-01-02T15:04:05"
	for _, form := range []string{time.RFC3339, local, time.DateOnly} {
		t, err := time.Parse(form, s)
		if year := t.UTC().Year(); err != nil || year < 1 || year > 9999 {
			continue
		}
		if form == time.RFC3339 {
			return t.UTC().Format(time.RFC3339Nano), nil
		}
		return t.Format(local + ".999999999"), nil
	}
	return nil, finance.ErrNotDate
}}
