// Package list reads pages of lists: filters, orders, pages by number and after a place. It is below
// storage, because each family of tables has its lists, and knows none of the tables.
package list

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// Query is the page and filters of a list. The page is given by its number, or by the place after
// which it begins.
type Query struct {
	Search map[string]string // filters by name
	Number int               // of the page, from 1
	Size   int               // of a page; 0 is the whole list, and not for a page after a place
	After  Place             // nil for a page by number
	Count  int               // read no records, only their number, up to this one; 0 to read a page
}

// Offset returns the number of records before the page.
func (l Query) Offset() int { return max(l.Number-1, 0) * l.Size }

// usualSizes are the sizes of most pages: the defaults of the API, and its largest.
var usualSizes = []int{20, 50, 500}

// Limit returns the LIMIT and OFFSET of a page by number, and their parameters.
//
// The first page of a usual size has a statement of its own: PostgreSQL expects that an unknown
// limit takes a tenth of the table, so it would not reuse a plan, but make one each time.
func (l Query) Limit() (string, db.Args) {
	if l.Offset() == 0 && len(l.Search) == 0 && slices.Contains(usualSizes, l.Size) {
		return "LIMIT " + strconv.Itoa(l.Size), nil
	}
	return "LIMIT nullif(@size, 0) OFFSET @offset", db.Args{"size": l.Size, "offset": l.Offset()}
}

// Page is one page of a list. A page by number has the number of records of all pages. A page
// after a place has the place after which the next page begins; nil on the last page.
type Page[T any] struct {
	Items []T
	Total int64
	Next  Place
}

// Parameter returns the name of the parameter with the value of a filter that was sent under this name.
func Parameter(filter string) string { return "search_" + filter }

// Conditions returns the conditions of the filters that were sent, each after an AND, and their parameters.
// They are in the order of the filters' names, so that one combination is one statement. id is the column
// of the filter by ids, or "" without such a filter. An unknown filter, or a value that cannot be read, is
// a finance.Invalid under the filter's name.
func Conditions(filters map[string]Filter, id string, search map[string]string) (string, db.Args, error) {
	var sql strings.Builder
	args := db.Args{}
	var invalid finance.Invalid
	for _, name := range slices.Sorted(maps.Keys(search)) {
		f, known := filters[name]
		if !known {
			f, known = filters[OtherName(name)]
		}
		if id != "" && (name == byIDs || OtherName(name) == byIDs) {
			f, known = ofIDs(id), true
		}
		if !known {
			if invalid.Full() {
				break
			}
			names := slices.Collect(maps.Keys(filters))
			if id != "" {
				names = append(names, byIDs)
			}
			slices.Sort(names)
			invalid.Add(name, unknownFilter(name, names))
			continue
		}
		v, err := f.value.Parse(search[name])
		if err != nil {
			invalid.Add(name, messages.FaultOf(err))
			continue
		}
		args[Parameter(name)] = v
		sql.WriteString(" AND " + strings.ReplaceAll(f.condition, "?", "@"+Parameter(name)))
	}
	return sql.String(), args, invalid.Err()
}

// comparisons are the ends of the names of filters that do not ask for equality.
var comparisons = regexp.MustCompile(`_(gte|lte|contains|is_null|in|equal)(_equals)?$`)

// OtherName returns the other name of a filter for equality: x and x_equals are the same. It
// returns "" for a filter that compares in another way.
func OtherName(name string) string {
	if comparisons.MatchString(name) {
		return ""
	}
	if short, long := strings.CutSuffix(name, "_equals"); long {
		return short
	}
	return name + "_equals"
}

// unknownFilter names the filter that begins most alike, or all.
func unknownFilter(name string, known []string) *messages.Fault {
	const alike = 3 // characters
	nearest, longest := "", alike-1
	for _, k := range known {
		n := 0
		for n < min(len(k), len(name)) && k[n] == name[n] {
			n++
		}
		if n > longest {
			nearest, longest = k, n
		}
	}
	if nearest != "" {
		return messages.LikeFilter.With(nearest).Of(known)
	}
	return messages.UnknownFilter.With(strings.Join(known, ", ")).Of(known)
}

// Read reads one page of a list. For a page by number it counts the whole list, unless the page is
// the last. from begins with the table and ends with the conditions that scope it; args are its parameters,
// which columns may use too.
func Read[T any](ctx context.Context, q sqlx.ExtContext, l Query, filters map[string]Filter, columns, from string,
	o Order, args ...db.Args) (Page[T], error) {
	return ReadFrom[T](ctx, q, l, filters, columns, Source{Rows: from}, o, args...)
}

// ReadFrom is Read for any source.
func ReadFrom[T any](ctx context.Context, q sqlx.ExtContext, l Query, filters map[string]Filter, columns string,
	from Source, o Order, args ...db.Args) (listed Page[T], err error) {
	conditions, values, err := Conditions(filters, o.id(), l.Search)
	if err != nil {
		return listed, err
	}
	from.Rows, args = from.Rows+conditions, append(args, values)
	o = OrderFor(l.Search, []string{byIDs}, o)
	plan := ""
	if strings.Contains(conditions, " LIKE ") {
		// How to find the records depends on how many contain the text, and a cached plan
		// would fold the text again for each.
		plan = db.PlanEach
	}
	if l.Count > 0 {
		count := db.Bind(plan + from.countUpTo("@count"))
		listed.Total, err = db.OneNamed[int64](ctx, q, count, append(args, db.Args{"count": l.Count})...)
		return listed, err
	}
	if l.After != nil {
		return following[T](ctx, q, l, plan, columns, from, o, args)
	}
	limit, limits := l.Limit()
	page := db.Bind(plan + from.page(columns, "", o, limit))
	listed.Items, err = db.ManyNamed[T](ctx, q, page, append(args, limits)...)
	if err != nil {
		return listed, err
	}
	if n := len(listed.Items); l.Size == 0 || n < l.Size && (n > 0 || l.Offset() == 0) { // the last page
		listed.Total = int64(l.Offset() + n)
		return listed, nil
	}
	count := db.Bind(plan + from.count(len(l.Search) == 0))
	listed.Total, err = db.OneNamed[int64](ctx, q, count, args...)
	return listed, err
}

// following reads the page of list after a place. It reads one record more, to find out whether
// another page follows.
func following[T any](ctx context.Context, q sqlx.ExtContext, l Query, plan, columns string, from Source, o Order,
	args []db.Args) (listed Page[T], err error) {
	after, values, err := o.after(l.After)
	if err != nil {
		return listed, err
	}
	page := db.Bind(plan + from.page(columns+", "+o.place(), after, o, "LIMIT @size"))
	var places []pq.StringArray
	listed.Items, places, err = db.ManyWith[T, pq.StringArray](ctx, q, page.SQL,
		page.Args(append(args, values, db.Args{"size": l.Size + 1})...)...)
	if len(listed.Items) > l.Size {
		listed.Items, listed.Next = listed.Items[:l.Size], Place(places[l.Size-1])
	}
	return listed, err
}

// OrderFor returns the order of a list, or an equal one that no index has if a selective filter is
// present. Otherwise PostgreSQL, which cannot estimate the filter, may walk the index of the list's
// order through all records until a page is full.
func OrderFor(search map[string]string, few []string, o Order) Order {
	if slices.ContainsFunc(few, func(name string) bool { return Sent(search, name) }) {
		return o.sorted()
	}
	return o
}

// Sent reports whether a search has a filter, under one of its names.
func Sent(search map[string]string, name string) bool {
	_, under := search[name]
	_, other := search[OtherName(name)]
	return under || other
}

// PageOf returns a copy of one page of a list that is not stored in a table. Its only filter is the
// filter by ids.
func PageOf[T any](all []T, id func(T) int64, l Query) (Page[T], error) {
	_, wanted, err := Conditions(nil, "id", l.Search)
	if err != nil {
		return Page[T]{}, err
	}
	all = slices.Clone(all)
	for _, ids := range wanted {
		all = slices.DeleteFunc(all, func(t T) bool { return !slices.Contains(ids.([]int64), id(t)) })
	}
	if l.Count > 0 {
		return Page[T]{Total: int64(min(len(all), l.Count))}, nil
	}
	if l.After == nil {
		return Numbered(all, l), nil
	}
	begin := 0
	if len(l.After) > 0 {
		last := slices.IndexFunc(all, func(t T) bool {
			return slices.Equal(l.After, Place{strconv.FormatInt(id(t), 10)})
		})
		if last < 0 {
			return Page[T]{}, finance.Refuse("cursor", messages.NotCursor)
		}
		begin = last + 1
	}
	listed := Page[T]{Items: all[begin:]}
	if len(listed.Items) > l.Size {
		listed.Items = listed.Items[:l.Size]
		listed.Next = Place{strconv.FormatInt(id(listed.Items[l.Size-1]), 10)}
	}
	return listed, nil
}

// Numbered returns a page of records by its number.
func Numbered[T any](all []T, l Query) Page[T] {
	listed := Page[T]{Items: all, Total: int64(len(all))}
	if l.Size > 0 {
		begin := min(l.Offset(), len(all))
		listed.Items = all[begin:min(begin+l.Size, len(all))]
	}
	return listed
}
