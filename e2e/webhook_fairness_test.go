package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"bordero/e2e/e2etest"
	"bordero/finance/statement/statementtest"
	"bordero/internal/paths"
	"bordero/internal/testkit"
	"bordero/internal/tier"
)

// happened creates n events.
func happened(t *testing.T, s *e2etest.Site, n int) {
	t.Helper()
	for range n {
		mustHappen(t, s)
	}
}

// takes returns a handler that responds with 200 after d, unless the client leaves before.
func takes(d time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, request *http.Request) {
		select {
		case <-time.After(d):
		case <-request.Context().Done():
			w.WriteHeader(http.StatusServiceUnavailable) // nothing reads it
		}
	}
}

// One account has thousands of notifications for more endpoints than there are places; each
// endpoint takes a usual time. Another account's notifications are delivered while most of them
// wait.
func TestAnAccountsFloodDelaysNoOthersNotifications(t *testing.T) {
	t.Parallel()
	const webhooks, items, quiet = 24, 250, 10
	s := e2etest.New(t, e2etest.Delivering("1h"), e2etest.Set("BORDERO_WEBHOOK_ENDPOINTS=16"))
	s.Serve()
	s.Worker()
	r := e2etest.NewReceiver(t)
	r.Answers("/flood", takes(time.Second))
	for range webhooks {
		subscribe(t, s, r.URL+"/flood")
	}
	s.Import(t, s.NewDepositAccount(t, ""), statementtest.OFX(items))
	flood := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM deliveries`)
	if flood < webhooks*items {
		t.Fatalf("%d notifications", flood)
	}
	couriers(s, 1)
	testkit.Eventually(t, "the flood", func() bool { return r.Count("/flood") > 16*16 }) // all places are taken

	other := *s
	other.Client = &e2etest.Client{URL: s.URL}
	made := s.Run("account", "create", "--name", "Oficina", "--email", "rui@example.com", "--json")
	if err := json.Unmarshal([]byte(made), other.Client); err != nil {
		t.Fatal(err)
	}
	webhook := subscribe(t, &other, r.URL+"/other")
	happened(t, &other, quiet)
	testkit.Eventually(t, "the other account's", func() bool {
		return e2etest.Value[int](t, s.DB, `SELECT count(*) FROM deliveries WHERE webhook_id = $1
			AND status = 'delivered'`, webhook) == quiet
	})
	left := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM deliveries WHERE status = 'pending'`)
	if left < flood/2 || r.Count("/other") != quiet {
		t.Errorf("%d of %d were left when %d POSTs of the other account had come", left, flood, r.Count("/other"))
	}
	t.Logf("%d of %d were left", left, flood)
}

// More endpoints hang than there are places. The notifications of a healthy one arrive one after
// the other, while all of the others hang.
func TestMoreHangingEndpointsThanPlacesLeaveSomeFree(t *testing.T) {
	tier.NeedsLong(t, "endpoints that hang for 10 s; one such test stays")
	t.Parallel()
	const places, hanging, events = 4, 6, 20
	s := e2etest.New(t, e2etest.Delivering("1h"), e2etest.Set(fmt.Sprint("BORDERO_WEBHOOK_ENDPOINTS=", places)),
		e2etest.Set("BORDERO_WEBHOOK_CONCURRENCY=1"))
	s.Serve()
	r := e2etest.NewReceiver(t)
	for range hanging {
		subscribe(t, s, r.URL+"/hangs")
	}
	ended := func() int {
		return e2etest.Value[int](t, s.DB, `SELECT count(*) FROM delivery_attempts a JOIN deliveries d
			ON d.id = delivery_id
			JOIN webhooks w ON w.id = webhook_id WHERE url LIKE '%hangs' AND finished_at IS NOT NULL`)
	}
	// longer than a round, so that the process learns that they are slow
	r.Answers("/hangs", takes(2500*time.Millisecond))
	couriers(s, 1)
	mustHappen(t, s)
	testkit.Eventually(t, "each was slow", func() bool { return ended() == hanging })
	r.Answers("/hangs", takes(time.Hour))
	healthy := subscribe(t, s, r.URL+"/healthy")
	for n := range events {
		mustHappen(t, s)
		testkit.Eventually(t, "the healthy one's", func() bool { return r.Count("/healthy") == n+1 })
	}
	// If they occupied all places, each notification would wait for the end of one of their
	// attempts.
	if n := ended() - hanging; n > events/2 || r.Count("/hangs") == hanging {
		t.Errorf("%d attempts of those that hang ended meanwhile, of %d", n, r.Count("/hangs")-hanging)
	}
	testkit.Eventually(t, "all is kept", func() bool {
		return e2etest.Value[int](t, s.DB, `SELECT count(*) FROM deliveries WHERE webhook_id = $1
			AND status = 'delivered'`, healthy) == events
	})
	pending := e2etest.Value[int](t, s.DB, `SELECT count(*) FROM deliveries WHERE webhook_id <> $1
		AND status = 'pending'`, healthy)
	if pending != hanging*events {
		t.Errorf("of those that hang %d are pending", pending)
	}
	t.Logf("%d attempts ended meanwhile", ended()-hanging)
}

// A 429 or a 503 specifies the next attempt, in seconds or as a date. It is not earlier, within
// two hours at most, and there are five attempts at most.
func TestAnEndpointSaysWhenToComeAgain(t *testing.T) {
	t.Parallel()
	const wait = 3 * time.Second
	s := e2etest.New(t, e2etest.Delivering("100ms"))
	s.Serve()
	r := e2etest.NewReceiver(t)
	var mu sync.Mutex
	came := map[string]int{}
	until := time.Now()
	busy := func(code, times int, after func() string) http.HandlerFunc {
		return func(w http.ResponseWriter, request *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			if came[request.URL.Path]++; came[request.URL.Path] <= times {
				w.Header().Set("Retry-After", after())
				w.WriteHeader(code)
			}
		}
	}
	seconds := func(d time.Duration) func() string { return func() string { return fmt.Sprint(d.Seconds()) } }
	r.Answers("/seconds", busy(http.StatusTooManyRequests, 1, seconds(wait)))
	r.Answers("/date", busy(http.StatusServiceUnavailable, 1, func() string {
		until = time.Now().Add(wait + time.Second).Truncate(time.Second)
		return until.UTC().Format(http.TimeFormat)
	}))
	r.Answers("/tomorrow", busy(http.StatusServiceUnavailable, 1, seconds(24*time.Hour)))
	r.Answers("/always", busy(http.StatusTooManyRequests, 100, seconds(time.Second)))
	bySeconds, byDate := subscribe(t, s, r.URL+"/seconds"), subscribe(t, s, r.URL+"/date")
	tomorrow, always := subscribe(t, s, r.URL+"/tomorrow"), subscribe(t, s, r.URL+"/always")
	couriers(s, 1)
	mustHappen(t, s)
	testkit.Eventually(t, "all but tomorrow's", func() bool {
		return e2etest.Value[int](t, s.DB,
			`SELECT count(*) FROM deliveries WHERE status IN ('delivered', 'failed')`) == 3
	})
	for webhook, want := range map[int64]string{
		bySeconds: "1 429, 2 200", byDate: "1 503, 2 200", tomorrow: "1 503",
		always: "1 429, 2 429, 3 429, 4 429, 5 429",
	} {
		if got := attempts(t, s, webhook); got != want {
			t.Errorf("attempts %s, not %s", got, want)
		}
	}
	const waited = `SELECT min(extract(epoch FROM started_at - before)) FROM (
		SELECT started_at, lag(finished_at) OVER (ORDER BY number) AS before
		FROM delivery_attempts JOIN deliveries d ON d.id = delivery_id WHERE webhook_id = $1) a`
	if got := e2etest.Value[float64](t, s.DB, waited, bySeconds); got < wait.Seconds() {
		t.Errorf("it came again after %.2f s", got)
	}
	if got := e2etest.Value[float64](t, s.DB, waited, always); got < 1 {
		t.Errorf("one of five came after %.2f s", got)
	}
	if at := e2etest.Value[time.Time](t, s.DB, `SELECT max(started_at) FROM delivery_attempts JOIN deliveries d
		ON d.id = delivery_id WHERE webhook_id = $1`, byDate); at.Before(until) {
		t.Errorf("it came again at %v, before %v", at, until)
	}
	var log []struct {
		Delivery struct {
			Next *time.Time `json:"next_attempt_at"`
		} `json:"webhook_delivery"`
	}
	s.Get(t, paths.Webhook(tomorrow)+"/deliveries", &log)
	if len(log) != 1 || log[0].Delivery.Next == nil {
		t.Fatalf("%+v", log)
	}
	if in := time.Until(*log[0].Delivery.Next); in > 2*time.Hour || in < 2*time.Hour-time.Minute {
		t.Errorf("tomorrow's next attempt is in %v", in)
	}
	if status := e2etest.Value[string](t, s.DB, `SELECT status FROM webhooks WHERE id = $1`,
		always); status != "error" {
		t.Errorf("after five attempts the webhook is %s", status)
	}
	if n := r.Count("/always"); n != 5 {
		t.Errorf("%d POSTs", n)
	}
}
