package api_test

import (
	"crypto/tls"
	"errors"
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
	"bordero/storage/storagetest"
)

func TestANewWebhookIsTested(t *testing.T) {
	t.Parallel()
	s, e := newSubscribed(t)
	for format, want := range map[string]struct{ contentType, body string }{
		"json": {"application/json; charset=utf-8", `{"test":true}`},
		"xml": {"application/xml; charset=utf-8", `<?xml version="1.0" encoding="UTF-8"?><hash><test type="boolean">` +
			`true</test></hash>`},
	} {
		a := s.call(t, "POST", "/integrations/webhooks", subscribing(s.EntityID, "https://hooks.example.com/"+format,
			format)).want(t, 201)
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
		equal(t, r.Header.Get("webhook-signature"), finance.SignStandard([]string{secret}, r.Header.Get("webhook-id"),
			time.Unix(seconds, 0), body))
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

// A URL is shown as it was sent, and called with its path and its query escaped.
func TestTheAddressOfAWebhookIsEscapedWhereItIsCalled(t *testing.T) {
	t.Parallel()
	s, e := newSubscribed(t)
	for url, want := range map[string]string{
		"https://hooks.example.com/x?m=a b":     "/x?m=a%20b",
		"https://hooks.example.com/x?m=ç":       "/x?m=%C3%A7",
		"https://hooks.example.com/ç ?m=%20&n=": "/%C3%A7%20?m=%20&n=",
	} {
		a := s.call(t, "POST", "/integrations/webhooks", subscribing(s.EntityID, url, "json")).want(t, 201)
		equal(t, a.at(t, "webhook.url"), url)
		s.call(t, "PUT", a.header.Get("Location")[len(publicURL):]+"/verify_status").want(t, 200)
		for _, r := range e.asked[len(e.asked)-2:] {
			equal(t, r.URL.RequestURI(), want)
		}
	}
}

// A receiver that knows the secret can check the test's signature before it answers.
func TestTheSecretMayBeChosen(t *testing.T) {
	t.Parallel()
	s, e := newSubscribed(t)
	const secret = "8F0c1d2e3b4a59687766554433221100"
	sent := func(secret string) option {
		return document(fmt.Sprintf(`{"webhook":{"entity_id":%d,"url":"https://hooks.example.com","format":"json",`+
			`"secret":%s}}`, s.EntityID, secret))
	}
	a := s.call(t, "POST", "/integrations/webhooks", sent(strconv.Quote(secret)), key("a")).want(t, 201)
	equal(t, a.at(t, "webhook.secret"), secret)
	r := e.asked[0]
	equal(t, r.Header.Get("X-Service-Signature"), finance.SignSHA1(secret, r.Header.Get("X-Service-RequestId"),
		[]byte(`{"test":true}`)))
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
		s.call(t, "POST", "/integrations/webhooks", sent(strconv.Quote(bad))).wantBody(t, 422,
			`{"secret":["deve ter de 24 a 64 caracteres hexadecimais"]}`)
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
		"o nome do servidor não foi encontrado": {
			&net.DNSError{Err: "no such host", Name: "hooks.example.com", IsNotFound: true}, "name_not_found"},
		"o servidor recusou a conexão": {&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED},
			"connection_refused"},
		"não foi possível conectar": {&net.OpError{Op: "dial", Err: syscall.EHOSTUNREACH},
			"not_connected"},
		"a conexão foi encerrada antes do fim da resposta": {io.EOF, "connection_closed"},
		"a resposta inteira não veio em 10 segundos":       {os.ErrDeadlineExceeded, "timed_out"},
		"o endereço não é público":                         {outgoing.ErrRefused, "address_not_public"},
		"a conexão segura (TLS) falhou": {
			tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}, "tls_failed"},
		"a resposta não é HTTP": {errors.New("malformed HTTP response"), "not_http"},
	} {
		e.does(func(*http.Request) (*http.Response, error) { return nil, c.err })
		refused("não respondeu à requisição de teste: " + why)
		equal(t, s.call(t, "POST", "/integrations/webhooks", webhook).header.Get("X-Error-Code"), c.code)
	}
	e.does(func(r *http.Request) (*http.Response, error) { // cut off in the middle of a body
		return &http.Response{StatusCode: 200, Body: io.NopCloser(iotest.ErrReader(io.ErrUnexpectedEOF)), Request: r},
			nil
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
		{`{}`, `{"entity":["não pode ser vazio"],"format":["não pode ser vazio","não está incluso na lista"],` +
			`"url":["não pode ser vazio","não é válido"]}`},
		{`{"entity_id":1,"format":"json","url":"example.com"}`, `{"url":["não é válido"]}`},
		{`{"entity_id":999,"format":"json","url":"example.com"}`, `{"url":["não é válido"],"entity":["não existe"]}`},
		{`{"entity_id":1,"format":"yaml","url":"https://a:b@example.com"}`,
			`{"format":["não está incluso na lista"],"url":["não pode ter usuário nem senha"]}`},
		{`{"entity_id":1,"format":"json","url":"http://example.com:22"}`,
			`{"url":["deve usar a porta 80, a 443 ou uma a partir da 1024"]}`},
		{fmt.Sprintf(`{"entity_id":%d,"format":"json","url":"https://example.com"}`, foreign.EntityID),
			`{"entity":["não existe"]}`},
		{fmt.Sprintf(`{"entity_id":%d,"format":"json","url":"https://example.com"}`, going),
			`{"base":["A entidade está sendo excluída."]}`},
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
		"as it is": {nil, 422},
		"when let": {outgoing.New(outgoing.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}),
			201},
		"let elsewhere": {outgoing.New(outgoing.Options{Allow: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}),
			422},
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
			a, err := s.send(t.Context(), "POST", "/integrations/webhooks",
				subscribing(s.EntityID, "https://hooks.example.com", "json"), key(fmt.Sprint(i)))
			if err != nil || a.status != 201 {
				t.Errorf("%d: %s, %v", a.status, a.body, err)
			}
		})
	}
	for range slow {
		<-arrived
	}
	s.call(t, "GET", "/entities").want(t, 200)
	equal(t, query[int](t, s, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
		AND state LIKE 'idle in transaction%'`), 0)
	close(release)
	all.Wait()
	equal(t, s.count(t, "webhooks"), slow)
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
		return strings.Join([]string{a.at(t, "webhook.status"), a.at(t, "webhook.healthy_check_code"),
			s.call(t, "GET", delivery).at(t, "webhook_delivery.status"),
			query[string](t, s, `SELECT count(*)::text FROM jobs WHERE key = 'webhook:1'`)}, " ")
	}
	e.answer(http.StatusBadGateway)
	s.call(t, "PUT", webhook+"/verify_status").wantBody(t, 422, `{"url":["não respondeu à requisição de teste com o `+
		`status 200: respondeu com o status 502"]}`)
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
