package e2e

import (
	"bytes"
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance/statement/statementtest"
	"bordero/internal/paths"
	"bordero/internal/testkit"
	"bordero/internal/tracing/otlptest"
)

// One trace joins a request, its jobs and its deliveries, to the header that a receiver gets. The spans arrive when
// the processes end, and have no data of a tenant.
func TestTraces(t *testing.T) {
	t.Parallel()
	collector := otlptest.New(t)
	s := e2etest.New(t, e2etest.Set("OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL),
		e2etest.Set("OTEL_BSP_SCHEDULE_DELAY=3600000"), e2etest.Set("BORDERO_TRACE_STATEMENTS=0s"),
		e2etest.Delivering("1h"))
	api, scheduler := s.Serve()
	worker, courier := s.Worker(), couriers(s, 1)[0]
	r, headers := e2etest.NewReceiver(t), make(chan string, 100)
	r.Answers("/hook-of-ana", func(_ http.ResponseWriter, r *http.Request) { headers <- r.Header.Get("Traceparent") })
	subscribe(t, s, r.URL+"/hook-of-ana")
	const (
		client  = "b7ad6b7169203331"
		given   = "0af7651916cd43dd8448eb211c80319c"
		ignored = "1af7651916cd43dd8448eb211c80319c" // its client does not sample it
		name    = "Zebrulina Quitanda"
	)
	post := func(traceparent string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/people?search%5Bq%5D=hunter2",
			strings.NewReader(`{"person": {"name": "`+name+`", "customer": true}}`))
		if err != nil {
			t.Fatal(err)
		}
		request.SetBasicAuth(s.Token, "x")
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Traceparent", traceparent)
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusCreated {
			t.Fatalf("status %d", answer.StatusCode)
		}
	}
	post("00-" + given + "-" + client + "-01")
	delivered := <-headers
	post("00-" + ignored + "-" + client + "-00")
	if header := <-headers; !strings.HasPrefix(header, "00-"+ignored) || !strings.HasSuffix(header, "-00") {
		t.Errorf("a trace that is not sampled is continued by %s", header)
	}
	const number = "31415926"
	s.Import(t, s.NewDepositAccount(t, number), statementtest.OFX(10))
	s.Settled()
	testkit.Eventually(t, "the import is delivered", func() bool {
		return e2etest.Value[int](t, s.DB, `SELECT count(*) FROM deliveries WHERE status <> 'delivered'`) == 0
	})
	for _, p := range []*e2etest.Process{api, scheduler, worker, courier} {
		p.Terminate()
	}

	spans, raw := collector.Spans()
	byID := map[string]otlptest.Span{client: {Name: "client"}}
	for _, span := range spans {
		byID[span.ID] = span
		if span.Trace == ignored {
			t.Errorf("%v was not to be sampled", span)
		}
	}
	account := strconv.FormatInt(s.ID, 10)
	const statements = "/entities/:entity_id/deposit_accounts/:deposit_account_id/bank_statements"
	for _, want := range []struct {
		service, kind, name, parent, link string
		attributes                        map[string]string
	}{
		{"bordero-api", "server", "POST /people", "client", "", map[string]string{"http.route": "/people",
			"http.request.method": "POST", "http.response.status_code": "201", "bordero.account_id": account}},
		{"bordero-work-webhooks", "consumer", "deliver_webhook", "POST /people", "", map[string]string{
			"messaging.destination.name": "webhooks", "bordero.job.result": "done", "bordero.job.attempt": "1",
			"bordero.account_id": account}},
		{"bordero-work-webhooks", "client", "POST webhook", "POST /people", "deliver_webhook", map[string]string{
			"http.response.status_code": "200", "bordero.delivery.outcome": "delivered",
			"bordero.account_id": account}},
		{"bordero-api", "client", "COMMIT", "POST /people", "", map[string]string{"db.system.name": "postgresql",
			"db.query.summary": "COMMIT"}},
		{"bordero-api", "server", "POST " + statements, "", "", map[string]string{"http.route": statements}},
		{"bordero-work-statements", "consumer", "import_statement", "POST " + statements, "", map[string]string{
			"bordero.job.kind": "import_statement", "messaging.system": "bordero", "bordero.account_id": account}},
		{"bordero-work-statements", "client", "COMMIT", "import_statement", "", nil},
		{"bordero-work-webhooks", "client", "POST webhook", "import_statement", "deliver_webhook", nil},
	} {
		if !slices.ContainsFunc(spans, func(got otlptest.Span) bool {
			parent, link := byID[got.Parent], byID[got.Link]
			if inTrace := cmp.Or(parent.Trace, given); want.parent != "" && got.Trace != inTrace {
				return false
			}
			shown := maps.Clone(got.Attributes)
			maps.DeleteFunc(shown, func(k, v string) bool { return want.attributes[k] != v })
			return got.Service == want.service && got.Kind == want.kind && got.Name == want.name && !got.Failed &&
				parent.Name == want.parent && link.Name == want.link && maps.Equal(shown, want.attributes)
		}) {
			t.Errorf("no span is %+v", want)
		}
	}
	if span := byID[strings.Split(delivered, "-")[2]]; span.Name != "POST webhook" || span.Trace != given {
		t.Errorf("the receiver got %s, of %+v", delivered, span)
	}
	for _, secret := range []string{s.Token, s.Token[:6], "hunter2", name, "Zebrulina", number, "ana@example.com",
		"0123456789abcdef01234567", "hook-of-ana", r.URL[len("http://"):], s.Redis.URL(), "Padaria",
		paths.Entity(s.Entity)} {
		if bytes.Contains(raw, []byte(secret)) {
			t.Errorf("the spans have %q", secret)
		}
	}
	if t.Failed() {
		for _, span := range spans {
			t.Logf("%s %s %q below %q, linked to %q: %v", span.Service, span.Kind, span.Name, byID[span.Parent].Name,
				byID[span.Link].Name, span.Attributes)
		}
	}
}
