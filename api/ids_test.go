package api_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bordero/storage/storagetest"
)

// idsOf returns the ids of a list of records.
func (a answer) idsOf(t testing.TB) (all []string) {
	t.Helper()
	for _, document := range a.want(t, 200).value(t).([]any) {
		for _, record := range document.(map[string]any) {
			all = append(all, fmt.Sprint(record.(map[string]any)["id"]))
		}
	}
	return all
}

func TestEveryListFindsRecordsByIDs(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.several(t)
	for _, r := range walked() {
		path := ids.path(r)
		whole := s.call(t, "GET", path+"?per_page=500").idsOf(t)
		var chosen []string
		for _, id := range whole {
			if rand.IntN(3) > 0 {
				chosen = append(chosen, id)
			}
		}
		chosen = append(chosen, whole[0])
		asked := append(slices.Clone(chosen), fmt.Sprint(missingID), chosen[0])
		rand.Shuffle(len(asked), func(i, j int) { asked[i], asked[j] = asked[j], asked[i] })
		want := slices.DeleteFunc(slices.Clone(whole), func(id string) bool { return !slices.Contains(chosen, id) })
		for _, query := range []string{"search[ids]=" + strings.Join(asked, ","), "search[ids_equals]=" +
			strings.Join(asked, "%2C+"),
			"search[ids][]=" + strings.Join(asked, "&search[ids][]=")} {
			a := s.call(t, "GET", path+"?per_page=500&"+query)
			equal(t, a.idsOf(t), want) // in the list's order, each once
			equal(t, a.header.Get("X-Total-Count"), fmt.Sprint(len(want)))
		}
		walk := s.walk(t, path+"?search[ids]="+strings.Join(asked, ","), func() int { return 1 + rand.IntN(3) }, nil)
		equal(t, len(walk), len(want))
		for _, b := range []option{
			document(`{"search":{"ids":[` + strings.Join(asked, ",") + `]}}`),
			document(`{"search":{"ids":"` + strings.Join(asked, ", ") + `"}}`),
			document(`<hash><search><ids type="array"><id>` + strings.Join(asked, "</id><id>") +
				`</id></ids></search></hash>`),
		} {
			equal(t, s.call(t, "GET", path+"?per_page=500", b, with("Accept", "application/json")).idsOf(t), want)
		}
		for value, fault := range map[string]string{
			"": "", "a": "", "1,": "", "1,,2": "", "1.5": "", "1%3B2": "", "9223372036854775808": "", "1,%00": "",
			"%FF":                           "",
			strings.Repeat("1,", 500) + "1": "tem itens demais (máximo: 500)",
		} {
			if fault == "" {
				fault = "deve ter números inteiros, com vírgulas entre eles"
			}
			s.call(t, "GET", path+"?search[ids]="+value).wantBody(t, 422, `{"ids":["`+fault+`"]}`)
		}
		equal(t, s.call(t, "GET", path+"?search[ids]=-1,0,9223372036854775807").idsOf(t), nil)
	}
}

func TestIDsOfOthersAreNotThere(t *testing.T) {
	t.Parallel()
	s := newService(t)
	own := s.records(t)
	elsewhere := *s
	elsewhere.Tenant = storagetest.NewTenant(t, s.store)
	foreign := elsewhere.records(t)
	for _, r := range walked() {
		if isShared(r) {
			continue
		}
		theirs := elsewhere.call(t, "GET", foreign.path(r)).idsOf(t)
		mine := s.call(t, "GET", own.path(r)).idsOf(t)
		// items are numbered in each statement
		theirs = slices.DeleteFunc(theirs, func(id string) bool { return slices.Contains(mine, id) })
		if len(theirs) > 0 {
			equal(t, s.call(t, "GET", own.path(r)+"?search[ids]="+strings.Join(theirs, ",")).idsOf(t), nil)
		}
	}
}

// 500 ids are in the URLs of other pages too. Clients and proxies refuse headers of that length. The
// next page is linked as long as that is possible: without it, clients take the page for the last.
func TestLongLinksAreLeftOut(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.exec(t, `INSERT INTO people (id, account_id, name, customer, supplier) SELECT n, 1, 'P' || n, true, true
		FROM generate_series(1000001, 1000500) n`)
	var ids []string
	for n := range 500 {
		ids = append(ids, fmt.Sprint(1000001+n))
	}
	few, all := strings.Join(ids[:150], ","), strings.Join(ids, ",")
	equal(t, s.call(t, "GET", "/people?per_page=50&page=2&search[ids]="+url.QueryEscape(few)).want(t, 200).header.Get(
		"Links") != "", true)
	for page, link := range map[string]string{"page=2": "next", "cursor=": "next", "page=10": "prev"} {
		a := s.call(t, "GET", "/people?per_page=50&"+page+"&search[ids]="+all)
		equal(t, len(a.idsOf(t)), 50)
		links := regexp.MustCompile(`rel="\w+"`).FindAllString(a.header.Get("Links"), -1)
		equal(t, links, []string{`rel="` + link + `"`})
		for name, values := range a.header {
			if n := len(values[0]); n > 8<<10 {
				t.Errorf("%s has %d bytes", name, n)
			}
		}
	}
	equal(t, len(s.call(t, "GET", "/people?per_page=500&search[ids]="+all).idsOf(t)), 500)
}
