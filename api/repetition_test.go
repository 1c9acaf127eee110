package api_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/testkit"
	"bordero/storage"
	"bordero/storage/members"
	"bordero/storage/storagetest"
)

func key(k string) option { return with("Idempotency-Key", k) }

// count returns the number of rows of the table that belong to the tenant's account.
func (s *service) count(t testing.TB, table string) int {
	t.Helper()
	return query[int](t, s, `SELECT count(*) FROM `+table+` WHERE account_id = $1`, s.AccountID)
}

func TestARequestThatComesAgainIsDoneOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := fmt.Sprintf("/entities/%d/deposit_accounts", s.EntityID)
	account := document(`{"deposit_account":{"name":"Caixa","deposit_account_type_id":2}}`)
	first := s.call(t, "POST", path, account, key("a")).want(t, 201)
	equal(t, first.header.Get("Idempotency-Replayed"), "")
	again := s.call(t, "POST", path+"/", account, key("a")).wantBody(t, 201, first.body)
	equal(t, again.header.Get("Idempotency-Replayed"), "true")
	equal(t, again.header.Get("Location"), first.header.Get("Location"))
	s.call(t, "POST", path+".xml", account, key("a")).wantBody(t, 201, first.body)
	equal(t, s.count(t, "deposit_accounts"), 1)

	const reused = `{"error":"Esta Idempotency-Key já foi usada com outra requisição."}`
	other := document(`{"deposit_account":{"name":"Outra","deposit_account_type_id":2}}`)
	s.call(t, "POST", path, other, key("a")).wantBody(t, 409, reused)
	s.call(t, "POST", path+"?x=1", account, key("a")).wantBody(t, 409, reused)
	colleague := s.member(t, finance.Access{AllEntities: true})
	s.call(t, "POST", path, account, key("a"), as(colleague)).wantBody(t, 409, reused)
	equal(t, s.count(t, "deposit_accounts"), 1)

	s.call(t, "POST", path, other, key("b")).want(t, 201)
	elsewhere := fmt.Sprintf("/entities/%d/deposit_accounts", s.anotherEntity(t).ID)
	fresh := s.call(t, "POST", elsewhere, account, key("a")).want(t, 201)
	equal(t, fresh.header.Get("Idempotency-Replayed"), "")
	equal(t, s.count(t, "deposit_accounts"), 3)

	age := func(hours int) {
		t.Helper()
		s.exec(t, `UPDATE idempotency_keys SET created_at = now() - make_interval(hours => $2) WHERE account_id = $1`,
			s.AccountID, hours)
	}
	removed := func(want int64) {
		t.Helper()
		if n, err := s.store.DeleteOldKeys(t.Context()); err != nil || n != want {
			t.Errorf("%d old keys removed, %v; want %d", n, err, want)
		}
	}
	age(23)
	removed(0)
	again = s.call(t, "POST", path, account, key("a")).wantBody(t, 201, first.body)
	equal(t, again.header.Get("Idempotency-Replayed"), "true")

	stranger := *s
	stranger.Tenant = storagetest.NewTenant(t, s.store)
	stranger.call(t, "POST", "/entities", document(`{"entity":{"name":"A"}}`), key("a")).want(t, 201)

	age(25)
	s.call(t, "POST", path, other, key("a")).want(t, 201)
	s.call(t, "POST", path, other, key("a")).want(t, 201)
	equal(t, s.count(t, "deposit_accounts"), 4)
	removed(2)
}

// Of an answer above 1 MiB the status and the Location are repeated, without the body.
func TestALargeAnswerIsRepeatedByItsLocation(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := paths.FinancialAccounts(s.EntityID, "payable")
	s.newAccount(t, finance.Payable, `"description":"Aluguel","amount":1,"due_date":"2026-03-04",`+
		`"create_as_parcelled":"monthly","number_of_parcels":30`)
	s.exec(t, `UPDATE financial_accounts SET observation = repeat('😀', 10000)`)
	ids := strings.Join(s.call(t, "GET", path).all(t, "payable_account.id"), ",")
	request := document(fmt.Sprintf(`{"settle_open":true,"selected_financial_account_ids":[%s],`+
		`"selected_financial_transaction_ids":[%d]}`,
		ids, s.moved(t, s.newDepositAccount(t), "Debit", "30")))
	first := s.call(t, "POST", paths.Reconciles(s.EntityID), request, key("a")).want(t, 200)
	if len(first.body) < 1<<20 {
		t.Errorf("the answer has %d bytes only", len(first.body))
	}
	again, err := s.send(t.Context(), "POST", paths.Reconciles(s.EntityID), request, key("a"))
	if err != nil {
		t.Fatal(err)
	}
	again.wantBody(t, 200, "")
	equal(t, again.header.Get("Idempotency-Replayed")+" "+again.header.Get("Location"),
		"true "+first.header.Get("Location"))
	equal(t, s.count(t, "reconciles"), 1)
}

// A batch has no Location that leads to its records.
func TestALargeAnswerToABatchIsRepeated(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := `{"payable_account":{"description":"Aluguel","amount":1,"due_date":"2026-03-04","observation":"` +
		strings.Repeat("é", 10_000) + `"}}`
	request := document(`{"items":[` + strings.Repeat(account+",", 59) + account + `]}`)
	path := paths.FinancialAccounts(s.EntityID, "payable") + "/batch"
	first := s.call(t, "POST", path, request, key("a")).want(t, 200)
	if len(first.body) < 1<<20 {
		t.Errorf("the answer has %d bytes only", len(first.body))
	}
	s.call(t, "POST", path, request, key("a")).wantBody(t, 200, first.body)
	equal(t, s.count(t, "financial_accounts"), 60)
}

func TestARefusalIsNotRepeated(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.call(t, "POST", "/entities", document(`{"entity":{"name":""}}`), key("a")).want(t, 422)
	s.call(t, "POST", "/entities", document(`{"entity":{"name":"A"}}`), key("a")).want(t, 201)
	s.call(t, "POST", "/entities", document(`{"entity":{"name":"A"}}`), key(strings.Repeat("é", 255))).want(t, 201)
	const keyLength = `{"error":"O cabeçalho Idempotency-Key deve ter de 1 a 255 caracteres, em UTF-8."}`
	for _, k := range []string{"", " ", strings.Repeat("a", 256), "cobran\xe7a"} {
		s.call(t, "POST", "/entities", document(`{"entity":{"name":"A"}}`), key(k)).wantBody(t, 400, keyLength)
	}
	s.call(t, "GET", "/entities", key("")).want(t, 200)
	equal(t, s.count(t, "entities"), 3)
}

func TestAStatementThatComesAgainIsImportedOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newDepositAccount(t) + "/bank_statements"
	// Each body has its own boundary; only the file, its name and its type are compared.
	first := s.call(t, "POST", path, parts(file("a.ofx", ofx)), key("a")).want(t, 201)
	s.call(t, "POST", path, parts(file("a.ofx", ofx)), key("a")).wantBody(t, 201, first.body)
	s.call(t, "POST", path, parts(file("a.ofx", ofx+"\n")), key("a")).want(t, 409)
	s.call(t, "POST", path, parts(file("b.ofx", ofx)), key("a")).want(t, 409)
	typed := file("a.ofx", ofx)
	typed.contentType = "application/x-ofx"
	s.call(t, "POST", path, parts(typed), key("a")).want(t, 409)
	equal(t, s.count(t, "bank_statements"), 1)
	equal(t, len(s.storedFiles(t)), 1)
	equal(t, query[int](t, s, `SELECT count(*) FROM jobs`), 1)
}

func TestOfRequestsAtOnceOneIsDone(t *testing.T) {
	t.Parallel()
	s := newService(t)
	var all sync.WaitGroup
	answers := make([]answer, 20)
	for i := range answers {
		all.Go(func() {
			answers[i], _ = s.send(t.Context(), "POST", "/entities", document(`{"entity":{"name":"A"}}`), key("a"))
		})
	}
	all.Wait()
	for _, a := range answers {
		switch a.status {
		case 201:
		case 409:
			equal(t, a.header.Get("Retry-After"), "2")
		default:
			t.Errorf("%d: %s", a.status, a.body)
		}
	}
	equal(t, s.count(t, "entities"), 2)
}

// While the first request runs, the second gets 409 with Retry-After. A rollback of the first frees
// the key.
func TestAKeyIsBusyWhileItsRequestRuns(t *testing.T) {
	t.Parallel()
	s := newService(t)
	k := storage.IdempotencyKey{AccountID: s.AccountID, Path: "/entities", Key: "a", UserID: 1, Request: []byte{1}}
	err := s.store.InTx(t.Context(), func(tx *storage.Tx) error {
		if _, err := tx.TakeKey(t.Context(), k); err != nil {
			return err
		}
		a := s.call(t, "POST", "/entities", document(`{"entity":{"name":"A"}}`), key("a")).want(t, 409)
		equal(t, a.header.Get("Retry-After"), "2")
		return io.EOF // roll back
	})
	if err != io.EOF { // InTx returns it unwrapped
		t.Fatal(err)
	}
	s.call(t, "POST", "/entities", document(`{"entity":{"name":"A"}}`), key("a")).want(t, 201)
}

// A request with a key is cancelled when it takes too long, which frees the key.
func TestASlowRequestFreesItsKey(t *testing.T) {
	t.Parallel()
	s := newService(t)
	hurried := serve(t, s.store, func(c *api.Config) { c.KeyedTime = time.Second })
	hurried.Tenant = s.Tenant
	ana := document(`{"person":{"name":"Ana"}}`)
	end := s.block(t, "people")
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience)
	defer cancel()
	a, err := hurried.send(ctx, "POST", "/people", ana, key("a"))
	if err != nil {
		t.Fatal(err)
	}
	a.want(t, 503)
	end()
	s.call(t, "POST", "/people", ana, key("a")).want(t, 201)
	equal(t, s.count(t, "people"), 1)
}

func TestEveryReadHasAVersion(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	for _, r := range api.Routes() {
		// no deletion is pending
		if r.Method != "GET" || strings.HasSuffix(r.Path, "/download") || strings.HasSuffix(r.Path, "/deletion") {
			continue
		}
		seen := map[string]bool{}
		for _, format := range formats {
			a := s.call(t, "GET", ids.path(r), with("Accept", format)).want(t, 200)
			tag := a.header.Get("ETag")
			if !strings.HasPrefix(tag, `W/"`) || seen[tag] {
				t.Errorf("%s: ETag %q", r.Path, tag)
			}
			seen[tag] = true
			for _, header := range []string{tag, strings.TrimPrefix(tag, "W/"), `"x", ` + tag, "*"} {
				same := s.call(t, "GET", ids.path(r), with("Accept", format), with("If-None-Match", header)).wantBody(t,
					304, "")
				equal(t, same.header.Get("ETag"), tag)
			}
			s.call(t, "GET", ids.path(r), with("Accept", format), with("If-None-Match", `W/"json-0"`)).wantBody(t, 200,
				a.body)
		}
	}
}

// The ETag of a list depends on its headers, too.
func TestAListsVersionKnowsItsPages(t *testing.T) {
	t.Parallel()
	s := newService(t)
	first := s.call(t, "GET", "/entities?per_page=1").want(t, 200)
	s.anotherEntity(t)
	s.call(t, "GET", "/entities?per_page=1", with("If-None-Match", first.header.Get("ETag"))).want(t, 200)
}

func TestAWriteToAnotherVersionIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ids := s.records(t)
	before := s.everything(t, ids)
	for _, r := range api.Routes() {
		if r.Method != "PUT" && r.Method != "DELETE" {
			continue
		}
		for _, tag := range []string{`W/"json-0123456789abcdef"`, `"x", "y"`} {
			s.call(t, r.Method, ids.path(r), valid(t, r), with("If-Match", tag)).want(t, 412)
		}
	}
	equal(t, s.everything(t, ids), before)
	accepts := func(r api.Route, format string) {
		t.Helper()
		// The version of the record itself: the path without an action such as /open or /pay.
		record := strings.TrimRight(ids.path(r), "/_abcdefghijklmnopqrstuvwxyz")
		tag := s.call(t, "GET", record, with("Accept", format)).want(t, 200).header.Get("ETag")
		a := s.call(t, r.Method, ids.path(r), valid(t, r), with("If-Match", `"x", `+tag),
			with("Accept", "application/json"))
		if a.status == 412 {
			t.Errorf("%s %s refuses the version that was read as %s", r.Method, r.Path, format)
		}
	}
	var removals []api.Route
	for _, r := range api.Routes() {
		switch {
		case r.Method == "PUT":
			for _, format := range formats {
				accepts(r, format)
			}
		case r.Method == "DELETE" && strings.HasSuffix(r.Path, "_id"): // of one record
			removals = append(removals, r)
		}
	}
	slices.SortStableFunc(removals, func(a, b api.Route) int { // children first
		return strings.Count(b.Path, "/") - strings.Count(a.Path, "/")
	})
	for _, r := range removals {
		accepts(r, "application/xml")
	}
}

func TestOfTwoWritesToOneVersionOneIsStored(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newDepositAccount(t)
	tag := s.call(t, "GET", path).header.Get("ETag")
	var all sync.WaitGroup
	kept := make([]bool, 10)
	for i := range kept {
		all.Go(func() {
			a, err := s.send(t.Context(), "PUT", path, document(`{"deposit_account":{"name":"`+strings.Repeat("x", i+1)+
				`"}}`), with("If-Match", tag))
			if err != nil || a.status != 200 && a.status != 412 {
				t.Errorf("%d: %s, %v", a.status, a.body, err)
			}
			kept[i] = a.status == 200
		})
	}
	all.Wait()
	n := 0
	for _, k := range kept {
		if k {
			n++
		}
	}
	equal(t, n, 1)
}

func TestAnswersAreCompressedOnRequest(t *testing.T) {
	t.Parallel()
	s := newService(t)
	path := s.newDepositAccount(t)
	for range 10 {
		s.newTransaction(t, path, finance.Debit, "1.5", "2026-03-04")
	}
	path += "/financial_transactions"
	plain := s.call(t, "GET", path, with("Accept-Encoding", "identity")).want(t, 200)
	equal(t, plain.header.Get("Content-Encoding"), "")
	packed, err := s.send(t.Context(), "GET", path, with("Accept-Encoding", "gzip"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, packed.header.Get("Content-Encoding"), "gzip")
	equal(t, packed.header.Get("ETag"), plain.header.Get("ETag"))
	r, err := gzip.NewReader(strings.NewReader(packed.body))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(r)
	if err != nil || string(body) != plain.body {
		t.Errorf("%v: %s", err, body)
	}
	if vary := strings.Join(packed.header.Values("Vary"), ", "); !strings.Contains(vary, "Accept-Encoding") {
		t.Errorf("Vary: %s", vary)
	}
	small := s.call(t, "GET", "/nothing", with("Accept-Encoding", "gzip")).want(t, http.StatusNotFound)
	equal(t, small.header.Get("Content-Encoding"), "")
}

func TestTheBodyOfAListsRequestCounts(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for range 3 {
		s.anotherEntity(t)
	}
	second := s.call(t, "GET", "/entities?page=2&per_page=1").want(t, 200)
	for _, b := range []option{
		document(`{"page":2,"per_page":1}`), document(`{"page":"2","per_page":"1"}`),
		document(`<hash><page type="integer">2</page><per-page>1</per-page></hash>`),
		body("application/x-www-form-urlencoded", "page=2&per_page=1"),
	} {
		s.call(t, "GET", "/entities", b, with("Accept", "application/json")).wantBody(t, 200, second.body)
	}
	s.call(t, "GET", "/entities?page=2", document(`{"page":1,"per_page":1}`)).wantBody(t, 200, second.body)
	equal(t, len(s.call(t, "GET", "/entities", document(`{"search":{"name_contains":"nobody"}}`)).all(t, "entity.id")),
		0)
	s.call(t, "GET", "/entities", document(`{"search":{"nothing":"1"}}`)).want(t, 422)
	all := s.call(t, "GET", "/entities").want(t, 200)
	for _, b := range []option{
		document(`{}`), document(`{"page":null}`), document(`{"page":{}}`), document(`{"search":{}}`),
		body("application/json", ""), document(`{"entity":{}}`),
	} {
		s.call(t, "GET", "/entities", b).want(t, 200)
	}
	s.call(t, "GET", "/entities", document(`{}`)).wantBody(t, 200, all.body)
	s.call(t, "GET", "/entities", document(`{`)).want(t, 400)
}

func TestAnAccountsRequestsOfAMinuteAreLimited(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 10, 20, 45, 500e6, time.UTC)
	url := storagetest.DatabaseURL(t)
	store := storagetest.Open(t, url, storage.Options{})
	s := serve(t, store, func(c *api.Config) { c.Limiter = limiter(t, func() time.Time { return now }) })
	s.db, s.Tenant = storagetest.DB(t, url), storagetest.NewTenant(t, store)
	s.quota(t, finance.RequestsPerMinute, 2)
	wantRemaining := func(a answer, remaining string) {
		t.Helper()
		equal(t, a.header.Get("X-RateLimit-Limit"), "2")
		equal(t, a.header.Get("X-RateLimit-Remaining"), remaining)
		equal(t, a.header.Get("X-RateLimit-Reset"), "2026-03-04T10:21:00Z")
	}
	wantRemaining(s.call(t, "GET", "/entities").want(t, 200), "1")
	wantRemaining(s.call(t, "GET", "/entities/77").want(t, 404), "0")
	refused := s.call(t, "POST", "/entities", document(`{"entity":{"name":"A"}}`)).
		wantBody(t, 429, `{"error":"A conta já fez as 2 requisições por minuto que pode fazer `+
			`(requests_per_minute). Tente de novo em 15 segundos."}`)
	wantRemaining(refused, "0")
	equal(t, refused.header.Get("Retry-After"), "15")
	colleague := s.member(t, finance.Access{AllEntities: true})
	wantRemaining(s.call(t, "GET", "/entities", as(colleague)).want(t, 429), "0")
	equal(t, s.call(t, "GET", "/accounts").want(t, 200).header.Get("X-RateLimit-Remaining"), "59999") // of the user
	unknown := s.call(t, "GET", "/entities", as("nobody")).want(t, 401)
	equal(t, unknown.header.Get("X-RateLimit-Limit"), "")
	page := s.enter(t, s.loginCode(t)) // the request that made the code was counted
	equal(t, page.open(t, page.root()+"/webhooks").want(t, 429).header.Get("Retry-After"), "15")
	name := "ERP"
	stolen := storagetest.NewToken(t, store, members.NewToken{Name: &name, UserID: s.UserID, AccountID: &s.AccountID})
	of := page.link(t, page.root()+"/tokens", regexp.MustCompile(`/tokens/\d+$`), name)
	page.fill(t, of, of+"/revoke").want(t, 303)
	s.call(t, "GET", "/entities", as(stolen)).want(t, 401)
	page.open(t, page.link(t, page.root()+"/members", regexp.MustCompile(`/members/\d+$`), "")).want(t, 200)
	other := *s
	other.Tenant = storagetest.NewTenant(t, store)
	other.quota(t, finance.RequestsPerMinute, 1)
	equal(t, other.login(t, other.Token).want(t, 303).header.Get("X-RateLimit-Remaining"), "0")
	login := other.login(t, other.Token).want(t, 429)
	equal(t, login.header.Get("Retry-After")+login.header.Get("Set-Cookie"), "15")
	if !strings.Contains(login.body, "A conta fez requisições demais neste minuto") {
		t.Errorf("a login beyond the quota: %s", login.body)
	}
	equal(t, query[int](t, &other, `SELECT count(*) FROM tokens WHERE session_of IS NOT NULL`), 1)
}
