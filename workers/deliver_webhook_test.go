package workers

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/outgoing"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/deliveries"
	"bordero/storage/members"
)

func TestANotificationIsSignedAndDelivered(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	c.answers(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("ok\x00" + strings.Repeat("x", 5000)))
	})
	const before = "89abcdef0123456789abcdef"
	c.webhook("/json", `previous_secret = '`+before+`', previous_secret_until = now() + interval '1 hour'`)
	c.webhook("/xml", `format = 'xml', previous_secret = '`+before+`', previous_secret_until = now()`)
	c.work()
	c.happen(5)
	c.over()
	for path, want := range map[string]struct{ contentType, body, secrets string }{
		"/json": {"application/json; charset=utf-8", `"sale":{"id":5,"_links":[{"rel":"self","method":"GET",` +
			`"url":"https://api.example.com/entities/1/sales/5"}]}}`, secret + " " + before},
		"/xml": {"application/xml; charset=utf-8", `<sale><id type="integer">5</id><_links type="array"><_link><rel>` +
			`self</rel>`, secret},
	} {
		all := c.received(path)
		if len(all) != 1 {
			t.Fatalf("%s got %d POSTs", path, len(all))
		}
		p := all[0]
		id, stamp := p.header.Get("webhook-id"), p.header.Get("webhook-timestamp")
		request := p.header.Get("X-Service-RequestId")
		var at int64
		if _, err := fmt.Sscan(stamp, &at); err != nil || time.Since(time.Unix(at, 0)) > time.Minute {
			t.Errorf("timestamp %q", stamp)
		}
		if !strings.HasPrefix(id, "msg_") || len(request) != 32 || p.header.Get("Content-Type") != want.contentType ||
			p.header.Get("User-Agent") != outgoing.UserAgent ||
			p.header.Get("traceparent") != traced {
			t.Errorf("%v", p.header)
		}
		c.equal(p.header.Get("X-Service-Signature"), finance.SignSHA1(secret, request, []byte(p.body)))
		c.equal(p.header.Get("webhook-signature"), finance.SignStandard(strings.Fields(want.secrets), id,
			time.Unix(at, 0), []byte(p.body)))
		if !strings.Contains(p.body, want.body) {
			t.Error(p.body)
		}
	}
	c.equal(c.text(`SELECT string_agg(concat_ws(' ', status, attempts_count, delivered_at IS NOT NULL,
		convert_from(body, 'UTF8') = $1 OR webhook_id = 2), ', ' ORDER BY id) FROM deliveries`,
		c.received("/json")[0].body), "delivered 1 t t, delivered 1 t t")
	c.equal(c.text(attemptLog), "1 1 200 closed, 2 1 200 closed")
	c.equal(
		c.text(`SELECT DISTINCT concat(length(response_excerpt), left(response_excerpt, 4)) FROM delivery_attempts`),
		"4096ok\uFFFDx")
}

// Webhooks may have been stored with a query that is not escaped.
func TestANotificationIsSentToAnEscapedQuery(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	asked := make(chan string, 1)
	c.answers(func(_ http.ResponseWriter, r *http.Request) { asked <- r.RequestURI })
	c.webhook("/a b?m=a b&n=ç&o=%20")
	c.work()
	c.happen(1)
	c.over()
	c.equal(<-asked, "/a%20b?m=a%20b&n=%C3%A7&o=%20")
}

// After the fifth failure the webhook is in error. Its pending deliveries remain, and are
// sent after it has been verified.
func TestFiveFailuresMarkTheWebhook(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	c.InTx(func(ctx context.Context, tx *storage.Tx) error {
		for _, email := range []string{"ana@example.com", "rui@example.com"} {
			user, err := members.UpsertUser(ctx, tx, email)
			if err == nil {
				err = members.PutMembership(ctx, tx, finance.Access{UserID: user, AccountID: c.AccountID,
					Administrator: email[0] == 'a', AllEntities: true})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	c.answers(status(http.StatusInternalServerError))
	id := c.webhook("/", `url = url || '?token=s3cret', description = 'Loja virtual'`)
	other := c.webhook("/other", `entity_id = entity_id`)
	c.Exec(`UPDATE webhooks SET url = $1 WHERE id = $2`, "http://"+c.receiver.Listener.Addr().String()+"/other", other)
	c.work()
	c.happen(1)
	c.relayUntil("the second attempt", func() bool { return len(c.received("/")) >= 2 })
	c.happen(2, 3)
	c.relayUntil("the error", func() bool { return c.text(`SELECT status FROM webhooks WHERE id = $1`, id) == "error" })
	c.happen(4)
	c.relayUntil("the e-mails", func() bool { return len(c.mails()) >= 4 }) // two administrators, two webhooks
	c.over()

	first := c.received("/")[0]
	requests := map[string]bool{}
	for _, p := range c.received("/") {
		if p.header.Get("webhook-id") != first.header.Get("webhook-id") {
			continue
		}
		if p.body != first.body {
			t.Error("the body has changed")
		}
		requests[p.header.Get("X-Service-RequestId")] = true
	}
	if len(requests) != 5 {
		t.Errorf("%d attempts with ids of their own", len(requests))
	}
	if got := c.text(`SELECT string_agg(status, ' ' ORDER BY id) FROM deliveries WHERE webhook_id = $1`,
		id); !strings.HasPrefix(got, "failed ") || !strings.HasSuffix(got, " held") {
		t.Error(got)
	}
	mails := c.mails()
	ofFirst := slices.IndexFunc(mails, func(m string) bool { return strings.Contains(m, "Loja virtual") })
	if len(mails) != 4 || ofFirst < 0 {
		t.Fatalf("%d e-mails: %s", len(mails), mails)
	}
	for _, want := range []string{
		"Matriz", c.receiver.URL + "/\r\n", "sales.created", "status 500",
		fmt.Sprintf("PUT https://api.example.com/integrations/webhooks/%d/verify_status", id),
		fmt.Sprintf("POST https://api.example.com/integrations/webhooks/%d/deliveries/redeliver", id),
		fmt.Sprintf("GET https://api.example.com/integrations/webhooks/%d/deliveries/%s\r\n", id,
			c.text(`SELECT error_delivery_id FROM webhooks WHERE id = $1`, id)),
	} {
		if !strings.Contains(mails[ofFirst], want) {
			t.Errorf("no %q in the e-mail:\n%s", want, mails[ofFirst])
		}
	}
	if strings.Contains(strings.Join(mails, ""), "s3cret") {
		t.Error("an e-mail has the query of the address")
	}
	if n := strings.Count(strings.Join(mails, ""), "rui@example.com"); n > 0 {
		t.Error("a member who is no administrator was told")
	}
	if n := strings.Count(c.Log.String(), "webhook is in error"); n != 2 {
		t.Errorf("%d lines of the log say so", n)
	}

	c.answers(nil)
	held := c.text(`SELECT string_agg('msg_' || id, ' ' ORDER BY id) FROM deliveries WHERE webhook_id = $1
		AND status = 'held'`, id)
	before := len(c.received("/"))
	c.InTx(func(ctx context.Context, tx *storage.Tx) error {
		return deliveries.ActivateWebhook(ctx, tx, c.AccountID, id, 200)
	})
	c.over()
	var sent []string
	for _, p := range c.received("/")[before:] {
		sent = append(sent, p.header.Get("webhook-id"))
	}
	slices.Sort(sent)
	c.equal(strings.Join(sent, " "), held)
	if n := c.Count(`SELECT count(*) FROM deliveries WHERE webhook_id = $1 AND status = 'delivered'`, id); n != len(
		sent) {
		t.Errorf("%d delivered", n)
	}
}

func TestOnlyACompleteAnswer200IsASuccess(t *testing.T) {
	t.Parallel()
	hijack := func(answer string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			_, _ = conn.Write([]byte(answer))
			conn.Close()
		}
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		log    string
	}{
		"200": {status(200), "1 1 200 closed"},
		"201": {status(201), "1 1 201 closed " + fmt.Sprintf(messages.AnsweredWithf, 201)},
		"204": {status(204), "1 1 204 closed " + fmt.Sprintf(messages.AnsweredWithf, 204)},
		"a redirect": {http.RedirectHandler("/elsewhere", http.StatusMovedPermanently).ServeHTTP,
			"1 1 301 closed " + fmt.Sprintf(messages.AnsweredWithf, 301)},
		"500": {status(500), "1 1 500 closed " + fmt.Sprintf(messages.AnsweredWithf, 500)},
		"cut off": {hijack("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"),
			"1 1 200 closed " + messages.AnswerCutOff.Text},
		"nothing": {hijack(""), "1 1 closed " + messages.AnswerCutOff.Text},
		"no HTTP": {hijack("hello\r\n\r\n"), "1 1 closed " + messages.NotHTTP.Text},
		"without an end": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		}, "1 1 200 closed"},
		"silent": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
			"1 1 closed " + messages.NotInTime.Text},
		"slow": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte("a"))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, "1 1 200 closed " + messages.NotInTime.Text},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newDeliveryHarness(t)
			h.webhooks.Delays = []time.Duration{0, time.Hour, time.Hour, time.Hour, time.Hour}
			h.webhooks.HTTP.Timeout = time.Second
			h.answers(c.answer)
			h.webhook("/")
			h.work()
			h.happen(1)
			h.relayUntil("the attempt", func() bool {
				return h.Count(`SELECT count(*) FROM delivery_attempts WHERE finished_at IS NOT NULL`) == 1
			})
			h.equal(h.text(attemptLog), c.log)
			if elsewhere := h.received("/elsewhere"); len(elsewhere) > 0 {
				t.Error("a redirect was followed")
			}
			h.Eventually("the end of the run", func() bool {
				return h.Count(`SELECT count(*) FROM jobs WHERE leased_until IS NOT NULL`) == 0
			})
			h.agrees()
			if waits := h.Count(`SELECT count(*) FROM jobs WHERE due_at >` +
				` now() + interval '59 minutes'`); (waits == 1) != (c.log != "1 1 200 closed") {
				t.Errorf("%d jobs wait for the next attempt", waits)
			}
		})
	}
}

func TestAnEndpointThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"http://127.0.0.1:1024/": messages.ConnectionRefused.Text,
		"http://10.255.255.1/":   messages.AddressRefused.Text,
		"http://127.0.0.1:22/":   messages.AddressRefused.Text,
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			h := newDeliveryHarness(t)
			h.webhooks.Delays = []time.Duration{0, time.Hour, time.Hour, time.Hour, time.Hour}
			id := h.webhook("/")
			h.Exec(`UPDATE webhooks SET url = $1 WHERE id = $2`, address, id)
			h.work()
			h.happen(1)
			h.relayUntil("the attempt", func() bool {
				return h.Count(`SELECT count(*) FROM delivery_attempts WHERE finished_at IS NOT NULL`) == 1
			})
			h.equal(h.text(attemptLog), "1 1 closed "+want)
		})
	}
}

// What panics in one attempt ends neither the process nor the attempts beside it.
func TestAnAttemptThatPanicsIsInterrupted(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	posts, first := c.webhooks.HTTP.Transport, true
	c.webhooks.PerEndpointConcurrency = 1
	c.webhooks.HTTP = &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		if first {
			first = false
			panic("in the first attempt")
		}
		return posts.RoundTrip(r)
	})}
	c.webhook("/")
	c.happen(1)
	c.work()
	c.over()
	c.equal(c.text(`SELECT string_agg(coalesce(error, response_code::text), '; ' ORDER BY number)
		FROM delivery_attempts`), messages.AttemptInterrupted+"; 200")
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

func TestManyEventsAreFewRuns(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	c.webhook("/")
	const events = 60
	for id := range int64(events) {
		c.happen(id + 1)
	}
	c.work()
	c.over()
	if n := len(c.received("/")); n != events {
		t.Errorf("%d POSTs of %d events", n, events)
	}
	c.equal(c.text(`SELECT concat(count(*), ' ', max(number)) FROM delivery_attempts`), "60 1")
}

// After its slice a run ends for others, and nothing is lost.
func TestARunGivesWay(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	c.webhook("/")
	c.InTx(func(ctx context.Context, tx *storage.Tx) error {
		ids := make([]int64, 20)
		for i := range ids {
			ids[i] = int64(i + 1)
		}
		return tx.Emit(ctx, finance.Event{Family: finance.SalesFamily, Action: finance.Created, AccountID: c.AccountID,
			EntityID: c.EntityID, IDs: ids})
	})
	c.work(func(d *deliverWebhook) { d.slice = time.Nanosecond })
	c.relayUntil("the first batch", func() bool { return len(c.received("/")) > 0 })
	c.over()
	if n := len(c.received("/")); n != 20 {
		t.Errorf("%d POSTs", n)
	}
	if n := c.Count(`SELECT last_value FROM jobs_id_seq`); n < 5 {
		t.Errorf("all went in %d runs", n)
	}
}

func TestASilentEndpointDelaysNoOther(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	silent := make(chan struct{})
	defer close(silent)
	c.answers(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/silent" {
			select {
			case <-silent:
			case <-r.Context().Done():
			}
		}
	})
	c.webhook("/silent")
	c.webhook("/")
	c.work()
	c.happen(1)
	c.relayUntil("the silent one's", func() bool { return len(c.received("/silent")) == 1 })
	for id := range int64(10) {
		c.happen(id + 2)
		c.relayUntil("the other's", func() bool { return len(c.received("/")) == int(id)+2 })
	}
	if n := c.Count(`SELECT count(*) FROM delivery_attempts WHERE finished_at IS NULL`); n == 0 {
		t.Error("it was not silent all the time")
	}
}

func TestNothingGoesToAWebhookThatIsGone(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	id := c.webhook("/")
	c.happen(1)
	c.Exec(`UPDATE webhooks SET deleted_at = now() WHERE id = $1`, id)
	c.InTx(func(ctx context.Context, tx *storage.Tx) error { // another worker's job
		return tx.Enqueue(ctx, c.AccountID, jobs.DeleteCascade{AccountID: c.AccountID, Root: "webhooks", ID: id})
	})
	c.happen(2)
	c.work()
	c.relayUntil("the end of its jobs", func() bool {
		return c.Count(`SELECT count(*) FROM jobs WHERE kind = 'deliver_webhook'`) == 0
	})
	if n := len(c.received("/")); n > 0 {
		t.Errorf("%d POSTs", n)
	}
	c.equal(c.text(`SELECT string_agg(concat_ws(' ', record_id, status), ', ') FROM deliveries`), "1 pending")
	c.agrees()
}

// Webhooks fail and are verified while events happen. In the end no delivery of an active
// webhook is held, and none is lost.
func TestNoEventFallsBetweenErrorAndVerification(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	c.webhooks.Delays = make([]time.Duration, 5)
	id := c.webhook("/")
	c.work()
	var events atomic.Int64
	var stop atomic.Bool
	var happening sync.WaitGroup
	for range 2 {
		happening.Go(func() {
			for !stop.Load() {
				c.happen(events.Add(1))
			}
		})
	}
	defer happening.Wait()
	defer stop.Store(true)
	for range 3 {
		c.answers(status(http.StatusBadGateway))
		c.relayUntil("the error", func() bool {
			return c.text(`SELECT status FROM webhooks WHERE id = $1`, id) == "error"
		})
		c.answers(nil)
		c.InTx(func(ctx context.Context, tx *storage.Tx) error {
			return deliveries.ActivateWebhook(ctx, tx, c.AccountID, id, 200)
		})
	}
	stop.Store(true)
	happening.Wait()
	c.over()
	c.equal(c.text(`SELECT concat(count(*), ' ', count(*) FILTER (WHERE status = 'delivered' OR status = 'failed'
		AND attempts_count = 5)) FROM deliveries`), fmt.Sprint(events.Load(), " ", events.Load()))
}

// Each attempt is counted once, with its outcome.
func TestAttemptsAreCounted(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	var mu sync.Mutex
	counted := map[string]int{}
	c.webhooks.Attempted = func(outcome string) { mu.Lock(); counted[outcome]++; mu.Unlock() }
	c.webhook("/")
	c.happen(1, 2)
	// The worker of the second died in its first attempt.
	c.Exec(`UPDATE deliveries SET attempts_count = 1 WHERE id = 2`)
	c.Exec(`INSERT INTO delivery_attempts (account_id, delivery_id, number, request_id) VALUES ($1, 2, 1, '')`,
		c.AccountID)
	c.work()
	c.over()
	c.answers(status(http.StatusInternalServerError))
	c.happen(3)
	c.over()
	mu.Lock()
	defer mu.Unlock()
	c.equal(fmt.Sprint(counted), "map[delivered:2 failed:1 interrupted:1 retried:4]")
}
