package api_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bordero/api"
)

var compares = regexp.MustCompile(`_(gte|lte|contains|is_null|in|equal)$`)

// A client need not know which of the two names of a filter a list documents.
func TestFiltersOfEqualityHaveTwoNames(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	asked := 0
	for _, r := range api.Routes() {
		if r.Method != http.MethodGet || openAPI().operation(r.Method, documented(r.Path)) == nil {
			continue
		}
		for name := range filters(r) {
			other := name + "_equals"
			if short, long := strings.CutSuffix(name, "_equals"); long {
				other = short
			}
			path := ids.path(r)
			if strings.Contains(path, "?") { // suggestions require all of their filters
				path += "&"
			} else {
				path += "?"
			}
			a := s.call(t, "GET", path+"search["+other+"]=zzz")
			known := !strings.Contains(a.body, "não é um filtro conhecido")
			if known == compares.MatchString(name) {
				t.Errorf("GET %ssearch[%s]: %d %s", path, other, a.status, a.body)
			}
			asked++
		}
	}
	if asked < 30 {
		t.Errorf("%d filters were asked for", asked)
	}
	for _, name := range []string{"Padaria", "Mercado"} {
		s.call(t, "POST", "/people", document(`{"person":{"name":"`+name+`"}}`)).want(t, 201)
	}
	for query, want := range map[string]string{
		"search[name]=Padaria": "1", "search[name_equals]=Padaria": "1",
		"search[name]=Padaria&search[name_equals]=Mercado": "0", // both hold
	} {
		equal(t, s.call(t, "GET", "/people?"+query).want(t, 200).header.Get("X-Total-Count"), want)
	}
}

// A filter that works and is not in the document would be invisible to clients, and to the tests that
// read the filters from there.
func TestTheDocumentHasEveryFilter(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	lists := 0
	for _, r := range api.Routes() {
		path := ids.path(r)
		documented := slices.Sorted(maps.Keys(filters(r)))
		if r.Method != http.MethodGet || documented == nil {
			continue
		}
		separator := "?"
		if strings.Contains(path, "?") { // suggestions require all of their filters
			separator = "&"
		}
		a := s.call(t, "GET", path+separator+"search[zzz]=1", with("Accept", "application/problem+json")).want(t, 422)
		var refused struct{ Errors []struct{ Allowed []string } }
		if err := json.Unmarshal([]byte(a.body), &refused); err != nil || len(refused.Errors) != 1 {
			t.Fatalf("%s: %v", a.body, err)
		}
		if known := refused.Errors[0].Allowed; !slices.Equal(known, documented) {
			t.Errorf("GET %s: the document has the filters %v, the list %v", path, documented, known)
		}
		lists++
	}
	if lists < 30 {
		t.Errorf("%d lists were asked", lists)
	}
}
