package workers

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"bordero/finance"
	"bordero/internal/mail"
	"bordero/internal/outgoing"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/deliveries"
	"bordero/storage/storagetest"
	"bordero/workers/runtime"
	"bordero/workers/runtime/runtimetest"
)

// deliveryHarness is a harness whose worker delivers notifications to a receiver of the test, with a
// tenth of a second between attempts.
type deliveryHarness struct {
	*runtimetest.Harness
	storage.Scope
	receiver *httptest.Server
	letters  string // the directory of e-mails
	smtp     string // the URL of a mail server instead
	webhooks Webhooks

	mu     sync.Mutex
	got    []posted
	answer http.HandlerFunc // 200 when nil
}

// posted is a POST as received.
type posted struct {
	path   string
	header http.Header
	body   string
}

const secret = "0123456789abcdef01234567"

func newDeliveryHarness(t *testing.T) *deliveryHarness {
	t.Helper()
	c := &deliveryHarness{Harness: runtimetest.New(t, jobs.DeliverWebhookKind.Queue),
		letters: filepath.Join(t.TempDir(), "mail")}
	c.Scope = storagetest.NewTenant(t, c.Store).Scope
	c.receiver = httptest.NewServer(c)
	t.Cleanup(c.receiver.Close)
	short := 100 * time.Millisecond
	c.webhooks = Webhooks{
		HTTP:      outgoing.New(outgoing.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}),
		PublicURL: "https://api.example.com", Delays: []time.Duration{0, short, short, short, short},
		PerEndpointConcurrency: 4, MaxEndpoints: 4,
	}
	return c
}

func (c *deliveryHarness) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	c.got = append(c.got, posted{r.URL.Path, r.Header.Clone(), string(body)})
	answer := c.answer
	c.mu.Unlock()
	if answer != nil {
		answer(w, r)
	}
}

// answers sets how the receiver answers from now on.
func (c *deliveryHarness) answers(f http.HandlerFunc) { c.mu.Lock(); c.answer = f; c.mu.Unlock() }

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// received returns the POSTs to a path so far.
func (c *deliveryHarness) received(path string) (all []posted) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.got {
		if p.path == path {
			all = append(all, p)
		}
	}
	return all
}

// webhook creates a webhook for the receiver's path.
func (c *deliveryHarness) webhook(path string, change ...string) (id int64) {
	c.T.Helper()
	err := c.DB.QueryRowContext(c.T.Context(), `INSERT INTO webhooks (account_id, entity_id, url, format, secret)
		VALUES ($1, $2, $3, 'json', $4) RETURNING id`,
		c.AccountID, c.EntityID, c.receiver.URL+path, secret).Scan(&id)
	if err != nil {
		c.T.Fatal(err)
	}
	for _, set := range change {
		c.Exec(`UPDATE webhooks SET `+set+` WHERE id = $1`, id)
	}
	return id
}

// traced is the trace context of all events.
const traced = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// happen emits an event of each sale, each in a transaction of its own.
func (c *deliveryHarness) happen(ids ...int64) {
	c.T.Helper()
	for _, id := range ids {
		c.InTx(func(ctx context.Context, tx *storage.Tx) error {
			return tx.Emit(jobs.WithTraceparent(ctx, traced), finance.Event{
				Family: finance.SalesFamily, Action: finance.Created, AccountID: c.AccountID, EntityID: c.EntityID,
				IDs: []int64{id},
			})
		})
	}
}

// work starts a worker whose runs stay shortly.
func (c *deliveryHarness) work(adjust ...func(*deliverWebhook)) (stop func()) {
	c.T.Helper()
	d := newDeliverWebhook(c.Store, c.webhooks)
	d.stay = 50 * time.Millisecond
	for _, a := range adjust {
		a(&d)
	}
	letters := mail.Options{URL: c.smtp, Dir: c.letters, From: "bordero@example.com"}
	letter := mailWebhookFailure{store: c.Store, mail: letters, publicURL: c.webhooks.PublicURL,
		zone: time.UTC}.handler()
	letter.Kind.Delay = func(int) time.Duration { return 0 }
	return c.Start(func(cfg *runtime.Config) { cfg.Concurrency = c.webhooks.MaxEndpoints }, d.handler(), letter,
		alignDeliveries{store: c.Store, batch: deliveries.StatusesAtOnce}.handler())
}

// relayUntil relays the jobs until done reports true.
func (c *deliveryHarness) relayUntil(what string, done func() bool) {
	c.T.Helper()
	c.Eventually(what, func() bool { c.Offer(); return done() })
}

// over waits until no job is left, and runs the checks of bordero verify.
func (c *deliveryHarness) over() {
	c.T.Helper()
	c.relayUntil("the end of all jobs", func() bool { return c.Count(`SELECT count(*) FROM jobs`) == 0 })
	c.agrees()
}

func (c *deliveryHarness) agrees() {
	c.T.Helper()
	storagetest.Agrees(c.T, c.Store)
}

// text returns the result of a query for one text.
func (c *deliveryHarness) text(query string, args ...any) (s string) {
	c.T.Helper()
	if err := c.DB.QueryRowContext(c.T.Context(), `SELECT coalesce((`+query+`)::text, '')`, args...).Scan(
		&s); err != nil {
		c.T.Fatal(err)
	}
	return s
}

func (c *deliveryHarness) equal(got, want string) {
	c.T.Helper()
	if got != want {
		c.T.Errorf("got  %s\nwant %s", got, want)
	}
}

// attemptLog lists the attempts of the deliveries.
const attemptLog = `SELECT string_agg(concat_ws(' ', delivery_id, number, response_code,
	CASE WHEN finished_at >= started_at THEN 'closed' END, error), ', ' ORDER BY delivery_id, number)
		FROM delivery_attempts`

// mails returns the e-mails so far.
func (c *deliveryHarness) mails() (all []string) {
	c.T.Helper()
	files, _ := filepath.Glob(filepath.Join(c.letters, "*.eml"))
	for _, f := range files {
		content, err := os.ReadFile(f)
		if err != nil {
			c.T.Fatal(err)
		}
		all = append(all, strings.ReplaceAll(string(content), "=\r\n", ""))
	}
	return all
}
