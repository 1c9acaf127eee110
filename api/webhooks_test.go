package api_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/outgoing"
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

func TestANewWebhookIsTested(t *testing.T) {
	t.Parallel()
	s, e := newSubscribed(t)
	for format, want := range map[string]struct{ contentType, body string }{
		"json": {"application/json; charset=utf-8", `{"test":true}`},
		"xml":  {"application/xml; charset=utf-8", `<?xml version="1.0" encoding="UTF-8"?><hash><test type="boolean">true</test></hash>`},
	} {
		a := s.call(t, "POST", "/integrations/webhooks", subscribing(s.EntityID, "https://hooks.example.com/"+format, format)).want(t, 201)
		equal(t, a.at(t, "webhook.healthy_check_code")+a.at(t, "webhook.status"), "200Ativo")
		equal(t, s.call(t, "GET", a.header.Get("Location")[len(publicURL):]).want(t, 200).body, a.body)
		r := e.asked[len(e.asked)-1]
		equal(t, r.Method+" "+r.URL.String(), "POST https://hooks.example.com/"+format)
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, string(body), want.body)
		equal(t, r.Header.Get("Content-Type"), want.contentType)
		equal(t, r.Header.Get("User-Agent"), outgoing.UserAgent)
		requestID, secret := r.Header.Get("X-Service-RequestId"), a.at(t, "webhook.secret")
		equal(t, len(requestID), 32)
		equal(t, r.Header.Get("X-Service-Signature"), finance.SignSHA1(secret, requestID, body))
		seconds, _ := strconv.ParseInt(r.Header.Get("webhook-timestamp"), 10, 64)
		equal(t, r.Header.Get("webhook-signature"), finance.SignStandard([]string{secret}, r.Header.Get("webhook-id"), time.Unix(seconds, 0), body))
	}
	if e.asked[0].Header.Get("X-Service-RequestId") == e.asked[1].Header.Get("X-Service-RequestId") {
		t.Error("the id of a request repeats")
	}
	list := s.call(t, "GET", "/integrations/webhooks").want(t, 200)
	equal(t, list.all(t, "webhook.id"), []string{"1", "2"})
	if strings.Contains(list.body, "secret") || !strings.Contains(list.body, `"healthy_check_code":"200"`) {
		t.Errorf("the list: %s", list.body)
	}
}

// A receiver that knows the secret can check the test's signature before it answers.
func TestTheSecretMayBeChosen(t *testing.T) {
	t.Parallel()
	s, e := newSubscribed(t)
	const secret = "8F0c1d2e3b4a59687766554433221100"
	sent := func(secret string) option {
		return document(fmt.Sprintf(`{"webhook":{"entity_id":%d,"url":"https://hooks.example.com","format":"json","secret":%s}}`, s.EntityID, secret))
	}
	a := s.call(t, "POST", "/integrations/webhooks", sent(strconv.Quote(secret)), key("a")).want(t, 201)
	equal(t, a.at(t, "webhook.secret"), secret)
	r := e.asked[0]
	equal(t, r.Header.Get("X-Service-Signature"), finance.SignSHA1(secret, r.Header.Get("X-Service-RequestId"), []byte(`{"test":true}`)))
	equal(t, s.call(t, "GET", "/integrations/webhooks/1").at(t, "webhook.secret"), secret)
	again := s.call(t, "POST", "/integrations/webhooks", sent(strconv.Quote(secret)), key("a")).want(t, 201)
	equal(t, again.at(t, "webhook.secret"), "<nil>")
	for _, none := range []string{"null", `""`} {
		made := s.call(t, "POST", "/integrations/webhooks", sent(none)).want(t, 201).at(t, "webhook.secret")
		if !regexp.MustCompile(`^[0-9a-f]{24}$`).MatchString(made) {
			t.Errorf("%s: %q", none, made)
		}
	}
	asked := len(e.asked)
	for _, bad := range []string{secret[:23], secret + secret + "0", "senha muito secreta, mesmo"} {
		s.call(t, "POST", "/integrations/webhooks", sent(strconv.Quote(bad))).wantBody(t, 422, `{"secret":["deve ter de 24 a 64 caracteres hexadecimais"]}`)
	}
	equal(t, len(e.asked), asked)
}

func TestAWebhookNamesItsEvents(t *testing.T) {
	t.Parallel()
	s, e := newSubscribed(t)
	sent := func(events string) option {
		return document(fmt.Sprintf(`{"webhook":{"entity_id":%d,"url":"https://hooks.example.com","format":"json"%s}}`, s.EntityID, events))
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
		for _, body := range []string{a.body, s.call(t, "GET", path).body, s.call(t, "PUT", path+"/verify_status").body} {
			if !strings.Contains(body, want) {
				t.Errorf("%s: %s", events, body)
			}
		}
	}
	if list := s.call(t, "GET", "/integrations/webhooks").body; strings.Count(list, `"events":["sales.*","people.created"]`) != 2 {
		t.Errorf("the list: %s", list)
	}
	asked := len(e.asked)
	for _, bad := range []string{`["sales"]`, `["*"]`, `["sales.*","vendas.*"]`, `[{"a":1}]`, `"all"`, `true`, `["sales.created.now"]`} {
		a := s.call(t, "POST", "/integrations/webhooks", sent(`,"events":`+bad)).want(t, 422)
		equal(t, a.header.Get("X-Error-Code"), "unknown_event")
		if !strings.Contains(a.body, `{"events":["não conhece `) || !strings.Contains(a.body, "sale_rules, sales, credit_cards") {
			t.Errorf("%s: %s", bad, a.body)
		}
	}
	equal(t, len(e.asked), asked)
}

func TestAnAddressThatDoesNotAnswerWith200IsNoWebhook(t *testing.T) {
	t.Parallel()
	s, e := newSubscribed(t)
	webhook := subscribing(s.EntityID, "https://hooks.example.com", "json")
	refused := func(why string) {
		t.Helper()
		s.call(t, "POST", "/integrations/webhooks", webhook).wantBody(t, 422, `{"url":["`+why+`"]}`)
	}
	for _, status := range []int{201, 202, 204, 301, 307, 400, 401, 404, 429, 500, 503} {
		e.answer(status)
		refused(fmt.Sprintf("não respondeu à requisição de teste com o status 200: respondeu com o status %d", status))
	}
	for why, c := range map[string]struct {
		err  error
		code string
	}{
		"o nome do servidor não foi encontrado":            {&net.DNSError{Err: "no such host", Name: "hooks.example.com", IsNotFound: true}, "name_not_found"},
		"o servidor recusou a conexão":                     {&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, "connection_refused"},
		"não foi possível conectar":                        {&net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH}, "not_connected"},
		"a conexão foi encerrada antes do fim da resposta": {io.EOF, "connection_closed"},
		"a resposta inteira não veio em 10 segundos":       {os.ErrDeadlineExceeded, "timed_out"},
		"o endereço não é público":                         {outgoing.ErrRefused, "address_not_public"},
	} {
		e.does(func(*http.Request) (*http.Response, error) { return nil, c.err })
		refused("não respondeu à requisição de teste: " + why)
		equal(t, s.call(t, "POST", "/integrations/webhooks", webhook).header.Get("X-Error-Code"), c.code)
	}
	e.does(func(r *http.Request) (*http.Response, error) { // cut off in the middle of a body
		return &http.Response{StatusCode: 200, Body: io.NopCloser(iotest.ErrReader(io.ErrUnexpectedEOF)), Request: r}, nil
	})
	refused("não respondeu à requisição de teste: a conexão foi encerrada antes do fim da resposta")
	equal(t, s.count(t, "webhooks"), 0)

	e.does(func(r *http.Request) (*http.Response, error) { // only some of the 10 GiB is read
		return &http.Response{StatusCode: 200, Body: io.NopCloser(io.LimitReader(zeros{}, 10<<30)), Request: r}, nil
	})
	s.call(t, "POST", "/integrations/webhooks", webhook).want(t, 201)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Errors that need no call of the endpoint are found without calling it.
func TestABadWebhookIsNotTested(t *testing.T) {
	t.Parallel()
	s, e := newSubscribed(t)
	foreign := storagetest.NewTenant(t, s.store)
	going := s.anotherEntity(t).ID
	s.exec(t, `UPDATE entities SET deleted_at = now() WHERE id = $1`, going)
	for _, c := range []struct{ sent, want string }{
		{`{}`, `{"entity":["não pode ser vazio"],"format":["não pode ser vazio","não está incluso na lista"],"url":["não pode ser vazio","não é válido"]}`},
		{`{"entity_id":1,"format":"json","url":"example.com"}`, `{"url":["não é válido"]}`},
		{`{"entity_id":1,"format":"yaml","url":"https://a:b@example.com"}`, `{"format":["não está incluso na lista"],"url":["não pode ter usuário nem senha"]}`},
		{`{"entity_id":1,"format":"json","url":"http://example.com:22"}`, `{"url":["deve usar a porta 80, a 443 ou uma a partir da 1024"]}`},
		{fmt.Sprintf(`{"entity_id":%d,"format":"json","url":"https://example.com"}`, foreign.EntityID), `{"entity":["não existe"]}`},
		{fmt.Sprintf(`{"entity_id":%d,"format":"json","url":"https://example.com"}`, going), `{"base":["A entidade está sendo excluída."]}`},
	} {
		s.call(t, "POST", "/integrations/webhooks", document(`{"webhook":`+c.sent+`}`)).wantBody(t, 422, c.want)
	}
	s.call(t, "POST", "/integrations/webhooks", document(`{}`)).want(t, 422)
	s.call(t, "POST", "/integrations/webhooks", document(`{"webhook":`)).want(t, 400)
	equal(t, len(e.asked), 0)
	equal(t, s.count(t, "webhooks"), 0)
}

// This test uses the real client: it reaches no private address that is not allowed.
func TestThePrivateNetworkIsNoWebhook(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(receiver.Close)
	store := storagetest.New(t)
	for name, c := range map[string]struct {
		client *http.Client
		status int
	}{
		"as it is":      {nil, 422},
		"when let":      {outgoing.New(outgoing.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}), 201},
		"let elsewhere": {outgoing.New(outgoing.Options{Allow: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}), 422},
	} {
		s := serve(t, store, func(config *api.Config) { config.Outgoing = c.client })
		s.Tenant = storagetest.NewTenant(t, store)
		a := s.call(t, "POST", "/integrations/webhooks", subscribing(s.EntityID, receiver.URL, "json"))
		if a.status != c.status {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	equal(t, asked.Load(), 1)
}

// A webhook over the limit is refused without calling its endpoint. Existing webhooks over the limit
// remain and can be changed.
func TestWebhooksAreBounded(t *testing.T) {
	t.Parallel()
	s, e := newSubscribed(t, func(c *api.Config) { c.WebhooksPerEntity, c.WebhooksPerAccount = 2, 3 })
	other, third := s.anotherEntity(t).ID, s.anotherEntity(t).ID
	foreign := storagetest.NewTenant(t, s.store)
	s.exec(t, `INSERT INTO webhooks (account_id, entity_id, url, format, secret) SELECT $1, $2, 'https://a.example', 'json', repeat('0', 24) FROM generate_series(1, 9)`,
		foreign.AccountID, foreign.EntityID)
	subscribe := func(entity int64) answer {
		t.Helper()
		return s.call(t, "POST", "/integrations/webhooks", subscribing(entity, "https://hooks.example.com", "json"))
	}
	subscribe(s.EntityID).want(t, 201)
	last := subscribe(s.EntityID).want(t, 201).header.Get("Location")[len(publicURL):]
	subscribe(s.EntityID).wantBody(t, 422, `{"base":["A entidade já tem o máximo de 2 webhooks."]}`)
	subscribe(other).want(t, 201)
	subscribe(third).wantBody(t, 422, `{"base":["A conta já tem o máximo de 3 webhooks."]}`)
	subscribe(foreign.EntityID).wantBody(t, 422, `{"entity":["não existe"]}`)
	equal(t, len(e.asked), 3)
	s.call(t, "DELETE", last).want(t, 200)
	subscribe(third).want(t, 201)

	s.exec(t, `INSERT INTO webhooks (account_id, entity_id, url, format, secret) VALUES ($1, $2, 'https://a.example', 'json', repeat('0', 24))`, s.AccountID, s.EntityID)
	for _, id := range s.call(t, "GET", "/integrations/webhooks").want(t, 200).all(t, "webhook.id") {
		s.call(t, "PUT", "/integrations/webhooks/"+id, document(`{"webhook":{"description":"a"}}`)).want(t, 200)
	}
}

// No request is over the limit when it calls its endpoint; afterwards only two webhooks fit.
func TestWebhooksAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	const asked, most = 8, 2
	s, e := newSubscribed(t, func(c *api.Config) { c.WebhooksPerEntity = most })
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
			a, err := s.send(t.Context(), "POST", "/integrations/webhooks", subscribing(s.EntityID, "https://hooks.example.com", "json"))
			switch {
			case err == nil && a.status == 201:
				made.Add(1)
			case err != nil || a.status != 422 || !strings.Contains(a.body, "o máximo de 2 webhooks"):
				t.Errorf("%d: %s, %v", a.status, a.body, err)
			}
		})
	}
	all.Wait()
	equal(t, made.Load(), most)
	equal(t, s.count(t, "webhooks"), most)
}

// A slow endpoint does not occupy a database connection.
func TestASlowEndpointOccupiesNoConnection(t *testing.T) {
	t.Parallel()
	s, e := newSubscribed(t, func(c *api.Config) { c.WebhooksPerEntity = 30 })
	const slow = 30 // more than the store has connections
	arrived, release := make(chan struct{}, slow), make(chan struct{})
	e.does(func(r *http.Request) (*http.Response, error) {
		arrived <- struct{}{}
		<-release
		return &http.Response{StatusCode: 200, Body: http.NoBody, Request: r}, nil
	})
	var all sync.WaitGroup
	for i := range slow {
		all.Go(func() {
			a, err := s.send(t.Context(), "POST", "/integrations/webhooks", subscribing(s.EntityID, "https://hooks.example.com", "json"), key(fmt.Sprint(i)))
			if err != nil || a.status != 201 {
				t.Errorf("%d: %s, %v", a.status, a.body, err)
			}
		})
	}
	for range slow {
		<-arrived
	}
	s.call(t, "GET", "/entities").want(t, 200)
	equal(t, query[int](t, s, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`), 0)
	close(release)
	all.Wait()
	equal(t, s.count(t, "webhooks"), slow)
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
	equal(t, query[int](t, s, `SELECT count(*) FROM idempotency_keys WHERE position($1 IN convert_from(body, 'UTF8')) > 0`, secret), 0)
	s.call(t, "POST", "/integrations/webhooks", subscribing(s.EntityID, "https://other.example.com", "json"), key("a")).want(t, 409)
	equal(t, len(e.asked), 1)
	equal(t, s.count(t, "webhooks"), 1)
}

func TestOnlyTheDescriptionOfAWebhookChanges(t *testing.T) {
	t.Parallel()
	s, e := newSubscribed(t)
	webhook := s.subscribe(t, `"url":"https://hooks.example.com","format":"json","description":"Loja"`)
	before := s.call(t, "GET", webhook).want(t, 200)
	s.call(t, "PUT", webhook, document(`{"webhook":{"description":"Loja nova","url":"","format":"xml","entity_id":9,"secret":"x","events":["sales.*"],"status":"Com erro"}}`)).wantBody(t, 200, "")
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
		{"GET", webhook}, {"PUT", webhook}, {"DELETE", webhook}, {"PUT", webhook + "/verify_status"}, {"PUT", webhook + "/rotate_secret"},
		{"GET", webhook + "/deliveries"}, {"GET", delivery}, {"POST", delivery + "/redeliver"},
	} {
		s.call(t, gone.method, gone.path, document(`{"webhook":{}}`)).want(t, 404)
	}
	equal(t, query[string](t, s, `SELECT string_agg(concat_ws(' ', queue, args, account_id), ', ') FROM jobs WHERE kind = 'delete_cascade'`),
		`deletions {"account_id":1,"root":"webhooks","id":1} 1`)
}

func TestAWebhookIsVerified(t *testing.T) {
	t.Parallel()
	s, e := newSubscribed(t)
	webhook := s.subscribe(t, `"url":"https://hooks.example.com","format":"json"`)
	s.exec(t, `UPDATE webhooks SET status = 'error'`)
	delivery := s.newDelivery(t, webhook)
	s.exec(t, `UPDATE deliveries SET status = 'held'`)
	state := func() string {
		t.Helper()
		a := s.call(t, "GET", webhook)
		return strings.Join([]string{a.at(t, "webhook.status"), a.at(t, "webhook.healthy_check_code"), s.call(t, "GET", delivery).at(t, "webhook_delivery.status"),
			query[string](t, s, `SELECT count(*)::text FROM jobs WHERE key = 'webhook:1'`)}, " ")
	}
	e.answer(http.StatusBadGateway)
	s.call(t, "PUT", webhook+"/verify_status").wantBody(t, 422, `{"url":["não respondeu à requisição de teste com o status 200: respondeu com o status 502"]}`)
	equal(t, state(), "Com erro 502 held 0")
	e.does(func(*http.Request) (*http.Response, error) { return nil, syscall.ECONNREFUSED })
	s.call(t, "PUT", webhook+"/verify_status").want(t, 422)
	equal(t, state(), "Com erro <nil> held 0")
	equal(t, s.call(t, "GET", "/integrations/webhooks").all(t, "webhook.healthy_check_code"), []string{"<nil>"})
	e.answer(http.StatusOK)
	a := s.call(t, "PUT", webhook+"/verify_status").want(t, 200)
	equal(t, a.body, s.call(t, "GET", webhook).body)
	equal(t, state(), "Ativo 200 pending 1")
	e.answer(http.StatusInternalServerError) // for an active webhook only the code changes
	s.call(t, "PUT", webhook+"/verify_status").want(t, 422)
	equal(t, state(), "Ativo 500 pending 1")
	asked := len(e.asked)
	s.call(t, "PUT", webhook+"/verify_status", with("If-Match", `"other"`)).want(t, 412)
	equal(t, len(e.asked), asked)
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
	equal(t, r.Header.Get("webhook-signature"), finance.SignStandard([]string{fresh, old}, r.Header.Get("webhook-id"), time.Unix(seconds, 0), body))
	equal(t, query[bool](t, s, `SELECT previous_secret_until BETWEEN now() + interval '23 hours' AND now() + interval '24 hours' FROM webhooks`), true)
}

func TestDeliveriesAreSearched(t *testing.T) {
	t.Parallel()
	s, _ := newSubscribed(t)
	webhook := s.subscribe(t, `"url":"https://hooks.example.com","format":"json"`)
	other := s.subscribe(t, `"url":"https://hooks.example.com","format":"json"`)
	s.newDelivery(t, other)
	s.exec(t, `INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, status, created_at) VALUES
		(1, 1, 'sales', 'created', 1, 'delivered', '2026-03-01 12:00-03'),
		(1, 1, 'sales', 'destroyed', 1, 'failed', '2026-03-02 12:00-03'),
		(1, 1, 'people', 'updated', 1, 'pending', '2026-03-03 12:00-03')`)
	path := webhook + "/deliveries"
	for filter, want := range map[string][]string{
		"": {"4", "3", "2"}, "status=failed": {"3"}, "status=expired": {}, "event=sales.created": {"2"}, "event=sales": {},
		"since=2026-03-02": {"4", "3"}, "since=2026-03-02T12:00:01-03:00": {"4"}, "since=2026-03-01&event=sales.destroyed": {"3"},
	} {
		equal(t, s.call(t, "GET", path+"?"+search(filter)).all(t, "webhook_delivery.id"), want)
	}
	s.call(t, "GET", path+"?search[status]=done").wantBody(t, 422, `{"status":["não está incluso na lista"]}`)
	s.call(t, "GET", path+"?search[since]=ontem").wantBody(t, 422, `{"since":["não é uma data válida"]}`)
	s.call(t, "GET", path+"?search[url]=a").wantBody(t, 422, `{"url":["não é um filtro conhecido: os filtros são event, since, status"]}`)
	page := s.call(t, "GET", path+"?per_page=2&page=2").want(t, 200)
	equal(t, page.all(t, "webhook_delivery.id"), []string{"2"})
	s.call(t, "GET", other+"/deliveries/2").want(t, 404)
}

// What was missed can be found, and read again by hand.
func TestADeliveryNamesItsRecord(t *testing.T) {
	t.Parallel()
	s, _ := newSubscribed(t)
	webhook := s.subscribe(t, `"url":"https://hooks.example.com","format":"json"`)
	card := s.newCard(t, 20, 1)
	records := map[string]string{
		"credit_cards": card, "people": s.newPerson(t, `{"name":"a"}`), "credit_card_transactions": s.buy(t, card, `"amount":"-10","occurred_at":"2026-01-02"`),
	}
	for family, path := range records {
		list := s.call(t, "GET", webhook+"/deliveries?search[event]="+family+".created").want(t, 200)
		equal(t, list.all(t, "webhook_delivery.path"), []string{path})
		equal(t, list.all(t, "webhook_delivery.record_id"), []string{fmt.Sprint(lastID(path))})
		equal(t, list.all(t, "webhook_delivery.webhook_id"), []string{"msg_" + list.all(t, "webhook_delivery.id")[0]})
		if strings.Contains(list.body, "body") {
			t.Errorf("the list has bodies: %s", list.body)
		}
	}
	one := webhook + "/deliveries/1"
	equal(t, s.call(t, "GET", one).at(t, "webhook_delivery.body"), "<nil>")
	s.exec(t, `UPDATE deliveries SET body = $1`, `{"event":"credit_cards.created"}`)
	equal(t, s.call(t, "GET", one).at(t, "webhook_delivery.body"), `{"event":"credit_cards.created"}`)
	s.exec(t, `UPDATE deliveries SET family = 'of_a_later_release'`)
	equal(t, s.call(t, "GET", one).at(t, "webhook_delivery.path"), "")
}

func TestANotificationIsDeliveredAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, status string // statuses of webhook and delivery
		want           string
	}{
		{"active", "delivered", "pending 7 true true 1"},
		{"active", "failed", "pending 7 true true 1"},
		{"active", "expired", "pending 7 true true 1"},
		{"active", "pending", "pending 7 true true 1"},
		{"error", "failed", "held 7 true true 0"},
		{"error", "held", "held 7 true true 0"},
	} {
		s, _ := newSubscribed(t)
		delivery := s.newDelivery(t, s.subscribe(t, `"url":"https://hooks.example.com","format":"json"`))
		s.exec(t, `UPDATE webhooks SET status = $1`, c.before)
		s.exec(t, `UPDATE deliveries SET status = $1, delivered_at = CASE $1 WHEN 'delivered' THEN now() END, next_at = now() + interval '1 day'`, c.status)
		a := s.call(t, "POST", delivery+"/redeliver", key("a")).want(t, 202)
		equal(t, a.header.Get("Location"), publicURL+delivery)
		equal(t, a.body, s.call(t, "GET", delivery).body)
		equal(t, query[string](t, s, `SELECT concat_ws(' ', status, attempts_allowed, next_at <= now(), delivered_at IS NULL,
			(SELECT count(*) FROM jobs WHERE key = 'webhook:1')) FROM deliveries`), strings.ReplaceAll(c.want, "true", "t"))
		s.call(t, "POST", delivery+"/redeliver", key("a")).wantBody(t, 202, a.body)
	}
	t.Run("while an attempt runs the next one waits for its end", func(t *testing.T) {
		s, _ := newSubscribed(t)
		delivery := s.newDelivery(t, s.subscribe(t, `"url":"https://hooks.example.com","format":"json"`))
		s.exec(t, `UPDATE deliveries SET next_at = now() + interval '1 minute'`)
		s.exec(t, `UPDATE delivery_attempts SET finished_at = NULL WHERE number = 2`)
		s.call(t, "POST", delivery+"/redeliver").want(t, 202)
		equal(t, query[bool](t, s, `SELECT next_at > now() AND attempts_allowed = 7 FROM deliveries`), true)
	})
}

func TestManyNotificationsAreDeliveredAgain(t *testing.T) {
	t.Parallel()
	s, _ := newSubscribed(t)
	webhook := s.subscribe(t, `"url":"https://hooks.example.com","format":"json"`)
	s.newDelivery(t, s.subscribe(t, `"url":"https://hooks.example.com","format":"json"`)) // another webhook's
	s.exec(t, `INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, status, created_at) VALUES
		(1, 1, 'sales', 'created', 1, 'failed', now() - interval '15 days'), (1, 1, 'sales', 'created', 2, 'failed', now() - interval '13 days'),
		(1, 1, 'people', 'created', 3, 'failed', now()), (1, 1, 'people', 'created', 4, 'delivered', now())`)
	path := webhook + "/deliveries/redeliver"
	for filter, want := range map[string]int{
		"": 2, "status=failed": 3, "status=failed&event=sales.created": 2, "event=people.created": 2, "since=" + time.Now().Add(-time.Hour).UTC().Format(time.RFC3339): 2,
		"status=expired": 0,
	} {
		a := s.call(t, "POST", path+"?"+search(filter)).want(t, 202)
		equal(t, a.body, fmt.Sprintf(`{"count":%d}`, want))
		matching := query[int](t, s, `SELECT count(*) FROM jobs WHERE kind = 'redeliver_webhook' AND args::json->>'webhook_id' = '1' AND (args::json->>'up_to')::int BETWEEN 3 AND 5`)
		equal(t, matching, min(want, 1))
		s.exec(t, `DELETE FROM jobs`)
	}
	for _, c := range []struct{ sent, want string }{
		{`{"search":{"status":"delivered"}}`, `{"count":1}`}, {`{"search":{}}`, `{"count":2}`},
		{`<hash><search><event>people.created</event></search></hash>`, `<?xml version="1.0" encoding="UTF-8"?><hash><count type="integer">2</count></hash>`},
	} {
		s.call(t, "POST", path, document(c.sent)).wantBody(t, 202, c.want)
	}
	before := s.count(t, "jobs")
	s.call(t, "POST", path+"?search[status]=failed", key("a")).wantBody(t, 202, `{"count":3}`)
	s.call(t, "POST", path+"?search[status]=failed", key("a")).wantBody(t, 202, `{"count":3}`)
	equal(t, s.count(t, "jobs"), before+1)
	s.call(t, "POST", path+"?search[state]=failed").want(t, 422)
	s.call(t, "POST", path+"?search[status]=done").wantBody(t, 422, `{"status":["não está incluso na lista"]}`)
	s.call(t, "POST", path, as(s.member(t, finance.Access{AllEntities: true}))).want(t, 403)
	s.call(t, "POST", "/integrations/webhooks/9/deliveries/redeliver").want(t, 404)
}

func TestWebhooksAreForAdministrators(t *testing.T) {
	t.Parallel()
	s, e := newSubscribed(t)
	member := s.member(t, finance.Access{AllEntities: true})
	webhook := s.subscribe(t, `"url":"https://hooks.example.com","format":"json"`)
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		s.call(t, method, webhook, as(member)).wantBody(t, 403, `{"error":"Você não tem permissão para acessar este recurso."}`)
	}
	s.call(t, "POST", "/integrations/webhooks", subscribing(s.EntityID, "https://hooks.example.com", "json"), as(member)).want(t, 403)
	s.call(t, "PUT", webhook+"/verify_status", as(member)).want(t, 403)
	equal(t, len(e.asked), 1)
}
