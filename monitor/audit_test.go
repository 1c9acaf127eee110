package monitor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"bordero/finance"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/operators"
	"bordero/storage/storagetest"

	"github.com/google/go-cmp/cmp"
)

// emit emits events of the account, whose author is in ctx.
func (b *books) emit(ctx context.Context, events ...finance.Event) {
	b.t.Helper()
	for _, e := range events {
		e.AccountID = b.AccountID
		if err := b.Store.InTx(ctx, func(tx *storage.Tx) error { return tx.Emit(ctx, e) }); err != nil {
			b.t.Fatal(err)
		}
	}
}

// by returns a context in which a user changes something with a token.
func by(t *testing.T, user int64, token, request string) context.Context {
	t.Helper()
	return jobs.WithAuthor(jobs.WithRequestID(t.Context(), request), jobs.By{UserID: user, Token: token})
}

func (b *books) email() string {
	return b.text(`SELECT email FROM users WHERE id = $1`, b.UserID)
}

// searched returns the page of a search in the account, by a user who has logged in.
func (b *books) searched(s site, query string) answer {
	b.t.Helper()
	return s.do(b.t, "GET", fmt.Sprintf("%s?account_id=%d%s", audit, b.AccountID, query), nil)
}

func TestAudit(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	b.exec(`UPDATE accounts SET name = 'Padaria <1>'`)
	for i := range listed - 4 {
		b.emit(t.Context(), finance.Event{Family: finance.PeopleFamily, Action: finance.Created, IDs: []int64{
			int64(i + 1000)}})
	}
	b.emit(t.Context(), finance.Event{Family: finance.TokensFamily, Action: finance.Created, IDs: []int64{1}})
	b.emit(by(t, 9, "", ""), finance.Event{Family: finance.PeopleFamily, Action: finance.Destroyed, IDs: []int64{8}})
	bulk := finance.Event{Family: finance.SalesFamily, Action: finance.Updated, EntityID: b.EntityID, ParentID: 5}
	for id := range int64(12) {
		bulk.IDs = append(bulk.IDs, id+100)
	}
	b.emit(jobs.WithAuthor(t.Context(), jobs.By{Job: "price_sales"}), bulk)
	b.emit(by(t, b.UserID, "a1b2c3", "a/b&c"), finance.Event{
		Family: finance.PeopleFamily, Action: finance.Updated, IDs: []int64{7},
		Attributes: `{"name":["<script>x</script>","Ana \"B\""],"email":[null,"` + strings.Repeat("é", 1200) + `"]}`,
	})
	b.exec(`UPDATE unsealed_changes SET occurred_at = '2026-03-04T15:30:00Z'`)
	b.seal()
	s := openWith(t, b.Config)
	s.logIn(t, "guest", password)
	last := b.text(`SELECT max(sequence) FROM changes`)
	oldest := b.text(`SELECT $1::bigint - $2`, last, listed-1)
	page := b.searched(s, "&event=&before=100000&before=1&evil=1")
	account := fmt.Sprint(b.AccountID)
	here := "/monitoring/audit?account_id=" + account
	for _, want := range []string{
		"Changes of account " + account + ", Padaria &lt;1&gt;", ">" + last + "</div>",
		"<div>4 Mar 2026 12:30:00</div>",
		`<a href="` + here + `&amp;event=people.%2A&amp;record_id=7">7</a>`,
		fmt.Sprintf(`<a href="%s&amp;user=%d">%s</a><small>token a1b2c3…</small>`, here, b.UserID, b.email()),
		`<a href="` + here + `&amp;request_id=a%2Fb%26c">a/b&amp;c</a>`,
		"2 changed attributes", "<div>email</div>", "<div>null</div>",
		"&#34;&lt;script&gt;x&lt;/script&gt;&#34;", `<div>&#34;Ana \&#34;B\&#34;&#34;</div>`, strings.Repeat("é", 999) +
			"…<",
		fmt.Sprintf("sales.updated<small>entity %d, parent 5</small>", b.EntityID), ">109</a> and 2 more</div>",
		"<div>job price_sales</div>", ">user 9</a></div>", "<div>command</div>",
		`<a href="` + here + `">Newest</a> <a href="` + here + `&amp;before=` + oldest + `" rel="next">Older</a>`,
		`<option value="sales.*">`, `<b aria-current="page">Audit</b>`, "guest, read only",
		"All times are of Test/Zone",
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
	people := b.searched(s, "&event=people")
	for want, there := range map[string]bool{
		`name="event" type="text" value="people"`: true, "people.destroyed": true, "<div>sales.updated": false,
		"Newest": false,
	} {
		if strings.Contains(people.body, want) != there {
			t.Errorf("the changes of people have %q: %t", want, !there)
		}
	}
}

func TestASearchIsRead(t *testing.T) {
	t.Parallel()
	m := &Monitor{zone: time.FixedZone("Test/Zone", -3*3600)}
	at := func(text string) *time.Time {
		when, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return &when
	}
	between := func(since, until string) auditSearch {
		return auditSearch{account: 3, ChangeSearch: operators.ChangeSearch{Since: at(since), Until: at(until)}}
	}
	for query, want := range map[string]auditSearch{
		"account_id=3": {account: 3},
		"account_id=+3+&event=people&record_id=7&user=+ana@example.com&request_id=r-1&entity_id=4&before=9": {
			account: 3, event: "people.*", user: "ana@example.com",
			ChangeSearch: operators.ChangeSearch{ChangeFilter: storage.ChangeFilter{RecordID: 7, EntityID: 4},
				RequestID: "r-1", Before: 9}},
		"account_id=3&since=2026-03-04&until=2026-03-04": between("2026-03-04T00:00:00-03:00",
			"2026-03-05T00:00:00-03:00"),
		"account_id=3&since=2026-03-04T10:30&until=2026-03-04T10:30": between("2026-03-04T10:30:00-03:00",
			"2026-03-04T10:31:00-03:00"),
		"account_id=3&since=2026-03-04T10:30:05&until=2026-03-04T10:30:05": between("2026-03-04T10:30:05-03:00",
			"2026-03-04T10:30:06-03:00"),
	} {
		asked, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		got, wrong := m.changeSearch(asked)
		if d := cmp.Diff(want, got, cmp.AllowUnexported(auditSearch{})); d != "" || len(wrong) > 0 {
			t.Errorf("%s: %v, %s", query, wrong, d)
		}
	}
}

func TestASearchThatCannotBeMadeSaysWhy(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	s := openWith(t, b.Config)
	s.logIn(t, "guest", password)
	for query, want := range map[string]string{
		"account_id=":  "bordero account list shows the ids.",
		"account_id=0": "Account: &#34;0&#34; is not an id.",
		"account_id=1&record_id=%3Cb%3E": "Record: &#34;&lt;b&gt;&#34; is not an id. An id is a number, " +
			"such as 7.",
		"account_id=1&since=yesterday":                "Since: &#34;yesterday&#34; is not a time. Write 2026-03-31",
		"account_id=1&user=a%00b":                     "User: &#34;a\\x00b&#34; is not a text.",
		"account_id=1&event=%FF":                      "Event: ",
		"account_id=1&request_id=%FF":                 "Request: ",
		"account_id=1&before=x":                       "Before: ",
		"account_id=1&entity_id=99999999999999999999": "Entity: ",
		"account_id=99":                               "there is no account 99.",
	} {
		if a := s.do(t, "GET", audit+"?"+query, nil); a.status != http.StatusUnprocessableEntity ||
			!strings.Contains(a.body, `role="alert"`) || !strings.Contains(a.body, want) {
			t.Errorf("%s: %d %s", query, a.status, a.body)
		}
	}
	if a := s.do(t, "GET", audit, nil); a.status != 200 || !strings.Contains(a.body, "Enter the id of an account") {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := b.searched(s, "&request_id=none"); a.status != 200 ||
		!strings.Contains(a.body, "No change fits the search.") {
		t.Errorf("%d %s", a.status, a.body)
	}
	b.exec(`INSERT INTO unsealed_changes (account_id, family, action, record_ids)
		SELECT $1, 'people', 'created', ARRAY[i] FROM generate_series(1, 5001) i`, b.AccountID)
	b.seal()
	if a := b.searched(s, "&event=sales"); !strings.Contains(a.body, "None of the last 5,000 changes") ||
		!strings.Contains(a.body, "before=") {
		t.Errorf("%d %s", a.status, a.body)
	}
	b.exec(`ALTER TABLE accounts RENAME TO hidden`)
	a := b.searched(s, "")
	if a.status != http.StatusServiceUnavailable || !strings.Contains(a.body, "PostgreSQL did not answer in time.") ||
		strings.Contains(a.body, "relation") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// The audit finds the changes of one account alone, and names its members.
func TestTheAuditSearchesOneAccount(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	other := storagetest.NewTenant(t, b.Store)
	sale := finance.Event{Family: finance.SalesFamily, Action: finance.Updated, ParentID: 5, IDs: []int64{7},
		Attributes: `{"name":["A","B"]}`}
	for _, tenant := range []storagetest.Tenant{b.Tenant, other} {
		sale.EntityID = tenant.EntityID
		theirs := &books{t: t, Config: b.Config, Tenant: tenant}
		theirs.emit(by(t, tenant.UserID, "abcdef", "r-1"), sale)
	}
	priced := finance.Event{Family: finance.SalesFamily, Action: finance.Updated, EntityID: b.EntityID, IDs: []int64{
		7, 8}}
	b.emit(jobs.WithAuthor(t.Context(), jobs.By{Job: "price_sales"}), priced)
	b.seal()
	m := &Monitor{store: b.Store}
	filter := func(f storage.ChangeFilter) operators.ChangeSearch { return operators.ChangeSearch{ChangeFilter: f} }
	for name, c := range map[string]struct {
		search auditSearch
		want   int
	}{
		"a record": {
			auditSearch{event: "sales.*", ChangeSearch: filter(storage.ChangeFilter{RecordID: 7})}, 2},
		"a record with another": {
			auditSearch{event: "sales.updated", ChangeSearch: filter(storage.ChangeFilter{RecordID: 8})}, 1},
		"a request":      {auditSearch{ChangeSearch: operators.ChangeSearch{RequestID: "r-1"}}, 1},
		"an e-mail":      {auditSearch{user: strings.ToUpper(b.email())}, 1},
		"an id":          {auditSearch{user: fmt.Sprint(b.UserID)}, 1},
		"no event":       {auditSearch{event: "sales.destroyed"}, 0},
		"another entity": {auditSearch{ChangeSearch: filter(storage.ChangeFilter{EntityID: other.EntityID})}, 0},
	} {
		c.search.account = b.AccountID
		if page, err := m.searchChanges(t.Context(), c.search); err != nil || len(page.Changes) != c.want ||
			page.Next != 0 {
			t.Errorf("%s: %+v, %v", name, page, err)
		}
	}
	page, err := m.searchChanges(t.Context(), auditSearch{account: b.AccountID, event: "sales.updated"})
	if err != nil || page.account != "Conta" || len(page.emails) != 1 || page.emails[b.UserID] != b.email() {
		t.Fatalf("%+v, %v", page, err)
	}
	for want, search := range map[string]auditSearch{
		"there is no account 99.":          {account: 99},
		`has no member "eve@example.com".`: {account: b.AccountID, user: "eve@example.com"},
		`there is no event "sale.*".`:      {account: b.AccountID, event: "sale.*"},
	} {
		var refused refusal
		if _, err := m.searchChanges(t.Context(), search); !errors.As(err, &refused) ||
			!strings.Contains(string(refused), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
	for _, event := range changeEvents {
		if _, err := storage.ParseChangeEvent(event); err != nil {
			t.Errorf("%s is proposed, and refused", event)
		}
	}
}
