package api

import (
	"errors"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/storage/reports"
)

// strictly reports whether the client prefers that a request with an unknown name is refused (RFC
// 7240). The first of repeated preferences counts.
func strictly(h http.Header) bool {
	for preference := range strings.SplitSeq(strings.Join(h.Values("Prefer"), ","), ",") {
		preference, _, _ = strings.Cut(preference, ";")
		name, value, _ := strings.Cut(preference, "=")
		if strings.EqualFold(strings.TrimSpace(name), "handling") {
			return strings.EqualFold(strings.Trim(strings.TrimSpace(value), `"`), "strict")
		}
	}
	return false
}

// queries are the queries of all operations in the OpenAPI document.
var queries = sync.OnceValue(openapi.Queries)

// pathParameter matches a parameter in the path of a route.
var pathParameter = regexp.MustCompile(`:(\w+)`)

// described returns the query of the call's operation in the OpenAPI document.
func (c *call) described() openapi.Query {
	return queries()[c.Request.Method+" "+pathParameter.ReplaceAllString(c.FullPath(), "{$1}")]
}

// differ reports whether some values are not equal.
func differ(values []string) bool {
	return slices.ContainsFunc(values, func(v string) bool { return v != values[0] })
}

// narrowing are parameters that narrow an answer: if one is not read, the answer has more than is asked for.
var narrowing = []string{"event", "entity_id", "record_id", entitiesParameter, "center_id"}

// strayParameters returns the faults in the names of the query's parameters. Of a parameter that is
// sent with two values, one would be ignored. A filter without search[…] would be ignored, and the list
// would have all records; so would a narrowing parameter with brackets. Other unknown names are
// refused on request only, because clients have always been able to send them.
func (c *call) strayParameters() (stray finance.Invalid) {
	sent := c.Request.URL.Query()
	if !c.strict { // most queries have nothing else
		maps.DeleteFunc(sent, func(name string, values []string) bool {
			paging := name == "page" || name == "per_page" || name == cursorParameter
			return paging && !differ(values) || isSearch(name)
		})
	}
	if len(sent) == 0 {
		return stray
	}
	known := c.described()
	searches := known.Filters != nil || c.FullPath() == changesPath
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		if stray.Full() {
			break // thousands of names are not compared with the known ones
		}
		bare, _, bracketed := strings.Cut(name, "[") // of ids[]
		_, twice := sent[name+"[]"]
		twice = twice || differ(sent[name]) && !strings.HasSuffix(name, "[]")
		switch {
		case slices.Contains(known.Parameters, name),
			strings.HasPrefix(name, reports.ClassifierKey) && c.narrowsByClassifier():
			if twice && name != previewParameter && name != previewPart { // of these any value counts
				stray.Add(name, messages.ParameterTwice)
			}
		case name == selectedIDs+"[]" && slices.Contains(known.Parameters, selectedIDs): // a list
		case bracketed && slices.Contains(known.Parameters, bare):
			if c.strict || slices.Contains(narrowing, bare) {
				stray.Add(name, messages.Bracketed.With(bare))
			}
		case isFilter(bare, known.Filters):
			stray.Add(name, messages.BareFilter.With(bare))
		case c.strict && !(searches && isSearch(name)): // c.search refuses unknown filters
			names := slices.Clone(known.Parameters)
			for _, filter := range known.Filters {
				names = append(names, "search["+filter+"]")
			}
			stray.Add(name, messages.UnknownParameter.Named(name, names))
		}
	}
	return stray
}

// isSearch reports whether a parameter is a filter.
func isSearch(name string) bool { return name == "search" || strings.HasPrefix(name, "search[") }

// isFilter reports whether a name, with or without _equals, names a filter.
func isFilter(name string, filters []string) bool {
	return slices.ContainsFunc([]string{name, name + "_equals", strings.TrimSuffix(name, "_equals")},
		func(other string) bool {
			return slices.Contains(filters, other)
		})
}

// withStray adds the faults of the query's parameters to the faults that a handler found: one
// answer has all faults of a request. Any other error of the handler is returned alone.
func (c *call) withStray(err error) error {
	var invalid *finance.Invalid
	if len(c.stray.Messages) == 0 || err != nil && !errors.As(err, &invalid) {
		return err
	}
	all := finance.Invalid{Messages: slices.Clone(c.stray.Messages)}
	if invalid != nil {
		for _, m := range invalid.Messages {
			all.Append(m)
		}
	}
	return &all
}
