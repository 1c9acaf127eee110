package e2e

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance/statement/statementtest"
	"bordero/internal/testkit"

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
		e2etest.Set("BORDERO_WEBHOOK_ALLOW_CIDRS=127.0.0.1/32"),
		e2etest.Set("BORDERO_MONITOR_USER=ana"), e2etest.Set("BORDERO_MONITOR_PASSWORD_HASH="+string(hash)),
		e2etest.Set("BORDERO_MONITOR_READONLY_USER=bia"),
		e2etest.Set("BORDERO_MONITOR_READONLY_PASSWORD_HASH="+string(hash)))
	s.Start("monitor").Ready()
	s.Start("work", "signing").Ready()
	s.Serve()                                                          // the relay registers the queues with Asynq
	s.MustUpload(t, s.NewDepositAccount(t, ""), statementtest.OFX(10)) // no worker imports it
	hook := subscribe(t, s, "http://127.0.0.1:1/")                     // no worker delivers to it
	mustHappen(t, s)
	receiver, private := e2etest.NewReceiver(t), privateServer(t)
	failing := []int64{subscribe(t, s, receiver.URL+"/in?key=secret"), subscribe(t, s, private.URL)}
	for _, id := range failing {
		if _, err := s.DB.ExecContext(t.Context(), `UPDATE webhooks SET status = 'error', error_since = now()
			WHERE id = $1`, id); err != nil {
			t.Fatal(err)
		}
		if _, err := s.DB.ExecContext(t.Context(), `INSERT INTO deliveries (account_id, webhook_id, family, action,
			record_id, status)
			VALUES ($1, $2, 'sales', 'created', 1, 'failed'), ($1, $2, 'sales', 'created', 1, 'held')`, s.ID,
			id); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.DB.ExecContext(t.Context(), `
		INSERT INTO jobs (id, kind, queue, account_id, attempts, error, failed_at)
		SELECT n, 'price_sales', 'sales', 1, 10, 'no such thing: ' || repeat('x', 200), now() - interval '1 h'
			FROM generate_series(901, 902) n;
		INSERT INTO jobs (kind, queue, due_at) SELECT 'settle_sales', 'sales', now() - interval '10 min'
			FROM generate_series(1, 30);
		INSERT INTO deletions (account_id, root, record_id, kind, place, deleted, estimated)
			VALUES (1, 'deposit_accounts', 77, 'financial_transactions', 1, 1234, 2000)`); err != nil {
		t.Fatal(err)
	}
	monitor := "http://" + addr

	logIn := func(user string) {
		t.Helper()
		p.do("log in", chromedp.Navigate(monitor+"/monitoring/overview"),
			chromedp.WaitVisible(chromedp.CSS("[name=password]")),
			chromedp.SendKeys(chromedp.CSS("[name=user]"), user), chromedp.SendKeys(chromedp.CSS("[name=password]"),
				password),
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
	shows("what waits, and for how long", has("jobs", map[int]string{0: "settle_sales", 2: "30", 7: "min"}))
	shows("errors", has("failures", map[int]string{0: "902", 4: "no such thing"}))
	shows("deliveries", has("webhooks", map[int]string{0: fmt.Sprint(hook), 2: "active", 4: "1"}))
	shows("an import", has("imports", map[int]string{2: "queued"}))
	shows("a deletion", has("deletions", map[int]string{1: "deposit accounts", 2: "77", 3: "1234", 4: "766"}))
	shows("light", `getComputedStyle(document.body).backgroundColor == "rgb(244, 245, 247)"`)
	shows("depth and throughput", `document.querySelectorAll(".charts svg").length == 3`)
	shows("a worker", has("queues", map[int]string{0: "signing", 1: "works", 2: "1", 4: "ago"}))
	shows("no worker", has("queues", map[int]string{0: "sales", 1: "no worker", 2: "0"}))
	s.CommandRedis("SET", "asynq:{sales}:paused", 1) // as the Asynq page does
	p.do("reload", chromedp.Reload())
	shows("a pause", has("queues", map[int]string{0: "sales", 1: "paused"})+
		` && [...document.querySelectorAll(".alert")].some(a => a.innerText.includes("sales is paused"))`)
	p.picture("desk")
	p.do("retry", chromedp.Click(chromedp.CSS("#failures tbody tr:last-child button")),
		chromedp.WaitVisible(chromedp.CSS("[role=status]")))
	shows("that it is tried again", `document.querySelector("[role=status]").innerText == "Job 901 will be retried."`)
	shows("one failure", `document.querySelectorAll("#failures tbody tr").length == 1`)
	if failed := e2etest.Value[string](t, s.DB,
		`SELECT string_agg(id::text, ' ') FROM jobs WHERE failed_at IS NOT NULL`); failed != "902" {
		t.Errorf("failed are %s", failed)
	}

	p.do("dismiss", chromedp.Click(chromedp.CSS("#failures tbody tr:last-child button.quiet")),
		chromedp.WaitVisible(chromedp.CSS("[role=status]")))
	shows("no failure", `document.querySelector("#failures tbody") == null && `+
		`document.querySelector("[role=status]").innerText.startsWith("Job 902 is dismissed")`)
	if by := e2etest.Value[string](t, s.DB,
		`SELECT dismissed_by FROM jobs WHERE id = 902 AND failed_at IS NOT NULL`); by != "ana" {
		t.Errorf("dismissed by %s", by)
	}
	if said := s.Run("jobs", "list", "--dismissed", "--json"); !strings.Contains(said, `"id":902`) ||
		!strings.Contains(said, `"dismissed_by":"ana"`) {
		t.Errorf("dismissed jobs: %s", said)
	}
	if said := s.Run("jobs", "list", "--json"); strings.Contains(said, `"id":902`) {
		t.Errorf("all jobs: %s", said)
	}
	s.Run("jobs", "retry", "902")
	if _, err := s.DB.ExecContext(t.Context(), `UPDATE jobs SET failed_at = now() WHERE id = 902`); err != nil {
		t.Fatal(err)
	}

	// press presses a button of a webhook, and waits for a note that includes the words.
	press := func(webhook int64, label, words string) {
		t.Helper()
		p.do(label, chromedp.Navigate(monitor+"/monitoring/overview"),
			chromedp.WaitVisible(chromedp.CSS("#webhooks td")))
		script := fmt.Sprintf(`[...document.querySelectorAll("#webhooks form")].find(f => f.webhook.value == "%d" && `+
			`f.innerText.trim() == %q).submit()`, webhook, label)
		if _, err := chromedp.Run(p.ctx, chromedp.Evaluate[any](script)); err != nil {
			t.Fatal(err)
		}
		shows(words, fmt.Sprintf(`document.querySelector("[role=status]")?.innerText.includes(%q)`, words))
	}
	shows("an address", has("webhooks", map[int]string{0: fmt.Sprint(failing[0]), 1: receiver.URL + "/in", 2: "since"})+
		` && !document.body.innerText.includes("secret")`)
	press(failing[0], "Redeliver", "or held until it is verified: 1.")
	press(failing[0], "Verify", "answered the test with 200")
	press(failing[1], "Verify", "or its address is not public")
	if n := private.posts.Load(); n > 0 {
		t.Errorf("%d requests to a private address", n)
	}
	if all := e2etest.Value[string](t, s.DB, `SELECT string_agg(status, ' ' ORDER BY webhook_id, id) FROM deliveries
		WHERE family = 'sales'`); all != "pending pending failed held" {
		t.Errorf("deliveries are %s", all)
	}

	// On a phone in dark mode, nothing is wider than the screen.
	p.do("a telephone", chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile), colours("dark"),
		chromedp.Navigate(monitor+"/monitoring/overview"), chromedp.WaitVisible(chromedp.CSS("#failures td")))
	shows("a page that fits", `window.innerWidth == 390 && document.documentElement.scrollWidth <= 390`)
	shows("darkness", `getComputedStyle(document.body).backgroundColor == "rgb(20, 22, 26)"`)
	p.picture("telephone")
	p.do("the queues", chromedp.Click(chromedp.CSS("header nav a:last-child")),
		chromedp.WaitVisible(chromedp.CSS("#root svg.recharts-surface")))
	const asynqFits = `document.documentElement.scrollWidth <= 390 && (
		e => e.clientWidth > 300 && e.scrollWidth <= e.clientWidth)(document.querySelector("main > div"))`
	shows("the queues on a telephone", asynqFits)
	p.picture("telephone-queues")
	p.do("a queue", chromedp.Navigate(monitor+"/monitoring/queues/statements"),
		chromedp.WaitVisible(chromedp.CSS("#root .MuiChip-root")))
	shows("a queue on a telephone", asynqFits)
	p.picture("telephone-queue")
	p.do("the queues again", chromedp.NavigateBack(),
		chromedp.WaitVisible(chromedp.CSS("#root svg.recharts-surface")))
	p.do("the queues on a desktop", chromedp.EmulateViewport(1300, 900), chromedp.Reload(),
		chromedp.WaitVisible(chromedp.CSS("#root svg.recharts-surface")))
	p.complained() // the charts of Asynq's page too
	p.do("a telephone again", chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	p.do("back", chromedp.Navigate(monitor+"/monitoring/overview"), chromedp.Click(chromedp.CSS("header button")),
		chromedp.WaitVisible(chromedp.CSS("[name=password]")))
	shows("a login that fits", `document.documentElement.scrollWidth <= 390`)

	logIn("bia")
	shows("no button", `document.querySelector("#failures button") == null && document.querySelector("#failures `+
		`tbody tr") != null`)
	shows("a refusal", `(() => { const r = new XMLHttpRequest(); r.open("POST", "/monitoring/overview/retry", false);`+
		` r.send(); return r.status == 403 })()`)

	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.requests {
		if len(r.URL) < len(monitor) || r.URL[:len(monitor)] != monitor && r.URL[:5] != "data:" {
			t.Errorf("the page asks another host: %s", r.URL)
		}
	}
}

// countingServer counts its requests.
type countingServer struct {
	*httptest.Server
	posts atomic.Int32
}

// privateServer starts a server on an address that webhooks may not reach.
func privateServer(t *testing.T) *countingServer {
	t.Helper()
	s := &countingServer{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		s.posts.Add(1)
	}))
	l, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	return s
}

var pictures = flag.String("pictures", "", "write pictures of the pages to this `directory`")

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
