package api_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/paths"
	"bordero/internal/tier"
	"bordero/storage/storagetest"
)

// walked returns the lists that have cursors.
func walked() (lists []api.Route) {
	for _, r := range api.Routes() {
		if openAPI().operation(r.Method, documented(r.Path)).Operation.Parameters.GetByInAndName("query",
			"cursor") != nil {
			lists = append(lists, r)
		}
	}
	return lists
}

func TestEveryListHasCursors(t *testing.T) {
	t.Parallel()
	for _, r := range api.Routes() {
		o := openAPI().operation(r.Method, documented(r.Path)).Operation
		if o.Parameters.GetByInAndName("query", "page") == nil || strings.HasSuffix(r.Path, "/suggestions") {
			continue
		}
		if o.Parameters.GetByInAndName("query", "cursor") == nil || filters(r)["ids"] == nil ||
			o.Responses.Status(200).Value.Headers["X-Next-Cursor"] == nil {
			t.Errorf("%s has no cursor, or no filter by ids", r.Path)
		}
	}
	if n := len(walked()); n < 28 {
		t.Errorf("%d lists have cursors", n)
	}
}

// several makes some records in each list, below the records.
func (s *service) several(t testing.TB) records {
	t.Helper()
	ids := s.records(t)
	s.fill(t, 6)
	s.exec(t, `UPDATE deposit_accounts d SET (transactions_count, transactions_sum) =
		(SELECT count(*), coalesce(sum(amount), 0) FROM financial_transactions WHERE deposit_account_id = d.id)`)
	return ids
}

// elements returns the records of a list as texts, in either format.
func (a answer) elements(t testing.TB) []string {
	t.Helper()
	all := []string{}
	if strings.HasPrefix(a.want(t, 200).body, "<") {
		var root struct {
			Records []struct {
				Text string `xml:",innerxml"`
			} `xml:",any"`
		}
		if err := xml.Unmarshal([]byte(a.body), &root); err != nil {
			t.Fatal(err)
		}
		for _, r := range root.Records {
			all = append(all, r.Text)
		}
		return all
	}
	var list []json.RawMessage
	if err := json.Unmarshal([]byte(a.body), &list); err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		all = append(all, string(r))
	}
	return all
}

var nextLink = regexp.MustCompile(`<` + publicURL + `([^>]*)>; rel="next"`)

// walk returns the records of all pages of a list, of a size for each page. Between the pages it calls
// between. It goes from page to page by the cursor and by the link in turn.
func (s *service) walk(t testing.TB, path string, size func() int, between func()) (all []string) {
	t.Helper()
	join := "?"
	if strings.Contains(path, "?") {
		join = "&"
	}
	perPage := size()
	at := fmt.Sprintf("%s%scursor=&per_page=%d", path, join, perPage)
	for page := 1; ; page++ {
		a := s.call(t, "GET", at).want(t, 200)
		records := a.elements(t)
		all = append(all, records...)
		links, next := a.header.Get("Links"), a.header.Get("X-Next-Cursor")
		equal(t, a.header.Get("Link"), links)
		equal(t, a.header.Get("X-Total-Count")+a.header.Get("X-Total-Pages"), "")
		equal(t, strings.Contains(links, `rel="first"`), page > 1)
		equal(t, strings.Contains(links, `rel="next"`), next != "")
		equal(t, strings.Contains(links, `rel="last"`) || strings.Contains(links, `rel="prev"`), false)
		if next == "" {
			if len(records) == 0 && page > 1 && between == nil {
				t.Errorf("%s: the last page is empty", path)
			}
			return all
		}
		if len(records) != perPage {
			t.Errorf("%s: page %d has %d records, want %d", path, page, len(records), perPage)
		}
		if between != nil {
			between()
		}
		if page%2 == 0 {
			at = nextLink.FindStringSubmatch(links)[1] // of the same size
			continue
		}
		perPage = size()
		at = fmt.Sprintf("%s%scursor=%s&per_page=%d", path, join, next, perPage)
	}
}

func TestEveryListIsWalkedByCursors(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.several(t)
	for _, r := range walked() {
		for _, suffix := range []string{".json", ".xml"} {
			path := ids.path(r) + suffix
			whole := s.call(t, "GET", path+"?per_page=500").elements(t)
			if len(whole) < 2 && r.Path != "/accounts" {
				t.Errorf("%s has %d records: too few for a walk", path, len(whole))
			}
			size, some := rand.Perm(3)[0]+1, func() int { return 1 + rand.IntN(len(whole)) }
			equal(t, s.walk(t, path, func() int { return size }, nil), whole)
			equal(t, s.walk(t, path, some, nil), whole)
			equal(t, s.walk(t, path, func() int { return len(whole) }, nil), whole) // one page, which is the last
			if size := len(s.call(t, "GET", path+"?cursor=").elements(t)); size != min(len(whole), 50) && size != 20 {
				t.Errorf("%s: %d records without per_page", path, size)
			}
		}
	}
}

func TestAWalkKeepsItsFilters(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.several(t)
	for list, searches := range map[string][]string{
		"/entities/:entity_id/sales": {"search[status]=0", "search[occurred_at_gte]=2026-01-01",
			"search[description_contains]=", "search[payment_method]=pix"},
		"/entities/:entity_id/payable_accounts": {"search[status_equals]=1", "search[due_date_lte]=2026-12-31",
			"search[amount_gte]=2"},
		"/people": {"search[ids][]=1&search[ids][]=2&search[ids][]=3&search[ids][]=4",
			"search[updated_at_gte]=2020-01-01"},
		"/integrations/webhooks/:webhook_id/deliveries": {"search[status]=pending"},
	} {
		for _, search := range searches {
			path := ids.path(api.Route{Method: "GET", Path: list}) + "?" + search
			whole := s.call(t, "GET", path+"&per_page=500").elements(t)
			equal(t, s.walk(t, path, func() int { return 2 }, nil), append([]string(nil), whole...))
			if len(whole) < 3 && !strings.HasSuffix(search, "contains]=") {
				t.Errorf("%s finds %d records", path, len(whole))
			}
		}
	}
}

// Records that stay where they are come once, whatever is added, removed and moved between the pages.
func TestAWalkHoldsWhileTheListChanges(t *testing.T) {
	t.Parallel()
	s := newService(t)
	below := s.newDepositAccount(t)
	random := rand.New(rand.NewPCG(rand.Uint64(), 7))
	amount := func() string { return fmt.Sprint(1 + random.IntN(9)) }
	date := func() string { return fmt.Sprintf("2026-03-%02d", 1+random.IntN(9)) }
	name := func() string { return string(rune('a' + random.IntN(5))) }
	for _, c := range []struct {
		list, id string
		add      func() string       // returns the path of a new record
		move     func(string) option // to another place, or nil
	}{
		{below + "/financial_transactions", "financial_transaction.id",
			func() string { return s.newTransaction(t, below, finance.Debit, amount(), date()) },
			func(string) option { return document(`{"financial_transaction":{"occurred_at":"` + date() + `"}}`) }},
		{paths.FinancialAccounts(s.EntityID, "payable"), "payable_account.id",
			func() string { return s.newAccount(t, finance.Payable, `"due_date":"`+date()+`","amount":`+amount()) },
			func(string) option { return document(`{"payable_account":{"due_date":"` + date() + `"}}`) }},
		{"/people", "person.id",
			func() string { return s.newPerson(t, `{"name":"`+name()+`"}`) },
			func(string) option { return document(`{"person":{"name":"` + strings.ToUpper(name()) + `"}}`) }},
		{accountsPath, "deposit_account.id", func() string { return s.newDepositAccount(t) }, nil},
	} {
		var stay, go_ []string
		for i := range 24 {
			if p := c.add(); i%3 == 0 {
				go_ = append(go_, p)
			} else {
				stay = append(stay, p)
			}
		}
		change := func() {
			go_ = append(go_, c.add())
			at := random.IntN(len(go_))
			if c.move != nil && random.IntN(2) == 0 {
				s.call(t, "PUT", go_[at], c.move(go_[at])).want(t, 200)
				return
			}
			if a := s.call(t, "DELETE", go_[at]); a.status >= 400 {
				t.Fatal(a)
			}
			go_ = slices.Delete(go_, at, at+1)
		}
		seen := map[string]int{}
		for _, record := range s.walk(t, c.list, func() int { return 1 + random.IntN(3) }, change) {
			seen[answer{body: record}.at(t, c.id)]++
		}
		for _, p := range stay {
			if n := seen[fmt.Sprint(lastID(p))]; n != 1 {
				t.Errorf("%s came %d times", p, n)
			}
		}
	}
}

func TestACursorIsOfOneWalk(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, name := range []string{"Ana", "Bia", "Caio"} {
		s.newPerson(t, `{"name":"`+name+`"}`)
		s.newClassifier(t, name)
	}
	values := s.newClassifier(t, "Obra") + "/values"
	for _, v := range []string{"a", "b"} {
		s.call(t, "POST", values, document(`{"custom_classifier_value":{"value":"`+v+`"}}`)).want(t, 201)
	}
	stranger := *s
	stranger.Tenant = storagetest.NewTenant(t, s.store)
	next := func(path string) string {
		t.Helper()
		c := s.call(t, "GET", path).want(t, 200).header.Get("X-Next-Cursor")
		if c == "" {
			t.Errorf("%s has no next cursor", path)
		}
		return c
	}
	people := next("/people?cursor=&per_page=1")
	found := next("/people?cursor=&per_page=1&search[updated_at_gte]=2020-01-01")
	other := "A"
	if people[9] == 'A' {
		other = "B"
	}
	for _, path := range []string{"/people?cursor=" + people, "/people.xml?per_page=500&cursor=" + people,
		"/people/?cursor=" + people,
		"/people?search[updated_at_gte]=2020-01-01&cursor=" + found} {
		s.call(t, "GET", path).want(t, 200)
	}
	const refused = `{"cursor":["não é um cursor desta lista com estes filtros"]}`
	for what, path := range map[string]string{
		"another list":         "/custom_classifiers?cursor=" + people,
		"a list by name":       "/categories?cursor=" + people,
		"another filter":       "/people?search[updated_at_gte]=2020-01-02&cursor=" + found,
		"no filter":            "/people?cursor=" + found,
		"a filter more":        "/people?search[updated_at_gte]=2020-01-01&search[name_equals]=Ana&cursor=" + found,
		"another spelling":     values[:len(values)-1] + "?cursor=" + next(values+"?cursor=&per_page=1"),
		"a fixed list":         "/banks?cursor=" + next("/taxes?cursor=&per_page=1"),
		"a word":               "/people?cursor=a",
		"an id":                "/people?cursor=12345",
		"padding":              "/people?cursor=" + people + "%3D",
		"a line":               "/people?cursor=" + people[:5] + "%0A" + people[5:],
		"a cut":                "/people?cursor=" + people[:len(people)-1],
		"a bit":                "/people?cursor=" + people[:9] + other + people[10:],
		"a very long one":      "/people?cursor=" + strings.Repeat("A", 9000),
		"one that is no text":  "/people?cursor=%FF%00",
		"one of every account": "/accounts?cursor=" + people,
	} {
		t.Run(what, func(t *testing.T) {
			a := s.call(t, "GET", path).wantBody(t, 422, refused)
			equal(t, a.header.Get("X-Error-Code"), messages.NotCursor.Code)
		})
	}
	stranger.call(t, "GET", "/people?cursor="+people).wantBody(t, 422, refused)

	const both = `{"cursor":["não pode ser enviado junto com page"]}`
	for _, path := range []string{"/people?cursor=&page=1", "/people?page=2&cursor=" + people,
		"/taxes?cursor=&page=x"} {
		a := s.call(t, "GET", path).wantBody(t, 422, both)
		equal(t, a.header.Get("X-Error-Code"), messages.PageAndCursor.Code)
	}
	s.call(t, "GET", "/people?cursor=", document(`{"page":2}`)).wantBody(t, 422, both)
	s.call(t, "GET", "/people?cursor=&page=1", with("Accept", "application/problem+json")).want(t, 422).wantParameter(t,
		"cursor")

	below := s.newDepositAccount(t)
	for _, cursor := range []string{"", people} {
		path := paths.Reconciles(s.EntityID) + "/suggestions" + period(below) + "&cursor=" + cursor
		if s.call(t, "GET", path).want(t, 422); cursor == "" {
			a := s.call(t, "GET", path).wantBody(t, 422, `{"cursor":["não é aceito por esta lista"]}`)
			equal(t, a.header.Get("X-Error-Code"), messages.NoCursor.Code)
		}
	}
}

// wantParameter fails unless the only problem is about the parameter of the query.
func (a answer) wantParameter(t testing.TB, name string) {
	t.Helper()
	equal(t, a.at(t, "errors.0.parameter"), name)
}

func TestTheCursorOfABodyCounts(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, name := range []string{"Ana", "Bia", "Caio", "Davi"} {
		s.newPerson(t, `{"name":"`+name+`"}`)
	}
	first := s.call(t, "GET", "/people?cursor=&per_page=2").want(t, 200)
	cursor := first.header.Get("X-Next-Cursor")
	second := s.call(t, "GET", "/people?per_page=2&cursor="+cursor).want(t, 200)
	equal(t, second.all(t, "person.name"), []string{"Caio", "Davi"})
	for body, want := range map[string]answer{
		`{"cursor":"","per_page":2}`:                                          first,
		`{"cursor":"` + cursor + `","per_page":2}`:                            second,
		`<hash><cursor></cursor><per-page type="integer">2</per-page></hash>`: first,
		`<hash><cursor>` + cursor + `</cursor><per-page>2</per-page></hash>`:  second,
		`{"cursor":"` + cursor + `","search":{"ids":[1,2,3,4]},"per_page":2}`: {status: 422},
		`{"cursor":null}`: {status: 200},
	} {
		a := s.call(t, "GET", "/people", document(body), with("Accept", "application/json")).want(t, want.status)
		if want.body != "" {
			equal(t, a.body, want.body)
			equal(t, a.header.Get("X-Next-Cursor"), want.header.Get("X-Next-Cursor"))
		}
	}
	s.call(t, "GET", "/people?cursor=&per_page=2", document(`{"cursor":"`+cursor+`"}`)).wantBody(t, 200, first.body)
	s.call(t, "GET", "/people?cursor="+cursor,
		with("If-None-Match", s.call(t, "GET", "/people?cursor="+cursor).header.Get("ETag"))).want(t, 304)
}

// Programs follow the headers; a cursor that a client has stored is valid in later releases.
func TestHeadersOfPagesByCursor(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, name := range []string{"Érica", "Bia", "Caio"} {
		s.newPerson(t, `{"name":"`+name+`"}`)
	}
	const query = `per_page=1&search%5Bupdated_at_gte%5D=2020-01-01`
	first := s.call(t, "GET", "/people.xml?per_page=1&cursor=&search[updated_at_gte]=2020-01-01").want(t, 200)
	second := s.call(t, "GET", "/people.xml?per_page=1&search[updated_at_gte]=2020-01-01&cursor="+
		first.header.Get("X-Next-Cursor")).want(t, 200)
	last := s.call(t, "GET", "/people.xml?per_page=1&search[updated_at_gte]=2020-01-01&cursor="+
		second.header.Get("X-Next-Cursor")).want(t, 200)
	for _, c := range []struct {
		a           answer
		next, links string
	}{
		{first, "LevQXJWOhLBiaWEAMg", `<` + publicURL + `/people.xml?cursor=LevQXJWOhLBiaWEAMg&` + query +
			`>; rel="next"`},
		{second, "Ib-8pvBkts1jYWlvADM", `<` + publicURL + `/people.xml?cursor=&` + query + `>; rel="first", <` +
			publicURL + `/people.xml?cursor=Ib-8pvBkts1jYWlvADM&` + query + `>; rel="next"`},
		{last, "", `<` + publicURL + `/people.xml?cursor=&` + query + `>; rel="first"`},
	} {
		equal(t, c.a.header.Get("X-Next-Cursor"), c.next)
		equal(t, c.a.header.Get("Links"), c.links)
		equal(t, c.a.header.Get("Link"), c.links)
		equal(t, c.a.header.Values("X-Total-Count"), nil)
		equal(t, c.a.header.Values("X-Total-Pages"), nil)
		equal(t, c.a.header.Get("X-Changes-Until") != "", true)
	}
}

// The longest keys have a cursor too.
func TestCursorsOfLongNames(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, letter := range []string{"a", "ß", "İ", "한", "𝅘𝅥𝅮", "🎂", "'\\\"%_;"} {
		name, _ := json.Marshal(string([]rune(strings.Repeat(letter, 255))[:255]))
		s.newPerson(t, `{"name":`+string(name)+`}`)
	}
	whole := s.call(t, "GET", "/people").elements(t)
	equal(t, len(whole), 7)
	equal(t, s.walk(t, "/people", func() int { return 1 }, nil), whole)
}

// forged are values that no key has. A place of them is a place all the same, or none.
var forged = []string{"", "0", "1", "-1", "x", "1.5", "9223372036854775807", "9223372036854775808", "32768",
	"2147483648", "NaN", "2026-03-04", "0000-00-00",
	"2026-02-30", "9999-12-31", "infinity", "' OR 1=1 --", "\xff", "é", strings.Repeat("a", 4000)}

func TestForgedCursorsDoNoHarm(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.several(t)
	// each list reads one of them
	places := [][]string{{"1"}, {"2026-03-04", "1"}, {"1", "1"}, {"1", "2026-03-04", "1"}, {"1", "1", "1", "1"}}
	each := tier.Size(10, 40)
	for _, r := range walked() {
		path, account := ids.path(r), s.AccountID
		if r.Path == "/accounts" {
			account = 0
		}
		read := 0
		for _, place := range places {
			for i := range each {
				place := slices.Clone(place)
				for j := range min(i, len(place)) { // the first as it is
					place[j] = forged[rand.IntN(len(forged))]
				}
				cursor := api.WriteCursor(place, path, account, map[string]string{})
				a := s.call(t, "GET", path+"?cursor="+url.QueryEscape(cursor))
				if a.status != http.StatusOK && a.status != http.StatusUnprocessableEntity {
					t.Errorf("%s after %q: %d %s", path, place, a.status, a.body)
				}
				if a.status == http.StatusOK {
					read++
				}
			}
		}
		if read == 0 || read == each*len(places) {
			t.Errorf("%s: %d of %d forged places were read", path, read, each*len(places))
		}
	}
}
