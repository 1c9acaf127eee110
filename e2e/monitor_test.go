package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance/statement/statementtest"
	"bordero/internal/testkit"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"golang.org/x/crypto/bcrypt"
)

// TestMonitor uses the monitor as an operator does, at a desk and on a phone.
func TestMonitor(t *testing.T) {
	t.Parallel()
	p := newPage(t)
	const password = "correct horse"
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	addr := e2etest.Loopback()
	s := e2etest.New(t, e2etest.Set("BORDERO_MONITOR_ADDR="+addr),
		e2etest.Set("BORDERO_MONITOR_USER=ana"), e2etest.Set("BORDERO_MONITOR_PASSWORD_HASH="+string(hash)),
		e2etest.Set("BORDERO_MONITOR_READONLY_USER=bia"), e2etest.Set("BORDERO_MONITOR_READONLY_PASSWORD_HASH="+string(hash)))
	s.Start("monitor").Ready()
	s.Serve()                                                          // the relay registers the queues with Asynq
	s.MustUpload(t, s.NewDepositAccount(t, ""), statementtest.OFX(10)) // no worker imports it
	hook := subscribe(t, s, "http://127.0.0.1:1/")                     // no worker delivers to it
	mustHappen(t, s)
	if _, err := s.DB.ExecContext(t.Context(), `
		INSERT INTO jobs (id, kind, queue, account_id, attempts, error, failed_at)
		SELECT n, 'price_sales', 'sales', 1, 10, 'no such thing: ' || repeat('x', 200), now() - interval '1 h' FROM generate_series(901, 902) n;
		INSERT INTO jobs (kind, queue, due_at) SELECT 'settle_sales', 'sales', now() - interval '10 min' FROM generate_series(1, 30);
		INSERT INTO deletions (account_id, root, record_id, kind, place, deleted, estimated) VALUES (1, 'deposit_accounts', 77, 'financial_transactions', 1, 1234, 2000)`); err != nil {
		t.Fatal(err)
	}
	monitor := "http://" + addr

	logIn := func(user string) {
		t.Helper()
		p.do("log in", chromedp.Navigate(monitor+"/monitoring/overview"), chromedp.WaitVisible(chromedp.CSS("[name=password]")),
			chromedp.SendKeys(chromedp.CSS("[name=user]"), user), chromedp.SendKeys(chromedp.CSS("[name=password]"), password),
			chromedp.Click(chromedp.CSS("button")), chromedp.WaitVisible(chromedp.CSS("#failures td")))
	}
	shows := func(what, script string) {
		t.Helper()
		testkit.Eventually(t, what, func() bool {
			is, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](script))
			return is && err == nil // the page may be reloading
		})
	}
	logIn("ana")
	shows("the failures", `document.querySelectorAll("#failures tbody tr").length == 2`)
	// has reports whether a section has a row with these texts in its cells.
	has := func(section string, cells map[int]string) string {
		script := `[...document.querySelectorAll("#` + section + ` tbody tr")].some(r => true`
		for i, text := range cells {
			script += fmt.Sprintf(` && r.cells[%d].innerText.includes(%q)`, i, text)
		}
		return script + `)`
	}
	shows("what waits, and for how long", has("jobs", map[int]string{0: "settle_sales", 2: "30", 6: "min"}))
	shows("errors", has("failures", map[int]string{0: "902", 5: "no such thing"}))
	shows("deliveries", has("webhooks", map[int]string{1: fmt.Sprint(hook), 2: "active", 3: "1"}))
	shows("an import", has("imports", map[int]string{2: "queued"}))
	shows("a deletion", has("deletions", map[int]string{1: "deposit accounts", 2: "77", 3: "1234", 4: "766"}))
	shows("light", `getComputedStyle(document.body).backgroundColor == "rgb(244, 245, 247)"`)
	shows("depth and throughput", `document.querySelectorAll(".charts svg").length == 2`)
	p.picture("desk")
	p.do("retry", chromedp.Click(chromedp.CSS("#failures tbody tr:last-child button")), chromedp.WaitVisible(chromedp.CSS("[role=status]")))
	shows("that it is tried again", `document.querySelector("[role=status]").innerText == "Job 901 will be retried."`)
	shows("one failure", `document.querySelectorAll("#failures tbody tr").length == 1`)
	if failed := e2etest.Value[string](t, s.DB, `SELECT string_agg(id::text, ' ') FROM jobs WHERE failed_at IS NOT NULL`); failed != "902" {
		t.Errorf("failed are %s", failed)
	}

	// On a phone in dark mode, nothing is wider than the screen.
	p.do("a telephone", chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile),
		chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
			_, err := cdp.Call(ctx, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
			})
			return err
		}),
		chromedp.Navigate(monitor+"/monitoring/overview"), chromedp.WaitVisible(chromedp.CSS("#failures td")))
	shows("a page that fits", `window.innerWidth == 390 && document.documentElement.scrollWidth <= 390`)
	shows("darkness", `getComputedStyle(document.body).backgroundColor == "rgb(20, 22, 26)"`)
	p.picture("telephone")
	p.mu.Lock()
	for _, complaint := range p.complaints { // of our page: Asynq's page has its own
		t.Error(complaint)
	}
	p.mu.Unlock()
	p.do("the queues", chromedp.Click(chromedp.CSS("header a")), chromedp.WaitVisible(chromedp.CSS("#root *")))
	p.do("back", chromedp.Navigate(monitor+"/monitoring/overview"), chromedp.Click(chromedp.CSS("header button")), chromedp.WaitVisible(chromedp.CSS("[name=password]")))
	shows("a login that fits", `document.documentElement.scrollWidth <= 390`)

	logIn("bia")
	shows("no button", `document.querySelector("#failures button") == null && document.querySelector("#failures tbody tr") != null`)
	shows("a refusal", `(() => { const r = new XMLHttpRequest(); r.open("POST", "/monitoring/overview/retry", false); r.send(); return r.status == 403 })()`)

	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.requests {
		if len(r.URL) < len(monitor) || r.URL[:len(monitor)] != monitor && r.URL[:5] != "data:" {
			t.Errorf("the page asks another host: %s", r.URL)
		}
	}
}

// picture writes a screenshot to the directory of -pictures.
func (p *page) picture(name string) {
	p.t.Helper()
	if *pictures == "" {
		return
	}
	image, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(*pictures, name+".png"), image, 0o644)
	}
	if err != nil {
		p.t.Error(err)
	}
}
