package monitor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bordero/internal/metrics"

	"github.com/google/go-cmp/cmp"
)

// pressed records what the buttons did.
type pressed struct {
	mu   sync.Mutex
	list []string
}

func (p *pressed) add(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, fmt.Sprintf(format, args...))
}

func (p *pressed) all() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.list, "; ")
}

// lastFailure is when the newest failed job of busy failed.
var lastFailure = time.Date(2026, 3, 4, 15, 30, 0, 123456000, time.UTC)

// busy returns a Watch with something in every section.
func busy(p *pressed) Watch {
	return Watch{
		Queues: func(context.Context) ([]Queue, error) {
			return []Queue{
				{Name: "sales", Workers: []Worker{{"v1", 2 * time.Second}, {"v2", 4 * time.Second}, {"v1", time.Second}}},
				{Name: "statements", Paused: true, Workers: []Worker{{"v1", time.Second}}}, {Name: "webhooks"},
			}, nil
		},
		Jobs: func(context.Context) ([]metrics.JobCount, error) {
			return []metrics.JobCount{
				{Queue: "sales", Kind: "price_sales", State: "waiting", Count: 41, Oldest: 7 * time.Minute},
				{Queue: "sales", Kind: "price_sales", State: "failed", Count: 1, Oldest: time.Hour},
				{Queue: "statements", Kind: "import_statement", State: "running", Count: 2},
			}, nil
		},
		Unsealed: func(context.Context) (metrics.Unsealed, error) {
			return metrics.Unsealed{Count: 12, Oldest: 3 * time.Minute}, nil
		},
		Proofs: func(context.Context) ([]metrics.ProofCount, error) {
			return []metrics.ProofCount{{Status: "agrees", Count: 31}, {Status: "differs", Count: 4}}, nil
		},
		Failed: func(context.Context) ([]FailedJob, error) {
			return []FailedJob{
				{ID: 17, AccountID: 3, Kind: "price_sales", Attempts: 10, Error: "<b>broken</b>", FailedAt: lastFailure.Add(-time.Hour)},
				{ID: 16, AccountID: 3, Account: "Padaria", Kind: "import_statement", About: "statement 230", Name: "março.ofx", RequestID: "req-9", FailedAt: lastFailure.Add(-time.Hour)},
				{ID: 15, Kind: "import_statement", FailedAt: lastFailure},
			}, nil
		},
		Imports: func(context.Context) ([]Import, error) {
			return []Import{{AccountID: 3, BankStatementID: 5, Status: "processing", Bytes: 1500, Since: time.Now()}}, nil
		},
		Webhooks: func(context.Context) ([]Webhook, error) {
			return []Webhook{
				{AccountID: 3, WebhookID: 9, Address: "https://erp.example/in", Description: "ERP", Status: "error", ErrorSince: &lastFailure, Held: 12, Failed: 1, AnsweredAt: &lastFailure, Code: 503, Reason: "no"},
				{AccountID: 3, WebhookID: 8, Status: "active", Failed: 2}, {AccountID: 3, WebhookID: 7, Status: "active", AnsweredAt: &lastFailure, Code: 200},
			}, nil
		},
		Deletions: func(context.Context) ([]Deletion, error) {
			return []Deletion{{AccountID: 3, ID: 21, Root: "deposit_accounts", Removed: 1234, Left: 5678, Since: time.Now()}}, nil
		},
		Retry: func(_ context.Context, id int64) (bool, error) {
			if id != 17 {
				return false, nil
			}
			p.add("retry %d", id)
			return true, nil
		},
		RetryAll: func(_ context.Context, kind string, until time.Time) (int64, error) {
			p.add("retry %s until %s", kind, until.UTC().Format(time.RFC3339Nano))
			return 2, nil
		},
		Dismiss: func(_ context.Context, id int64, user string) (bool, error) {
			p.add("dismiss %d by %s", id, user)
			return true, nil
		},
		DismissAll: func(_ context.Context, kind string, until time.Time, user string) (int64, error) {
			p.add("dismiss %s until %s by %s", kind, until.UTC().Format(time.RFC3339Nano), user)
			return 2, nil
		},
		Verify: func(_ context.Context, account, webhook int64) (int, bool, error) {
			p.add("verify %d of %d", webhook, account)
			return map[int64]int{9: 200, 8: 404}[webhook], webhook < 10, nil
		},
		Redeliver: func(_ context.Context, account, webhook int64) (int64, bool, error) {
			p.add("redeliver %d of %d", webhook, account)
			return 12, webhook < 10, nil
		},
	}
}

var csrfField = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

func TestOverview(t *testing.T) {
	t.Parallel()
	s := openWith(t, nowhere, busy(&pressed{}))
	redirects(t, s.logIn(t, "admin", password), overview)
	page := s.do(t, "GET", overview, nil)
	for _, want := range []string{
		"<span>Waiting</span><b>41</b>", `<span>Oldest due</span><b class="bad">7 min</b>`, `data-of="Kind" class=""><div>import_statement</div></td>`,
		"&lt;b&gt;broken&lt;/b&gt;", ">1.5 kB</div>", ">deposit accounts</div>", ">1234</div>", ">processing</div>", `<button>Retry</button>`,
		// queues
		`<ul role="alert" class="alert bad"><li>Queue statements is paused`, `class=" bad"><div>paused</div>`,
		`<li>Queue webhooks has no worker`, `class=" bad"><div>no worker</div>`, `<div>v1 (2), v2 (1)</div>`, `<div>1 s ago</div>`,
		// changes
		"<li>Changes have waited for a number for 3 min", `class=" bad"><div>12</div>`, ` bad"><div>3 min ago</div>`,
		// balances
		`class=""><div>agrees</div></td><td data-of="Deposit accounts" class="n"><div>31</div>`,
		`class=""><div>differs</div></td><td data-of="Deposit accounts" class="n"><div>4</div>`,
		// failures
		"<div>import_statement<small>statement 230, março.ofx</small></div>", "<div>3<small>Padaria</small></div>", "request req-9", "<div>4 Mar 12:30:00<small>",
		"<span>All failed import_statement</span>",
		// webhooks
		"<div>https://erp.example/in<small>ERP</small></div>", "<div>error<small>since 4 Mar 12:30:00</small></div>", ` bad"><div>503<small>4 Mar 12:30:00</small></div>`,
		`wide"><div>200<small>`, "<div>not known</div>",
		"All times are of Test/Zone", `content="10; url=/monitoring/overview?range=half-hour"`, `<a href="/monitoring/overview?range=week">A week</a>`,
	} {
		if page.status != 200 || !strings.Contains(page.body, want) {
			t.Errorf("%d lacks %q: %s", page.status, want, page.body)
		}
	}
	for _, never := range []string{"<script", "ZgotmplZ", "All failed price_sales"} {
		if strings.Contains(page.body, never) {
			t.Errorf("the page has %q", never)
		}
	}
	for label, want := range map[string]int{"Retry": 3, "Dismiss": 3, "Retry all": 1, "Dismiss all": 1, "Verify": 1, "Redeliver": 2} {
		if n := strings.Count(page.body, ">"+label+"</button>"); n != want {
			t.Errorf("%d buttons %s", n, label)
		}
	}
	if page := s.do(t, "GET", overview+"?range=week", nil); !strings.Contains(page.body, `<b aria-current="true">A week</b>`) || !strings.Contains(page.body, `url=/monitoring/overview?range=week"`) {
		t.Error(page.body)
	}
}

func TestButtons(t *testing.T) {
	t.Parallel()
	var p pressed
	s := openWith(t, nowhere, busy(&p))
	redirects(t, s.logIn(t, "admin", password), overview)
	csrf := csrfField.FindStringSubmatch(s.do(t, "GET", overview, nil).body)[1]
	press := func(path, csrf string, fields url.Values, headers ...string) answer {
		fields.Set("csrf", csrf)
		return s.do(t, "POST", path, fields, headers...)
	}
	job, hook := url.Values{"id": {"17"}}, url.Values{"account": {"3"}, "webhook": {"9"}}
	for path, fields := range map[string]url.Values{retry: job, dismiss: job, verify: hook, redeliver: hook} {
		for name, a := range map[string]answer{
			"no token": press(path, "", fields), "another token": press(path, "guess", fields), "another site": press(path, csrf, fields, "Sec-Fetch-Site", "cross-site"),
		} {
			if a.status != http.StatusForbidden {
				t.Errorf("%s %s: %d", path, name, a.status)
			}
		}
		for _, wrong := range []url.Values{{}, {"id": {"x"}}, {"kind": {"price_sales"}, "until": {"x"}}, {"account": {"3"}}, {"webhook": {"9"}}} {
			if a := press(path, csrf, wrong); a.status != http.StatusBadRequest {
				t.Errorf("%s %v: %d", path, wrong, a.status)
			}
		}
	}
	if did := p.all(); did != "" {
		t.Fatalf("without a form of the session: %s", did)
	}
	all := url.Values{"kind": {"import_statement"}, "until": {lastFailure.Format(time.RFC3339Nano)}}
	for _, c := range []struct {
		path   string
		fields url.Values
		want   string // parameters of the page
		note   string
		did    string
	}{
		{retry, url.Values{"id": {"18"}}, "missing=18", "No failed job 18: it is being retried, done or dismissed.", ""},
		{retry, job, "retried=17", "Job 17 will be retried.", "retry 17"},
		{dismiss, job, "dismissed=17", "Job 17 is dismissed.", "dismiss 17 by admin"},
		{retry, all, "retried_all=2", "Failed jobs that will be retried: 2.", "retry import_statement until 2026-03-04T15:30:00.123456Z"},
		{dismiss, all, "dismissed_all=2", "Failed jobs that are dismissed: 2.", "dismiss import_statement until 2026-03-04T15:30:00.123456Z by admin"},
		{verify, hook, "code=200&verified=9", "It is active, and its held deliveries are sent.", "verify 9 of 3"},
		{verify, url.Values{"account": {"3"}, "webhook": {"8"}}, "code=404&verified=8", "Webhook 8 answered the test with 404 instead of 200.", "verify 8 of 3"},
		{verify, url.Values{"account": {"3"}, "webhook": {"7"}}, "code=0&verified=7", "Webhook 7 did not answer the test", "verify 7 of 3"},
		{verify, url.Values{"account": {"3"}, "webhook": {"10"}}, "missing_webhook=10", "No webhook 10: it was deleted.", "verify 10 of 3"},
		{redeliver, hook, "count=12&redelivered=9", "Failed deliveries of webhook 9 that are sent again, or held until it is verified: 12.", "redeliver 9 of 3"},
	} {
		p.list = nil
		redirects(t, press(c.path, csrf, c.fields), overview+"?"+c.want)
		if did := p.all(); did != c.did {
			t.Errorf("%s %v: %s", c.path, c.fields, did)
		}
		if page := s.do(t, "GET", overview+"?"+c.want, nil); !strings.Contains(page.body, `<p role="status">`) || !strings.Contains(page.body, c.note) {
			t.Errorf("%s: %s", c.want, page.body)
		}
	}
}

func TestAReadOnlyUserChangesNothing(t *testing.T) {
	t.Parallel()
	var p pressed
	s := openWith(t, nowhere, busy(&p))
	redirects(t, s.logIn(t, "guest", password), overview)
	page := s.do(t, "GET", overview, nil)
	if page.status != 200 || !strings.Contains(page.body, "guest, read only") || strings.Contains(page.body, "<button>") || csrfField.MatchString(page.body) {
		t.Errorf("%d %s", page.status, page.body)
	}
	for _, path := range []string{retry, dismiss, verify, redeliver, root + "/api/queues/sales:pause", root + "/api/queues/sales/archived_tasks:delete_all"} {
		if a := s.do(t, "POST", path, url.Values{"id": {"17"}}); a.status != http.StatusForbidden || !strings.Contains(a.body, "may only read") {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	if a := s.do(t, "DELETE", root+"/api/queues/sales", nil); a.status != http.StatusForbidden || p.all() != "" {
		t.Errorf("%d, %s", a.status, p.all())
	}
	if page := s.do(t, "GET", root, nil); page.status != 200 || !strings.Contains(page.body, `window.FLAG_READ_ONLY="true"`) && !strings.Contains(page.body, `FLAG_READ_ONLY=true`) {
		t.Errorf("asynqmon does not know: %s", page.body[:min(1500, len(page.body))])
	}
	redirects(t, s.do(t, "POST", logout, nil), login)
}

func TestAPartThatCannotBeReadLeavesTheOthers(t *testing.T) {
	t.Parallel()
	w := busy(&pressed{})
	w.Jobs = func(context.Context) ([]metrics.JobCount, error) { return nil, errors.New("password=hunter2") }
	w.Queues = func(context.Context) ([]Queue, error) { return nil, errors.New("no Redis") }
	w.Unsealed = func(context.Context) (metrics.Unsealed, error) {
		return metrics.Unsealed{Count: 3, Oldest: 59 * time.Second}, nil
	}
	s := openWith(t, nowhere, w)
	redirects(t, s.logIn(t, "admin", password), overview)
	page := s.do(t, "GET", overview, nil)
	if page.status != 200 || strings.Count(page.body, "This cannot be read at the moment.") != 1 || strings.Count(page.body, "Redis does not answer.") != 1 || !strings.Contains(page.body, ">1.5 kB</div>") ||
		!strings.Contains(page.body, "59 s ago") || strings.Contains(page.body, "<li>") || strings.Contains(page.body, "hunter2") {
		t.Errorf("%d %s", page.status, page.body)
	}
}

func TestCharts(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", -3*3600)
	begun := time.Date(2026, 3, 4, 2, 59, 0, 0, time.UTC)
	if charts([]sample{{at: begun}}, zone) != nil {
		t.Error("a picture of one moment")
	}
	var all []sample
	for i, done := range []float64{100, 700, 700, 5} { // emptied before the last
		all = append(all, sample{
			begun.Add(time.Duration(i) * time.Minute), map[string]float64{"sales": float64(10 * i), "webhooks": 0},
			map[string]float64{"sales": done}, map[string]float64{"sales": float64(i)},
		})
	}
	got := charts(all, zone)
	want := []chart{
		{"Jobs waiting", []tick{{0, "50"}, {50, "25"}, {100, "0"}}, []tick{{33.3, "00:00"}, {66.7, "00:01"}}, []line{
			{"sales", "c0", "0.0,100.0 200.0,80.0 400.0,60.0 600.0,40.0", "30"}, {"webhooks", "c1", "0.0,100.0 200.0,100.0 400.0,100.0 600.0,100.0", "0"},
		}},
		{"Tasks done a second", []tick{{0, "10"}, {50, "5"}, {100, "0"}}, []tick{{25, "00:00:30"}, {50, "00:01:00"}, {75, "00:01:30"}}, []line{
			{"sales", "c0", "0.0,0.0 300.0,100.0 600.0,100.0", "0"}, {"webhooks", "c1", "0.0,100.0 300.0,100.0 600.0,100.0", "0"},
		}},
		{"Failed attempts a minute", []tick{{0, "1"}, {50, "0.5"}, {100, "0"}}, []tick{{25, "00:00:30"}, {50, "00:01:00"}, {75, "00:01:30"}}, []line{
			{"sales", "c0", "0.0,0.0 300.0,0.0 600.0,0.0", "1"}, {"webhooks", "c1", "0.0,100.0 300.0,100.0 600.0,100.0", "0"},
		}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for most, top := range map[float64]float64{0: 1, 0.4: 1, 1.5: 2, 4: 5, 10: 10, 30: 50, 51: 100, 10_000: 10_000} {
		if got := roundUp(most); got != top {
			t.Errorf("the scale of %v ends at %v", most, got)
		}
	}
	for width, want := range map[time.Duration]tick{
		30 * time.Minute: {33.3, "00:10"}, 24 * time.Hour: {25, "06:00"}, 7 * 24 * time.Hour: {42.9, "Sat 7"},
	} {
		marks := times(time.Date(2026, 3, 4, 0, 0, 0, 0, zone).Add(-time.Second), time.Date(2026, 3, 4, 0, 0, 0, 0, zone).Add(width))
		if len(marks) < 2 || len(marks) > 5 || !slices.ContainsFunc(marks, func(m tick) bool { return m.Text == want.Text && math.Abs(m.Place-want.Place) < 4 }) {
			t.Errorf("%v has the marks %v", width, marks)
		}
	}
}

// A longer range has fewer samples, and shows what was there between them.
func TestRanges(t *testing.T) {
	t.Parallel()
	h := newHistory()
	begun := time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)
	for i := range 10 * 24 * 720 { // ten days
		waiting := 1.0
		if i%720 == 100 { // for a moment of each hour
			waiting = 9
		}
		late := time.Duration(i%3) * time.Millisecond // ticks are not exact
		h.add(sample{at: begun.Add(time.Duration(i)*sampleEvery + late), waiting: map[string]float64{"sales": waiting}})
	}
	for name, want := range map[string]time.Duration{"half-hour": 30 * time.Minute, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour, "": 30 * time.Minute} {
		all := h.of(name).list()
		peaks := 0
		for _, s := range all {
			if s.waiting["sales"] == 9 {
				peaks++
			}
		}
		width := all[len(all)-1].at.Sub(all[0].at).Round(time.Minute)
		if len(all) != samplesKept || width > want || width < want*99/100 || peaks != max(1, int(want/time.Hour)) && name != "half-hour" && name != "" {
			t.Errorf("%s: %d samples, %v, %d peaks", name, len(all), width, peaks)
		}
	}
}
