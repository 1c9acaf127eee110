package monitor

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bordero/internal/metrics"
)

// busy returns a Watch with something in every section.
func busy(retried *atomic.Int64) Watch {
	return Watch{
		Jobs: func(context.Context) ([]metrics.JobCount, error) {
			return []metrics.JobCount{
				{Queue: "sales", Kind: "price_sales", State: "waiting", Count: 41, Oldest: 7 * time.Minute},
				{Queue: "sales", Kind: "price_sales", State: "failed", Count: 1, Oldest: time.Hour},
				{Queue: "statements", Kind: "import_statement", State: "running", Count: 2},
			}, nil
		},
		Failed: func(context.Context) ([]FailedJob, error) {
			return []FailedJob{{ID: 17, AccountID: 3, Kind: "price_sales", Attempts: 10, Error: "<b>broken</b>", FailedAt: time.Now().Add(-time.Hour)}}, nil
		},
		Imports: func(context.Context) ([]Import, error) {
			return []Import{{AccountID: 3, BankStatementID: 5, Status: "processing", Bytes: 1500, Since: time.Now()}}, nil
		},
		Webhooks: func(context.Context) ([]Webhook, error) {
			return []Webhook{{AccountID: 3, WebhookID: 9, Status: "error", Held: 12, Failed: 1}}, nil
		},
		Deletions: func(context.Context) ([]Deletion, error) {
			return []Deletion{{AccountID: 3, ID: 21, Root: "deposit_accounts", Removed: 1234, Left: 5678, Since: time.Now()}}, nil
		},
		Retry: func(_ context.Context, id int64) (bool, error) {
			if id != 17 {
				return false, nil
			}
			retried.Add(1)
			return true, nil
		},
	}
}

var csrfField = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

func TestOverview(t *testing.T) {
	t.Parallel()
	var retried atomic.Int64
	s := openWith(t, nowhere, busy(&retried))
	redirects(t, s.logIn(t, "admin", password), overview)
	page := s.do(t, "GET", overview, nil)
	for _, want := range []string{
		"<span>Waiting</span><b>41</b>", `<span>Oldest due</span><b class="bad">7 min</b>`, `data-of="Kind" class="">import_statement</td>`,
		"&lt;b&gt;broken&lt;/b&gt;", ">1.5 kB</td>", ">deposit accounts</td>", ">1234</td>", ">processing</td>", `<button>Retry</button>`,
	} {
		if page.status != 200 || !strings.Contains(page.body, want) {
			t.Errorf("%d lacks %q: %s", page.status, want, page.body)
		}
	}
	for _, never := range []string{"<script", "://", "ZgotmplZ"} {
		if strings.Contains(page.body, never) {
			t.Errorf("the page has %q", never)
		}
	}
	csrf := csrfField.FindStringSubmatch(page.body)[1]
	press := func(id, csrf string, headers ...string) answer {
		return s.do(t, "POST", retry, url.Values{"id": {id}, "csrf": {csrf}}, headers...)
	}
	for name, a := range map[string]answer{
		"no token": press("17", ""), "another token": press("17", "guess"), "another site": press("17", csrf, "Sec-Fetch-Site", "cross-site"),
	} {
		if a.status != http.StatusForbidden {
			t.Errorf("%s: %d", name, a.status)
		}
	}
	if a := press("x", csrf); a.status != http.StatusBadRequest {
		t.Errorf("no number: %d", a.status)
	}
	redirects(t, press("18", csrf), overview+"?missing=18")
	if retried.Load() != 0 {
		t.Error("retried though nobody asked")
	}
	redirects(t, press("17", csrf), overview+"?retried=17")
	if retried.Load() != 1 {
		t.Error("not retried")
	}
	if page := s.do(t, "GET", overview+"?retried=17", nil); !strings.Contains(page.body, `<p role="status">Job 17 will be retried.</p>`) {
		t.Error(page.body)
	}
}

func TestAReadOnlyUserChangesNothing(t *testing.T) {
	t.Parallel()
	var retried atomic.Int64
	s := openWith(t, nowhere, busy(&retried))
	redirects(t, s.logIn(t, "guest", password), overview)
	page := s.do(t, "GET", overview, nil)
	if page.status != 200 || !strings.Contains(page.body, "guest, read only") || strings.Contains(page.body, "<button>Retry") || csrfField.MatchString(page.body) {
		t.Errorf("%d %s", page.status, page.body)
	}
	for _, path := range []string{retry, root + "/api/queues/sales:pause", root + "/api/queues/sales/archived_tasks:delete_all"} {
		if a := s.do(t, "POST", path, url.Values{"id": {"17"}}); a.status != http.StatusForbidden || !strings.Contains(a.body, "may only read") {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	if a := s.do(t, "DELETE", root+"/api/queues/sales", nil); a.status != http.StatusForbidden || retried.Load() != 0 {
		t.Errorf("%d, %d retried", a.status, retried.Load())
	}
	if page := s.do(t, "GET", root, nil); page.status != 200 || !strings.Contains(page.body, `window.FLAG_READ_ONLY="true"`) && !strings.Contains(page.body, `FLAG_READ_ONLY=true`) {
		t.Errorf("asynqmon does not know: %s", page.body[:min(1500, len(page.body))])
	}
	redirects(t, s.do(t, "POST", logout, nil), login)
}

func TestAPartThatCannotBeReadLeavesTheOthers(t *testing.T) {
	t.Parallel()
	w := busy(new(atomic.Int64))
	w.Jobs = func(context.Context) ([]metrics.JobCount, error) { return nil, errors.New("password=hunter2") }
	s := openWith(t, nowhere, w)
	redirects(t, s.logIn(t, "admin", password), overview)
	page := s.do(t, "GET", overview, nil)
	if page.status != 200 || strings.Count(page.body, "This cannot be read at the moment.") != 1 || !strings.Contains(page.body, ">1.5 kB</td>") ||
		strings.Contains(page.body, "hunter2") {
		t.Errorf("%d %s", page.status, page.body)
	}
}

func TestCharts(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)
	if charts([]sample{{at: begun}}) != nil {
		t.Error("a picture of one moment")
	}
	var s samples
	for i, done := range []float64{100, 150, 150, 5} { // emptied before the last
		s.add(sample{begun.Add(time.Duration(i) * 10 * time.Second), map[string]float64{"sales": float64(10 * i), "webhooks": 0}, map[string]float64{"sales": done}})
	}
	got := charts(s.list())
	depth, rate := got[0], got[1]
	if depth.Most != "30" || depth.Since != "30 s" || len(depth.Lines) != 2 || depth.Lines[0].Now != "30" ||
		depth.Lines[0].Points != "0.0,100.0 200.0,66.7 400.0,33.3 600.0,0.0" || depth.Lines[1].Points != "0.0,100.0 200.0,100.0 400.0,100.0 600.0,100.0" {
		t.Errorf("%+v", depth)
	}
	if rate.Most != "5.0" || rate.Lines[0].Points != "0.0,0.0 300.0,100.0 600.0,100.0" || rate.Lines[0].Now != "0.0" {
		t.Errorf("%+v", rate)
	}
	for range 2 * samplesKept {
		s.add(sample{})
	}
	if len(s.list()) != samplesKept {
		t.Errorf("%d samples are kept", len(s.list()))
	}
}
