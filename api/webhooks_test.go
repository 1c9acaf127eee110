package api_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bordero/api"
	"bordero/finance"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// endpoint is a transport that answers every request as configured and records it.
type endpoint struct {
	mu    sync.Mutex
	reply func(*http.Request) (*http.Response, error)
	asked []*http.Request
}

func (e *endpoint) RoundTrip(r *http.Request) (*http.Response, error) {
	sent := r.Header
	r.Header = http.Header{}
	for name, values := range sent { // as a server reads them
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	e.mu.Lock()
	reply := e.reply
	e.asked = append(e.asked, r)
	e.mu.Unlock()
	return reply(r)
}

// answer makes the endpoint answer with the status.
func (e *endpoint) answer(status int) {
	e.does(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Body: http.NoBody, Request: r}, nil
	})
}

func (e *endpoint) does(reply func(*http.Request) (*http.Response, error)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.reply = reply
}

// newSubscribed returns a new service and the endpoint of its webhooks, which answers with 200.
func newSubscribed(t *testing.T, change ...func(*api.Config)) (*service, *endpoint) {
	t.Helper()
	e := &endpoint{}
	e.answer(http.StatusOK)
	databaseURL := storagetest.DatabaseURL(t)
	change = append(change, func(c *api.Config) { c.Outgoing = &http.Client{Transport: e} })
	s := serve(t, storagetest.Open(t, databaseURL, storage.Options{}), change...)
	s.db = storagetest.DB(t, databaseURL)
	s.Tenant = storagetest.NewTenant(t, s.store)
	return s, e
}

func subscribing(entity int64, url, format string) option {
	return document(fmt.Sprintf(`{"webhook":{"entity_id":%d,"url":%q,"format":%q}}`, entity, url, format))
}

func TestAWebhookNamesItsEvents(t *testing.T) {
	t.Parallel()
	s, e := newSubscribed(t)
	sent := func(events string) option {
		return document(fmt.Sprintf(`{"webhook":{"entity_id":%d,"url":"https://hooks.example.com","format":"json"%s}}`,
			s.EntityID, events))
	}
	for events, want := range map[string]string{
		`,"events":["sales.*","people.created","sales.*"]`: `"events":["sales.*","people.created"]`,
		`,"events":"sales.*, people.created"`:              `"events":["sales.*","people.created"]`,
		`,"events":[]`:                                     `"events":null`,
		`,"events":null`:                                   `"events":null`,
		``:                                                 `"events":null`,
	} {
		a := s.call(t, "POST", "/integrations/webhooks", sent(events)).want(t, 201)
		path := a.header.Get("Location")[len(publicURL):]
		for _, body := range []string{a.body, s.call(t, "GET", path).body,
			s.call(t, "PUT", path+"/verify_status").body} {
			if !strings.Contains(body, want) {
				t.Errorf("%s: %s", events, body)
			}
		}
	}
	if list := s.call(t, "GET", "/integrations/webhooks").body; strings.Count(list,
		`"events":["sales.*","people.created"]`) != 2 {
		t.Errorf("the list: %s", list)
	}
	asked := len(e.asked)
	for _, bad := range []string{`["sales"]`, `["*"]`, `["sales.*","vendas.*"]`, `[7]`, `"all"`, `true`,
		`["sales.created.now"]`} {
		a := s.call(t, "POST", "/integrations/webhooks", sent(`,"events":`+bad)).want(t, 422)
		equal(t, a.header.Get("X-Error-Code"), "unknown_event")
		if !strings.Contains(a.body, `{"events":["não conhece `) ||
			!strings.Contains(a.body, "sale_rules, sales, credit_cards") {
			t.Errorf("%s: %s", bad, a.body)
		}
	}
	equal(t, len(e.asked), asked)
}

// A webhook over the limit is refused without calling its endpoint. Existing webhooks over the limit
// remain and can be changed.
func TestWebhooksAreBounded(t *testing.T) {
	t.Parallel()
	s, e := newSubscribed(t, func(c *api.Config) { c.WebhooksPerEntity = 2 })
	s.quota(t, finance.Webhooks, 3)
	other, third := s.anotherEntity(t).ID, s.anotherEntity(t).ID
	foreign := storagetest.NewTenant(t, s.store)
	s.exec(t, `INSERT INTO webhooks (account_id, entity_id, url, format, secret) SELECT $1, $2, 'https://a.example',
		'json', repeat('0', 24) FROM generate_series(1, 9)`,
		foreign.AccountID, foreign.EntityID)
	subscribe := func(entity int64) answer {
		t.Helper()
		return s.call(t, "POST", "/integrations/webhooks", subscribing(entity, "https://hooks.example.com", "json"))
	}
	subscribe(s.EntityID).want(t, 201)
	last := subscribe(s.EntityID).want(t, 201).header.Get("Location")[len(publicURL):]
	subscribe(s.EntityID).wantBody(t, 422, `{"base":["A entidade já tem o máximo de 2 webhooks."]}`)
	subscribe(other).want(t, 201)
	subscribe(third).wantBody(t, 422, `{"base":["A conta já tem 3 webhooks, e o máximo é 3 (webhooks)."]}`)
	subscribe(foreign.EntityID).wantBody(t, 422, `{"entity":["não existe"]}`)
	equal(t, len(e.asked), 3)
	s.call(t, "DELETE", last).want(t, 200)
	subscribe(third).want(t, 201)
	subscribe(third).wantBody(t, 422, `{"base":["A conta já tem 3 webhooks, e o máximo é 3 (webhooks)."]}`)

	s.exec(t, `INSERT INTO webhooks (account_id, entity_id, url, format, secret) VALUES ($1, $2, 'https://a.example',
		'json', repeat('0', 24))`, s.AccountID, s.EntityID)
	for _, id := range s.call(t, "GET", "/integrations/webhooks").want(t, 200).all(t, "webhook.id") {
		s.call(t, "PUT", "/integrations/webhooks/"+id, document(`{"webhook":{"description":"a"}}`)).want(t, 200)
	}

	// Webhooks of an entity that is being deleted do not count: nobody can delete them.
	s.exec(t, `UPDATE entities SET deleted_at = now() WHERE id = $1`, s.EntityID)
	subscribe(third).want(t, 201)
}

// No request is over the limit when it calls its endpoint; afterwards only two webhooks fit.
func TestWebhooksAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	const asked, most = 8, 2
	s, e := newSubscribed(t)
	s.quota(t, finance.Webhooks, most)
	var together sync.WaitGroup
	together.Add(asked)
	e.does(func(r *http.Request) (*http.Response, error) {
		together.Done()
		together.Wait()
		return &http.Response{StatusCode: 200, Body: http.NoBody, Request: r}, nil
	})
	var all sync.WaitGroup
	var made atomic.Int64
	for range asked {
		all.Go(func() {
			a, err := s.send(t.Context(), "POST", "/integrations/webhooks",
				subscribing(s.EntityID, "https://hooks.example.com", "json"))
			switch {
			case err == nil && a.status == 201:
				made.Add(1)
			case err != nil || a.status != 422 || !strings.Contains(a.body, "o máximo é 2 (webhooks)"):
				t.Errorf("%d: %s, %v", a.status, a.body, err)
			}
		})
	}
	all.Wait()
	equal(t, made.Load(), most)
	equal(t, s.count(t, "webhooks"), most)
}

// The repeated answer has no secret, and the endpoint is not called again.
func TestARepeatedRequestCreatesOneWebhook(t *testing.T) {
	t.Parallel()
	s, e := newSubscribed(t)
	webhook := subscribing(s.EntityID, "https://hooks.example.com", "json")
	first := s.call(t, "POST", "/integrations/webhooks", webhook, key("a")).want(t, 201)
	again := s.call(t, "POST", "/integrations/webhooks", webhook, key("a")).want(t, 201)
	equal(t, again.header.Get("Idempotency-Replayed"), "true")
	equal(t, again.header.Get("Location"), first.header.Get("Location"))
	secret := first.at(t, "webhook.secret")
	equal(t, again.body, strings.Replace(first.body, `"`+secret+`"`, "null", 1))
	equal(t, query[int](t, s, `SELECT count(*) FROM idempotency_keys
		WHERE position($1 IN convert_from(body, 'UTF8')) > 0`, secret), 0)
	s.call(t, "POST", "/integrations/webhooks", subscribing(s.EntityID, "https://other.example.com", "json"),
		key("a")).want(t, 409)
	equal(t, len(e.asked), 1)
	equal(t, s.count(t, "webhooks"), 1)
}

func TestOnlyTheDescriptionOfAWebhookChanges(t *testing.T) {
	t.Parallel()
	s, e := newSubscribed(t)
	webhook := s.subscribe(t, `"url":"https://hooks.example.com","format":"json","description":"Loja"`)
	before := s.call(t, "GET", webhook).want(t, 200)
	s.call(t, "PUT", webhook, document(`{"webhook":{"description":"Loja nova","url":"","format":"xml","entity_id":9,`+
		`"secret":"x","events":["sales.*"],"status":"Com erro"}}`)).wantBody(t, 200, "")
	after := s.call(t, "GET", webhook).want(t, 200)
	equal(t, timeless(after.body), timeless(strings.Replace(before.body, "Loja", "Loja nova", 1)))
	s.call(t, "PUT", webhook, document(`{"webhook":{"description":null}}`)).wantBody(t, 200, "")
	equal(t, s.call(t, "GET", webhook).at(t, "webhook.description"), "<nil>")
	s.call(t, "PUT", webhook, document(`{"webhook":{"description":"`+strings.Repeat("é", 256)+`"}}`)).
		wantBody(t, 422, `{"description":["é muito longo (máximo: 255 caracteres)"]}`)
	equal(t, len(e.asked), 1)
}

func TestADeletedWebhookIsGoneAtOnce(t *testing.T) {
	t.Parallel()
	s, _ := newSubscribed(t)
	webhook := s.subscribe(t, `"url":"https://hooks.example.com","format":"json"`)
	delivery := s.newDelivery(t, webhook)
	s.call(t, "DELETE", webhook).wantBody(t, 200, "")
	equal(t, s.call(t, "GET", "/integrations/webhooks").body, "[]")
	for _, gone := range []struct{ method, path string }{
		{"GET", webhook}, {"PUT", webhook}, {"DELETE", webhook}, {"PUT", webhook + "/verify_status"},
		{"PUT", webhook + "/rotate_secret"},
		{"GET", webhook + "/deliveries"}, {"GET", delivery}, {"POST", delivery + "/redeliver"},
	} {
		s.call(t, gone.method, gone.path, document(`{"webhook":{}}`)).want(t, 404)
	}
	equal(t, query[string](t, s, `SELECT string_agg(concat_ws(' ', queue, args, account_id), ', ') FROM jobs
		WHERE kind = 'delete_cascade'`),
		`deletions {"account_id":1,"root":"webhooks","id":1} 1`)
}

func TestASecretIsRotated(t *testing.T) {
	t.Parallel()
	s, e := newSubscribed(t)
	webhook := s.subscribe(t, `"url":"https://hooks.example.com","format":"json"`)
	old := s.call(t, "GET", webhook).at(t, "webhook.secret")
	fresh := s.call(t, "PUT", webhook+"/rotate_secret").want(t, 200).at(t, "webhook.secret")
	if !regexp.MustCompile(`^[0-9a-f]{24}$`).MatchString(fresh) || fresh == old {
		t.Errorf("%q after %q", fresh, old)
	}
	equal(t, s.call(t, "GET", webhook).at(t, "webhook.secret"), fresh)
	s.call(t, "PUT", webhook+"/verify_status").want(t, 200)
	r := e.asked[len(e.asked)-1]
	body, _ := io.ReadAll(r.Body)
	equal(t, r.Header.Get("X-Service-Signature"), finance.SignSHA1(fresh, r.Header.Get("X-Service-RequestId"), body))
	seconds, _ := strconv.ParseInt(r.Header.Get("webhook-timestamp"), 10, 64)
	equal(t, r.Header.Get("webhook-signature"), finance.SignStandard([]string{fresh, old}, r.Header.Get("webhook-id"),
		time.Unix(seconds, 0), body))
	equal(t, query[bool](t, s, `SELECT previous_secret_until BETWEEN now() + interval '23 hours' AND now() + interval
		'24 hours' FROM webhooks`), true)
}

func TestWebhooksAreForAdministrators(t *testing.T) {
	t.Parallel()
	s, e := newSubscribed(t)
	member := s.member(t, finance.Access{AllEntities: true})
	webhook := s.subscribe(t, `"url":"https://hooks.example.com","format":"json"`)
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		s.call(t, method, webhook, as(member)).wantBody(t, 403,
			`{"error":"Você não tem permissão para acessar este recurso."}`)
	}
	s.call(t, "POST", "/integrations/webhooks", subscribing(s.EntityID, "https://hooks.example.com", "json"),
		as(member)).want(t, 403)
	s.call(t, "PUT", webhook+"/verify_status", as(member)).want(t, 403)
	equal(t, len(e.asked), 1)
}
