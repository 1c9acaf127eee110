package monitor

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// audited opens a monitor whose searches find the changes or end with the error, and returns what
// was last looked for.
func audited(t *testing.T, found Changes, err error) (s site, looked func() ChangeSearch) {
	t.Helper()
	var mu sync.Mutex
	var last ChangeSearch
	s = openWith(t, nowhere, Watch{Changes: func(_ context.Context, search ChangeSearch) (Changes, error) {
		mu.Lock()
		defer mu.Unlock()
		last = search
		return found, err
	}})
	s.logIn(t, "guest", password)
	return s, func() ChangeSearch {
		mu.Lock()
		defer mu.Unlock()
		return last
	}
}

func TestAudit(t *testing.T) {
	t.Parallel()
	bulk := Change{Sequence: 11, Event: "sales.updated", EntityID: 4, ParentID: 5, Job: "price_sales"}
	for id := range int64(12) {
		bulk.RecordIDs = append(bulk.RecordIDs, id+100)
	}
	s, _ := audited(t, Changes{Account: "Padaria <1>", Next: 9, List: []Change{
		{Sequence: 12, Event: "people.updated", RecordIDs: []int64{7}, OccurredAt: time.Date(2026, 3, 4, 15, 30, 0, 0, time.UTC), RequestID: "a/b&c", UserID: 3, Email: "ana@example.com", Token: "a1b2c3",
			Attributes: `{"name":["<script>x</script>","Ana \"B\""],"email":[null,"` + strings.Repeat("é", 1200) + `"]}`},
		bulk, {Sequence: 10, Event: "people.destroyed", RecordIDs: []int64{8}, UserID: 9}, {Sequence: 9, Event: "tokens.created", RecordIDs: []int64{1}},
	}}, nil)
	page := s.do(t, "GET", audit+"?account_id=3&event=people&before=20&before=1&evil=1", nil)
	for _, want := range []string{
		"Changes of account 3, Padaria &lt;1&gt;", ">12</div>", "<div>4 Mar 2026 12:30:00</div>", `<a href="/monitoring/audit?account_id=3&amp;event=people.%2A&amp;record_id=7">7</a>`,
		`<a href="/monitoring/audit?account_id=3&amp;user=3">ana@example.com</a><small>token a1b2c3…</small>`, `<a href="/monitoring/audit?account_id=3&amp;request_id=a%2Fb%26c">a/b&amp;c</a>`,
		"2 changed attributes", "<div>email</div>", "<div>null</div>", "&#34;&lt;script&gt;x&lt;/script&gt;&#34;", `<div>&#34;Ana \&#34;B\&#34;&#34;</div>`, strings.Repeat("é", 999) + "…<",
		"sales.updated<small>entity 4, parent 5</small>", ">109</a> and 2 more</div>", "<div>job price_sales</div>", ">user 9</a></div>", "<div>command</div>",
		`<a href="/monitoring/audit?account_id=3&amp;event=people">Newest</a> <a href="/monitoring/audit?account_id=3&amp;before=9&amp;event=people" rel="next">Older</a>`,
		`name="event" type="text" value="people"`, `<option value="sales.*">`, `<b aria-current="page">Audit</b>`, "guest, read only", "All times are of Test/Zone",
	} {
		if page.status != 200 || !strings.Contains(page.body, want) {
			t.Errorf("%d lacks %q", page.status, want)
		}
	}
	for _, never := range []string{"<script", "ZgotmplZ", "evil"} {
		if strings.Contains(page.body, never) {
			t.Errorf("the page has %q", never)
		}
	}
	if t.Failed() {
		t.Log(page.body)
	}
}

func TestASearchIsRead(t *testing.T) {
	t.Parallel()
	s, looked := audited(t, Changes{}, nil)
	at := func(text string) *time.Time {
		when, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return &when
	}
	for query, want := range map[string]ChangeSearch{
		"account_id=3": {AccountID: 3},
		"account_id=+3+&event=people&record_id=7&user=+ana@example.com&request_id=r-1&entity_id=4&before=9": {
			AccountID: 3, Event: "people.*", RecordID: 7, User: "ana@example.com", RequestID: "r-1", EntityID: 4, Before: 9},
		"account_id=3&since=2026-03-04&until=2026-03-04":                   {AccountID: 3, Since: at("2026-03-04T00:00:00-03:00"), Until: at("2026-03-05T00:00:00-03:00")},
		"account_id=3&since=2026-03-04T10:30&until=2026-03-04T10:30":       {AccountID: 3, Since: at("2026-03-04T10:30:00-03:00"), Until: at("2026-03-04T10:31:00-03:00")},
		"account_id=3&since=2026-03-04T10:30:05&until=2026-03-04T10:30:05": {AccountID: 3, Since: at("2026-03-04T10:30:05-03:00"), Until: at("2026-03-04T10:30:06-03:00")},
	} {
		if a := s.do(t, "GET", audit+"?"+query, nil); a.status != 200 || !strings.Contains(a.body, "change fits the search.") {
			t.Errorf("%s: %d %s", query, a.status, a.body)
		}
		if d := cmp.Diff(want, looked()); d != "" {
			t.Errorf("%s: %s", query, d)
		}
	}
}

func TestASearchThatCannotBeMadeSaysWhy(t *testing.T) {
	t.Parallel()
	s, looked := audited(t, Changes{}, nil)
	for query, want := range map[string]string{
		"account_id=":                                 "bordero account list shows the ids.",
		"account_id=0":                                "Account: &#34;0&#34; is not an id.",
		"account_id=1&record_id=%3Cb%3E":              "Record: &#34;&lt;b&gt;&#34; is not an id. An id is a number, such as 7.",
		"account_id=1&since=yesterday":                "Since: &#34;yesterday&#34; is not a time. Write 2026-03-31",
		"account_id=1&user=a%00b":                     "User: &#34;a\\x00b&#34; is not a text.",
		"account_id=1&event=%FF":                      "Event: ",
		"account_id=1&request_id=%FF":                 "Request: ",
		"account_id=1&before=x":                       "Before: ",
		"account_id=1&entity_id=99999999999999999999": "Entity: ",
	} {
		if a := s.do(t, "GET", audit+"?"+query, nil); a.status != http.StatusUnprocessableEntity || !strings.Contains(a.body, `role="alert"`) || !strings.Contains(a.body, want) {
			t.Errorf("%s: %d %s", query, a.status, a.body)
		}
	}
	if d := cmp.Diff(ChangeSearch{}, looked()); d != "" {
		t.Errorf("it was made: %s", d)
	}
	if a := s.do(t, "GET", audit, nil); a.status != 200 || !strings.Contains(a.body, "Enter the id of an account") {
		t.Errorf("%d %s", a.status, a.body)
	}
	refused, _ := audited(t, Changes{}, Refusal("User: no such member."))
	if a := refused.do(t, "GET", audit+"?account_id=1", nil); a.status != http.StatusUnprocessableEntity || !strings.Contains(a.body, "<li>User: no such member.</li>") {
		t.Errorf("%d %s", a.status, a.body)
	}
	broken, _ := audited(t, Changes{}, errors.New("password=hunter2"))
	if a := broken.do(t, "GET", audit+"?account_id=1", nil); a.status != http.StatusServiceUnavailable || !strings.Contains(a.body, "PostgreSQL did not answer in time.") || strings.Contains(a.body, "hunter2") {
		t.Errorf("%d %s", a.status, a.body)
	}
	older, _ := audited(t, Changes{Next: 5}, nil)
	if a := older.do(t, "GET", audit+"?account_id=1", nil); !strings.Contains(a.body, "None of the last 5,000 changes") || !strings.Contains(a.body, "before=5") {
		t.Errorf("%d %s", a.status, a.body)
	}
}
