package e2e

import (
	"bytes"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bordero/e2e/e2etest"
	"bordero/finance/statement/statementtest"
	"bordero/internal/paths"
	"bordero/internal/testkit"
	"bordero/internal/tier"
)

// couriers starts workers of the webhooks.
func couriers(s *e2etest.Site, n int) (all []*e2etest.Process) {
	for range n {
		all = append(all, s.Start("work", "webhooks"))
	}
	for _, p := range all {
		p.Ready()
	}
	return all
}

// All kinds of bad endpoints at once: each gets its one attempt within the time of an attempt,
// and the good one is not affected.
func TestBadEndpointsDoNotAffectOthers(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t, e2etest.Delivering("1h"))
	s.Serve()
	r := e2etest.NewReceiver(t)
	plainTLS := httptest.NewTLSServer(r)
	t.Cleanup(plainTLS.Close)
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and does not respond
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	var sent atomic.Int64
	code := func(n int) http.HandlerFunc { return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(n) } }
	wanted := map[int64]string{}
	for path, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"/201": {code(201), "1 201"}, "/204": {code(204), "1 204"}, "/500": {code(500), "1 500"},
		"/301":      {http.RedirectHandler("/good", http.StatusMovedPermanently).ServeHTTP, "1 301"},
		"/mid-body": {e2etest.HangUp("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"), "1 200"},
		"/trickle": {func(w http.ResponseWriter, request *http.Request) {
			for tick := time.NewTicker(time.Second); request.Context().Err() == nil; <-tick.C {
				_, _ = w.Write([]byte("a"))
				_ = http.NewResponseController(w).Flush()
			}
		}, "1 200"},
		"/10-gib": {func(w http.ResponseWriter, _ *http.Request) {
			for chunk := make([]byte, 1<<20); sent.Load() < 10<<30; {
				n, err := w.Write(chunk)
				sent.Add(int64(n))
				if err != nil {
					return
				}
			}
		}, "1 200"},
	} {
		r.Answers(path, c.answer)
		wanted[subscribe(t, s, r.URL+path)] = c.want
	}
	wanted[subscribe(t, s, plainTLS.URL)] = "1"
	wanted[subscribe(t, s, "http://no.such.name.invalid/")] = "1"
	wanted[subscribe(t, s, "http://169.254.169.254/")] = "1"
	wanted[subscribe(t, s, "http://"+silent.Addr().String()+"/")] = "1"
	good := subscribe(t, s, r.URL+"/good")

	couriers(s, 1)
	mustHappen(t, s)
	testkit.Eventually(t, "the hanging ones hang", func() bool {
		return r.Count("/trickle") == 1 && r.Count("/good") == 1
	})
	for n := range 10 {
		began := time.Now()
		mustHappen(t, s)
		testkit.Eventually(t, "the good one's", func() bool { return r.Count("/good") == n+2 })
		if took := time.Since(began); took > 9*time.Second { // an attempt that hangs takes 10 s
			t.Errorf("it waited %v", took)
		}
	}
	testkit.Eventually(t, "no attempt is open", func() bool {
		return e2etest.Value[int](t, s.DB,
			`SELECT count(*) FROM delivery_attempts WHERE finished_at IS NOT NULL`) == 11*(len(wanted)+1)
	})
	for id, want := range wanted {
		if got := attempts(t, s, id); got != want+strings.Repeat(", "+want, 10) {
			t.Errorf("%s: %s", e2etest.Value[string](t, s.DB, `SELECT url FROM webhooks WHERE id = $1`, id), got)
		}
		if n := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM deliveries WHERE webhook_id = $1
			AND status = 'delivered'`, id); n > 0 != (want == "1 200" && n == 11) {
			t.Errorf("%d delivered to %d", n, id)
		}
	}
	if n := e2etest.Value[int](t, s.DB,
		`SELECT count(*) FROM deliveries WHERE webhook_id = $1 AND status = 'delivered'`, good); n != 11 {
		t.Errorf("%d delivered", n)
	}
	longest := e2etest.Value[float64](t, s.DB, `SELECT max(extract(epoch FROM finished_at - started_at))
		FROM delivery_attempts`)
	if longest < 9.5 || longest > 12 {
		t.Errorf("the longest attempt took %.1f s", longest)
	}
	if mib := sent.Load() >> 20; mib > 11*64 {
		t.Errorf("%d MiB of an endless answer were taken", mib)
	}
	if said, _, err := e2etest.Command(t, s.Env, "verify"); err != nil {
		t.Errorf("verify: %v\n%s", err, said)
	}
}

// kill -9 between the POST and the record of its result: the same notification is posted once
// more, and the attempt counts.
func TestAKilledWorkersNotificationIsRepeatedOnce(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t, short, e2etest.Delivering("100ms"))
	s.Serve()
	r := e2etest.NewReceiver(t)
	webhook := subscribe(t, s, r.URL+"/")
	var kill atomic.Bool
	kill.Store(true)
	posted := make(chan bool)
	r.Answers("/", func(_ http.ResponseWriter, request *http.Request) {
		if kill.Load() {
			posted <- true
			<-request.Context().Done() // it dies before it receives the response
		}
	})
	mustHappen(t, s)
	for range 2 {
		w := couriers(s, 1)[0]
		<-posted
		w.Kill()
	}
	kill.Store(false)
	couriers(s, 1)
	s.Settled()
	if got := attempts(t, s, webhook); got != "1, 2, 3 200" {
		t.Errorf("attempts %s", got)
	}
	if posts, notifications := r.Together(); posts != 3 || notifications != 1 {
		t.Errorf("%d POSTs of %d notifications", posts, notifications)
	}
}

// kill -9 in the middle of a redelivery of many: each failed notification gets five attempts more,
// once.
func TestAKilledRedeliveryIsFinishedByAnother(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t, short, e2etest.Delivering("100ms"))
	s.Serve()
	r := e2etest.NewReceiver(t)
	webhook := subscribe(t, s, r.URL+"/")
	const n = 6000 // batches of 1,000
	_, err := s.DB.ExecContext(t.Context(), `
		WITH d AS (
			INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id, status,
				attempts_count)
			SELECT $1, $2, 'sales', 'created', n, $3, 'failed', 5 FROM generate_series(1, $4::int) n
				RETURNING account_id, id)
		INSERT INTO delivery_attempts (account_id, delivery_id, number, request_id, finished_at)
		SELECT account_id, id, n, 'r', now() FROM d, generate_series(1, 5) n`, s.ID, webhook, s.Entity, n)
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Do(http.MethodPost, paths.Webhook(webhook)+"/deliveries/redeliver?search[status]=failed", "", nil)
	if err != nil || a.Status != http.StatusAccepted || string(a.Body) != `{"count":6000}` {
		t.Fatal(e2etest.Refused{Answer: a}, err)
	}
	for part := range 3 {
		w := couriers(s, 1)[0]
		testkit.Eventually(t, "a part of them", func() bool {
			return e2etest.Value[int](t, s.DB, `SELECT count(*) FROM deliveries WHERE attempts_allowed > 5`) > part*2000
		})
		w.Kill()
	}
	couriers(s, 2)
	s.Settled()
	if got := e2etest.Value[string](t, s.DB, `SELECT string_agg(DISTINCT concat_ws(' ', status, attempts_allowed),
		', ') FROM deliveries`); got != "delivered 10" {
		t.Errorf("deliveries: %s", got)
	}
	if posts, notifications := r.Together(); notifications != n || posts > n+3*16 {
		t.Errorf("%d POSTs of %d notifications", posts, notifications)
	}
}

// Two workers, one webhook, and a Redis that loses its data: each notification is posted once,
// and one worker at a time posts to the endpoint.
func TestAFlushLosesNoNotification(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t, e2etest.Delivering("1h"))
	s.Serve()
	s.Worker()
	r := e2etest.NewReceiver(t)
	account := s.NewDepositAccount(t, "")
	subscribe(t, s, r.URL+"/")
	n := tier.Set(t, "BORDERO_FAULT_DELIVERIES", 1000, 1000)
	s.Import(t, account, statementtest.OFX(n))
	s.Flush()
	couriers(s, 2)
	for part := range 3 {
		testkit.Eventually(t, "some are delivered", func() bool { return r.Count("/") > part*n/4 })
		s.Flush()
	}
	s.Settled()
	told := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM deliveries WHERE status = 'delivered'
		AND attempts_count = 1`)
	posts, notifications := r.Together()
	if told < n || told != e2etest.Value[int](t, s.DB, `SELECT count(*) FROM deliveries`) || posts != told ||
		notifications != told {
		t.Errorf("%d delivered, %d POSTs of %d notifications", told, posts, notifications)
	}
	if r.Most() > 16 {
		t.Errorf("%d POSTs at once", r.Most())
	}
}

func TestAWebhookIsDeletedWithDeliveriesInFlight(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t, e2etest.Delivering("100ms"))
	s.Serve()
	r := e2etest.NewReceiver(t)
	gone, other := subscribe(t, s, r.URL+"/gone"), subscribe(t, s, r.URL+"/other")
	answer := make(chan struct{})
	r.Answers("/gone", func(w http.ResponseWriter, _ *http.Request) { <-answer; w.WriteHeader(http.StatusBadGateway) })
	worker := couriers(s, 1)[0]
	mustHappen(t, s)
	testkit.Eventually(t, "it is in flight", func() bool { return r.Count("/gone") == 1 })
	s.Start("work", "deletions").Ready()
	if a, err := s.Do(http.MethodDelete, paths.Webhook(gone), "", nil); err != nil || a.Status != http.StatusOK {
		t.Fatal(e2etest.Refused{Answer: a}, err)
	}
	testkit.Eventually(t, "nothing of it is left", func() bool {
		return !e2etest.Value[bool](t, s.DB, `SELECT EXISTS (SELECT FROM webhooks WHERE id = $1)`, gone)
	})
	close(answer)
	mustHappen(t, s)
	s.Settled()
	if r.Count("/gone") != 1 || r.Count("/other") != 2 {
		t.Errorf("%d and %d POSTs", r.Count("/gone"), r.Count("/other"))
	}
	if got := attempts(t, s, other); got != "1 200, 1 200" {
		t.Errorf("attempts %s", got)
	}
	if said := worker.Out.String(); strings.Contains(said, "result=failed") {
		t.Error(said)
	}
}

// All processes restart during the backoff. The next attempt is neither early nor lost.
func TestARestartRetainsTheSchedule(t *testing.T) {
	t.Parallel()
	const delay = 4 * time.Second
	s := e2etest.New(t, short, e2etest.Delivering(delay.String()))
	_, scheduler := s.Serve()
	r := e2etest.NewReceiver(t)
	webhook := subscribe(t, s, r.URL+"/")
	r.Answers("/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	worker := couriers(s, 1)[0]
	mustHappen(t, s)
	testkit.Eventually(t, "the first attempt", func() bool { return attempts(t, s, webhook) == "1 500" })
	r.Answers("/", nil)
	worker.Kill()
	scheduler.Kill()
	s.Flush()
	s.Start("scheduler").Ready()
	couriers(s, 1)
	s.Settled()
	if got := attempts(t, s, webhook); got != "1 500, 2 200" {
		t.Errorf("attempts %s", got)
	}
	waited := e2etest.Value[float64](t, s.DB, `SELECT extract(epoch FROM max(started_at) - min(finished_at))
		FROM delivery_attempts`)
	if waited < delay.Seconds() || waited > 3*delay.Seconds() {
		t.Errorf("the second attempt came after %.1f s", waited)
	}
	t.Logf("%.2f s instead of %v", waited, delay)
}

// A trace continues from a request into its job, and to the webhooks notified of the job's
// changes. The logs name it.
func TestATraceReachesWebhooks(t *testing.T) {
	t.Parallel()
	s := e2etest.New(t, e2etest.Delivering("1s"), e2etest.Set("BORDERO_LOG_LEVEL=debug"))
	api, _ := s.Serve()
	worker := s.Worker()
	const id = "0af7651916cd43dd8448eb211c80319c"
	const trace = "00-" + id + "-b7ad6b7169203331-01"
	r := e2etest.NewReceiver(t)
	var other atomic.Int64
	r.Answers("/", func(_ http.ResponseWriter, request *http.Request) {
		if request.Header.Get("traceparent") != trace {
			other.Add(1)
		}
	})
	into := s.NewDepositAccount(t, "")
	subscribe(t, s, r.URL+"/")
	couriers(s, 1)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("bank_statement[file]", "a.ofx")
	if err == nil {
		_, err = part.Write(statementtest.OFX(10))
	}
	if err != nil || form.Close() != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+paths.BankStatements(s.Entity, into),
		&body)
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth(s.Token, "x")
	request.Header.Set("Content-Type", form.FormDataContentType())
	request.Header.Set("traceparent", trace)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	testkit.Eventually(t, "ten transactions and the end of their import are told", func() bool {
		return e2etest.Value[bool](t, s.DB, `SELECT count(*) >= 11 AND bool_and(status = 'delivered') FROM deliveries`)
	})
	if n := other.Load(); n > 0 || r.Count("/") < 11 {
		t.Errorf("%d of %d notifications are of no trace, or another", n, r.Count("/"))
	}
	for _, p := range []*e2etest.Process{api, worker} {
		testkit.Eventually(t, p.Name+" logs the trace", func() bool {
			return strings.Contains(p.Out.String(), "trace_id="+id)
		})
	}
}
