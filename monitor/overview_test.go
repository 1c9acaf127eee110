package monitor

import (
	"context"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"bordero/internal/messages"
	"bordero/internal/testkit"
	"bordero/jobs/broker"
	"bordero/storage"

	"github.com/google/go-cmp/cmp"
)

var csrfField = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

func TestOverview(t *testing.T) {
	t.Parallel()
	b, _ := busy(t)
	b.work("v1", "v2", "v1")
	testkit.Eventually(t, "the workers are announced", func() bool {
		states, err := b.Client.QueueStates(t.Context(), []string{"sales"})
		return err == nil && len(states[0].Workers) == 3
	})
	s := openWith(t, b.Config)
	redirects(t, s.logIn(t, "admin", password), overview)
	page := s.do(t, "GET", overview, nil)
	for _, want := range []string{
		`<span>Waiting</span><b><a href="#jobs">41</a></b>`, `<span>Running</span><b><a href="#jobs">1</a></b>`,
		`<span>Oldest due</span><b class="bad">7 min</b>`,
		`data-of="Waiting" class="n"><div><a href="/monitoring/queues/sales?status=pending">41</a></div>`,
		`data-of="Running" class="n"><div><a href="/monitoring/queues/statements?status=active">1</a></div>`,
		`data-of="Running" class="n"><div>0</div>`, `<div><a href="/monitoring/queues/webhooks?status=active">webhooks`,
		`data-of="Workers" class="n"><div><a href="/monitoring/servers">3</a></div>`,
		`data-of="Kind" class=""><div>import_statement</div></td>`,
		"&lt;b&gt;broken&lt;/b&gt;", ">1.5 kB</div>", ">deposit accounts</div>", ">1234</div>", ">processing</div>",
		`<button aria-label="Retry job 916">Retry</button>`, `aria-label="Dismiss all import_statement" class="quiet"`,
		// queues
		`<ul aria-label="Alerts" class="alert bad"><li>Queue statements is paused`, `class=" bad"><div>paused</div>`,
		`<li>Queue webhooks has no worker: its jobs wait until one starts.`,
		`<li>Queue signing has no worker: downloads without a remembered URL get 503 until one starts.`,
		`class=" bad"><div>no worker</div>`, `<div>v1 (2), v2 (1)</div>`,
		` s ago</div>`,
		// changes
		"<li>Changes have waited for a number for 3 min", `class=" bad"><div>12</div>`, ` bad"><div>3 min ago</div>`,
		// balances
		`class=""><div>agrees</div></td><td data-of="Deposit accounts" class="n"><div>1</div>`,
		`class=""><div>differs</div></td><td data-of="Deposit accounts" class="n"><div><a href="#differs">1</a></div>`,
		`<section id="differs">`, `data-of="Balance of" class=""><div>`, `<b class="bad"><a href="#failures">`,
		`<span>Webhooks in error</span><b class="bad"><a href="#webhooks">1</a></b>`,
		// failures
		"<div>import_statement<small>statement 1, março.ofx</small></div>", "<div>1<small>Conta</small></div>",
		"request req-9", "<div>4 Mar 12:30:00<small>",
		"<span>All failed import_statement</span>",
		// webhooks
		"<div>https://erp.example/in<small>ERP</small></div>", "<div>error<small>since 4 Mar 12:30:00</small></div>",
		` bad"><div>503<small>4 Mar 12:30:00</small></div>`,
		`wide"><div>200<small>`, "<div>not known</div>",
		// sizes
		`data-of="Account" class="n"><div>1<small>Conta</small></div></td>`,
		`<td data-of="Size" class="n"><div>3.5 MB</div>`,
		`data-of="Of files" class="n"><div>1.5 MB</div></td><td data-of="Rows" class="n"><div>7</div>`,
		`data-of="Sales" class="n"><div>7</div></td><td data-of="Purchases" class="n"><div>few</div>`,
		// quotas
		`<td data-of="Quota" class=""><div>statement_rows</div></td><td data-of="Used" class="n bad"><div>2100`,
		`<td data-of="Limit" class="n"><div>20000000</div>`,
		"All times are of Test/Zone", `content="10; url=/monitoring/overview?range=half-hour"`,
		`<a href="/monitoring/overview?range=week">A week</a>`,
	} {
		if page.status != 200 || !strings.Contains(page.body, want) {
			t.Errorf("%d lacks %q: %s", page.status, want, page.body)
		}
	}
	for _, never := range []string{"<script", "ZgotmplZ", "All failed price_sales", "hunter2"} {
		if strings.Contains(page.body, never) {
			t.Errorf("the page has %q", never)
		}
	}
	for label, want := range map[string]int{"Retry": 3, "Dismiss": 3, "Retry all": 1, "Dismiss all": 1, "Verify": 1,
		"Redeliver": 3} {
		if n := strings.Count(page.body, ">"+label+"</button>"); n != want {
			t.Errorf("%d buttons %s", n, label)
		}
	}
	if page := s.do(t, "GET", overview+"?range=week", nil); !strings.Contains(page.body,
		`<b aria-current="true">A week</b>`) || !strings.Contains(page.body, `url=/monitoring/overview?range=week"`) {
		t.Error(page.body)
	}
}

// A reader may stop the reloads. The ranges and the buttons of such a page lead to such a page.
func TestTheReloadCanBeStopped(t *testing.T) {
	t.Parallel()
	b, _ := busy(t)
	s := openWith(t, b.Config)
	redirects(t, s.logIn(t, "admin", password), overview)
	const stop = `<a href="/monitoring/overview?range=week&amp;reload=off">Stop reloading</a>`
	if page := s.do(t, "GET", overview+"?range=week", nil); !strings.Contains(page.body, stop) {
		t.Error(page.body)
	}
	page := s.do(t, "GET", overview+"?range=week&reload=off", nil).body
	for _, want := range []string{`<a href="/monitoring/overview?range=week">Reload every 10 s</a>`,
		`<a href="/monitoring/overview?range=day&amp;reload=off">`,
		`<input type="hidden" name="range" value="week"><input type="hidden" name="reload" value="off">`} {
		if !strings.Contains(page, want) || strings.Contains(page, `http-equiv="refresh"`) {
			t.Errorf("no %q in %s", want, page)
		}
	}
	redirects(t, s.do(t, "POST", retry, url.Values{"csrf": {csrfField.FindStringSubmatch(page)[1]}, "id": {"917"},
		"range": {"week"}, "reload": {"off"}}), overview+"?range=week&reload=off&retried=917")
}

// The page is in English, whatever the language of the clients.
func TestCauses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		messages.ConnectionRefused.Text: "connection refused", messages.TLSFailed.Text: "tls failed",
		messages.AttemptInterrupted: "interrupted",
		"":                          "", "of an earlier release": "of an earlier release",
	} {
		if got := cause(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// failures is the state of the failed jobs of busy.
const failures = `SELECT string_agg(id || CASE
		WHEN dismissed_at IS NOT NULL THEN ' dismissed by ' || dismissed_by WHEN failed_at IS NULL THEN ' due'
			ELSE '' END, ', ' ORDER BY id)
	FROM jobs WHERE id IN (915, 916, 917)`

func TestButtons(t *testing.T) {
	t.Parallel()
	b, h := busy(t)
	const gone, broken = int64(999), int64(998)
	var called []int64
	var logged lines
	b.Log = slog.New(slog.NewTextHandler(&logged, nil))
	b.Verify = func(_ context.Context, account, webhook int64) (int, error) {
		if webhook == broken {
			return 0, errors.New("broken")
		}
		if called = append(called, webhook); account != b.AccountID || webhook == gone {
			return 0, storage.ErrNotFound
		}
		return map[int64]int{h.bad: 200, h.good: 404}[webhook], nil
	}
	s := openWith(t, b.Config)
	redirects(t, s.logIn(t, "admin", password), overview)
	csrf := csrfField.FindStringSubmatch(s.do(t, "GET", overview, nil).body)[1]
	press := func(path, csrf string, fields url.Values, headers ...string) answer {
		fields.Set("csrf", csrf)
		return s.do(t, "POST", path, fields, headers...)
	}
	hook := func(id int64) url.Values {
		return url.Values{"account": {fmt.Sprint(b.AccountID)}, "webhook": {fmt.Sprint(id)}}
	}
	resent := func() string {
		return b.text(`SELECT count(*) FROM deliveries WHERE webhook_id = $1 AND status = 'failed'`, h.bad)
	}
	job := url.Values{"id": {"917"}}
	for path, fields := range map[string]url.Values{retry: job, dismiss: job, verify: hook(h.bad),
		redeliver: hook(h.bad)} {
		for name, a := range map[string]answer{
			"no token": press(path, "", fields), "another token": press(path, "guess", fields),
			"another site": press(path, csrf, fields, "Sec-Fetch-Site", "cross-site"),
		} {
			if a.status != http.StatusForbidden {
				t.Errorf("%s %s: %d", path, name, a.status)
			}
		}
		for _, wrong := range []url.Values{{}, {"id": {"x"}}, {"kind": {"price_sales"}, "until": {"x"}},
			{"account": {"3"}}, {"webhook": {"9"}}} {
			if a := press(path, csrf, wrong); a.status != http.StatusBadRequest {
				t.Errorf("%s %v: %d", path, wrong, a.status)
			}
		}
	}
	if did := b.text(failures); did != "915, 916, 917" || len(called) > 0 || resent() != "2" {
		t.Fatalf("without a form of the session: %s, %v, %s", did, called, resent())
	}
	all := url.Values{"kind": {"import_statement"}, "until": {lastFailure.Format(time.RFC3339Nano)}}
	for _, c := range []struct {
		path   string
		fields url.Values
		want   string // parameters of the page
		note   string
		did    string // to the failed jobs
	}{
		{retry, url.Values{"id": {"918"}}, "missing=918", "No failed job 918: it is being retried, done or dismissed.",
			"915, 916, 917"},
		{retry, job, "retried=917", "Job 917 will be retried.", "915, 916, 917 due"},
		{dismiss, job, "dismissed=917", "Job 917 is dismissed.", "915, 916, 917 dismissed by admin"},
		{retry, all, "retried_all=2", "Failed jobs that will be retried: 2.", "915 due, 916 due, 917"},
		{dismiss, all, "dismissed_all=2", "Failed jobs that are dismissed: 2.",
			"915 dismissed by admin, 916 dismissed by admin, 917"},
		{verify, hook(h.bad), fmt.Sprint("code=200&verified=", h.bad),
			"It is active, and its held deliveries are sent.", "915, 916, 917"},
		{verify, hook(h.good), fmt.Sprint("code=404&verified=", h.good), " answered the test with 404 instead of 200.",
			"915, 916, 917"},
		{verify, hook(h.silent), fmt.Sprint("code=0&verified=", h.silent), " did not answer the test", "915, 916, 917"},
		{verify, hook(gone), "missing_webhook=999", "No webhook 999: it was deleted.", "915, 916, 917"},
		{redeliver, hook(gone), "missing_webhook=999", "No webhook 999: it was deleted.", "915, 916, 917"},
		{redeliver, hook(h.bad), fmt.Sprint("count=2&redelivered=", h.bad),
			"that are sent again, or held until it is verified: 2.", "915, 916, 917"},
	} {
		b.fail()
		redirects(t, press(c.path, csrf, c.fields), overview+"?"+c.want)
		if did := b.text(failures); did != c.did {
			t.Errorf("%s %v: %s", c.path, c.fields, did)
		}
		if page := s.do(t, "GET", overview+"?"+c.want, nil); !strings.Contains(page.body, `<p role="status">`) ||
			!strings.Contains(page.body, c.note) {
			t.Errorf("%s: %s", c.want, page.body)
		}
	}
	if !slices.Equal(called, []int64{h.bad, h.good, h.silent, gone}) || resent() != "0" {
		t.Errorf("the webhooks %v were tested, and %s deliveries are failed", called, resent())
	}
	if a := press(verify, csrf, hook(broken)); a.status != http.StatusInternalServerError {
		t.Errorf("%d %s", a.status, a.body)
	}
	for _, line := range []string{
		"action=dismiss user=admin id=917 result=",
		"action=dismiss user=admin kind=import_statement until=" + all.Get("until") + " result=",
		fmt.Sprintf(`failed" action=verify user=admin account=%d webhook=%d error=broken`, b.AccountID, broken),
	} {
		if !strings.Contains(logged.String(), line) {
			t.Errorf("the log has no %s:\n%s", line, logged.String())
		}
	}
}

func TestAReadOnlyUserChangesNothing(t *testing.T) {
	t.Parallel()
	b, _ := busy(t)
	s := openWith(t, b.Config)
	redirects(t, s.logIn(t, "guest", password), overview)
	page := s.do(t, "GET", overview, nil)
	if page.status != 200 || !strings.Contains(page.body, "guest, read only") ||
		strings.Contains(page.body, "<button aria-label") || csrfField.MatchString(page.body) {
		t.Errorf("%d %s", page.status, page.body)
	}
	for _, path := range []string{retry, dismiss, verify, redeliver, root + "/api/queues/sales:pause",
		root + "/api/queues/sales/archived_tasks:delete_all"} {
		if a := s.do(t, "POST", path, url.Values{"id": {"917"}}); a.status != http.StatusForbidden ||
			!strings.Contains(a.body, "may only read") {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	if a := s.do(t, "DELETE", root+"/api/queues/sales", nil); a.status != http.StatusForbidden ||
		b.text(failures) != "915, 916, 917" {
		t.Errorf("%d, %s", a.status, b.text(failures))
	}
	if page := s.do(t, "GET", root, nil); page.status != 200 ||
		!strings.Contains(page.body, `window.FLAG_READ_ONLY="true"`) &&
			!strings.Contains(page.body, `FLAG_READ_ONLY=true`) {
		t.Errorf("asynqmon does not know: %s", page.body[:min(1500, len(page.body))])
	}
	redirects(t, s.do(t, "POST", logout, nil), login)
}

func TestAPartThatCannotBeReadLeavesTheOthers(t *testing.T) {
	t.Parallel()
	b, _ := busy(t)
	b.RedisURL = nowhere
	client, err := broker.Open(nowhere, b.Store.Installation, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	b.Client = client
	b.exec(`ALTER TABLE balance_proofs RENAME TO hidden`)
	b.exec(`UPDATE unsealed_changes SET occurred_at = now() - interval '50 seconds'`)
	s := openWith(t, b.Config)
	redirects(t, s.logIn(t, "admin", password), overview)
	page := s.do(t, "GET", overview, nil)
	if page.status != 200 || strings.Count(page.body, "This cannot be read at the moment.") != 2 ||
		strings.Count(page.body, "Redis does not answer.") != 1 || !strings.Contains(page.body, ">1.5 kB</div>") ||
		!regexp.MustCompile(`\b5\d s ago`).MatchString(page.body) ||
		strings.Contains(page.body, "<li>") || strings.Contains(page.body, "balance_proofs") {
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
			{"sales", "c0", "0.0,100.0 200.0,80.0 400.0,60.0 600.0,40.0", "30"},
			{"webhooks", "c1", "0.0,100.0 200.0,100.0 400.0,100.0 600.0,100.0", "0"},
		}},
		{"Tasks done a second", []tick{{0, "10"}, {50, "5"}, {100, "0"}}, []tick{{25, "00:00:30"}, {50, "00:01:00"},
			{75, "00:01:30"}}, []line{
			{"sales", "c0", "0.0,0.0 300.0,100.0 600.0,100.0", "0"},
			{"webhooks", "c1", "0.0,100.0 300.0,100.0 600.0,100.0", "0"},
		}},
		{"Failed attempts of jobs a minute", []tick{{0, "1"}, {50, "0.5"}, {100, "0"}},
			[]tick{{25, "00:00:30"}, {50, "00:01:00"}, {75, "00:01:30"}}, []line{
				{"sales", "c0", "0.0,0.0 300.0,0.0 600.0,0.0", "1"},
				{"webhooks", "c1", "0.0,100.0 300.0,100.0 600.0,100.0", "0"},
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
		marks := times(time.Date(2026, 3, 4, 0, 0, 0, 0, zone).Add(-time.Second),
			time.Date(2026, 3, 4, 0, 0, 0, 0, zone).Add(width))
		if len(marks) < 2 || len(marks) > 5 || !slices.ContainsFunc(marks, func(m tick) bool {
			return m.Text == want.Text && math.Abs(m.Place-want.Place) < 4
		}) {
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
	for name, want := range map[string]time.Duration{"half-hour": 30 * time.Minute, "day": 24 * time.Hour,
		"week": 7 * 24 * time.Hour, "": 30 * time.Minute} {
		all := h.of(name).list()
		peaks := 0
		for _, s := range all {
			if s.waiting["sales"] == 9 {
				peaks++
			}
		}
		width := all[len(all)-1].at.Sub(all[0].at).Round(time.Minute)
		if len(all) != samplesKept || width > want || width < want*99/100 || peaks != max(1, int(want/time.Hour)) &&
			name != "half-hour" && name != "" {
			t.Errorf("%s: %d samples, %v, %d peaks", name, len(all), width, peaks)
		}
	}
}

// The buttons for all failed jobs of a kind are for those that are not among the rows too, whenever they failed, but
// not for those that fail after them, even if PostgreSQL dates their failure before the page was made.
func TestButtonsForMoreFailuresThanRows(t *testing.T) {
	t.Parallel()
	b := newBooks(t)
	b.exec(`INSERT INTO jobs (kind, queue, args, failed_at)
		SELECT CASE WHEN n <= 2 THEN 'import_statement' ELSE 'price_sales' END, 'sales', '{}',
			now() - n * interval '1 minute' FROM generate_series(1, 62) n`)
	s := openWith(t, b.Config)
	redirects(t, s.logIn(t, "admin", password), overview)
	page := s.do(t, "GET", overview, nil).body
	if n := strings.Count(page, ">Retry</button>"); n != listed {
		t.Errorf("%d rows", n)
	}
	b.exec(`INSERT INTO jobs (kind, queue, args, failed_at) SELECT kind, 'sales', '{}',
			now() - interval '30 seconds'
		FROM unnest(ARRAY['import_statement', 'price_sales']) kind`)
	csrf := csrfField.FindStringSubmatch(page)[1]
	for kind, want := range map[string]string{"import_statement": "retried_all=2", "price_sales": "retried_all=60"} {
		field := `">.*?name="until" value="([^"]+)"`
		form := regexp.MustCompile(`name="kind" value="` + kind + field).FindStringSubmatch(page)
		if form == nil {
			t.Fatalf("no button for all of %s: %s", kind, page)
		}
		redirects(t, s.do(t, "POST", retry, url.Values{"csrf": {csrf}, "kind": {kind},
			"until": {html.UnescapeString(form[1])}}), overview+"?"+want)
	}
}
