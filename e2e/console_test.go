package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance/statement/statementtest"
	"bordero/internal/tier"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// axe returns the script that looks for barriers in a page (https://github.com/dequelabs/axe-core), from npm.
func axe(t *testing.T) string {
	t.Helper()
	dir := filepath.Join("..", "tools", "axe")
	file := filepath.Join(dir, "node_modules", "axe-core", "axe.min.js")
	if _, err := os.Stat(file); err != nil {
		npm := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund")
		npm.Dir = dir
		if out, err := npm.CombinedOutput(); err != nil {
			t.Fatalf("npm ci in %s: %v\n%s", dir, err, out)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// barriers fails for each serious finding of axe in the page.
func (p *page) barriers(axe, path string) {
	p.t.Helper()
	found, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](axe+`;
		var folded = [...document.querySelectorAll("details:not([open])")]; // hidden parts, too
		folded.forEach(d => d.open = true);
		axe.run().finally(() => folded.forEach(d => d.open = false)).then(r =>
			r.violations.filter(v => ["serious", "critical"].includes(v.impact)).map(v =>
				v.id + ": " + v.nodes.map(n => n.target.join(" ") + " " + (n.any[0]?.message ?? "")).join("; ")))`,
		chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("axe on %s: %v", path, err)
	}
	for _, one := range found {
		p.t.Errorf("%s has the barrier %s", path, one)
	}
}

// consoleOf starts the console over a made-up company, and logs in by a link. It returns the pages of fillConsole too.
func consoleOf(t *testing.T) (*page, *e2etest.Site, map[string]string) {
	p := newPage(t)
	s := e2etest.New(t)
	s.Serve()
	s.Worker()
	s.Run("demo", "--sales", "200", "--transactions", "300")
	said := s.Run("account", "link", "--account", fmt.Sprint(s.ID), "--email", "ana@example.com")
	link, _, _ := strings.Cut(said, "\n")
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	p.do("log in by the link", chromedp.Navigate(s.URL+u.Path+"#"+u.Fragment),
		chromedp.Click(chromedp.CSS("main form button")),
		chromedp.WaitVisible(chromedp.CSS("header form button")))
	return p, s, fillConsole(t, s)
}

// fillConsole adds to the books of the demo an imported file, a file with suspects, a preview, and two webhooks with
// deliveries. It returns the pages of these records, below the account, by name.
func fillConsole(t *testing.T, s *e2etest.Site) map[string]string {
	t.Helper()
	books := *s.Client
	books.Entity = 2 // of the demo
	deposit := books.NewDepositAccount(t, "")
	books.Import(t, deposit, statementtest.OFX(8))
	suspects := books.Import(t, deposit, otherTexts(statementtest.OFX(8)))
	preview, err := books.Preview(deposit, statementtest.OFX(8, statementtest.From(8)))
	if err != nil {
		t.Fatal(err)
	}
	books.AwaitEnd(t, preview)
	delivery := fillWebhooks(t, s)
	files := fmt.Sprintf("/entities/2/deposit_accounts/%d/bank_statements", deposit)
	return map[string]string{"webhook": path.Dir(path.Dir(delivery)), "delivery": delivery, "files": files,
		"suspects": fmt.Sprint(files, "/", suspects.ID), "preview": fmt.Sprint(files, "/", preview.ID)}
}

// fillWebhooks makes a webhook with deliveries and one in error, and returns the page of a delivery that failed.
func fillWebhooks(t *testing.T, s *e2etest.Site) string {
	t.Helper()
	return e2etest.Value[string](t, s.DB, `
		WITH hooks AS (
			INSERT INTO webhooks (account_id, entity_id, url, format, description, secret, events, status,
				healthy_check_code, error_since)
			VALUES ($1, 2, 'https://erp.example.com/bordero?loja=12', 'json', 'ERP', '0123456789abcdef01234567',
					'{sales.*}', 'active', 200, NULL),
				($1, 2, 'https://loja.example.com/avisos', 'xml', NULL, '0123456789abcdef01234568', '{sales.*}',
					'error', 500, now())
			RETURNING account_id, id, status),
		sent AS (
			INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id, status,
				attempts_count, delivered_at, body)
			SELECT account_id, id, 'sales', 'created', n, 2, CASE n WHEN 1 THEN 'failed' ELSE 'delivered' END,
				CASE n WHEN 1 THEN 2 ELSE 1 END, CASE n WHEN 1 THEN NULL ELSE now() END,
				convert_to('{"event":"sales.created","sale":{"description":"' || repeat('x', 200) || '"}}', 'UTF8')
			FROM hooks, generate_series(1, 3) n WHERE status = 'active'
			RETURNING account_id, id, webhook_id, status),
		attempts AS (
			INSERT INTO delivery_attempts (account_id, delivery_id, number, request_id, finished_at, response_code,
				error, response_excerpt)
			SELECT account_id, id, n, 'r' || n, now(), CASE n WHEN 1 THEN 500 END, CASE n WHEN 2 THEN 'timeout' END,
				CASE n WHEN 1 THEN '<h1>' || repeat('Erro ', 40) || repeat('x', 100) END
			FROM sent, generate_series(1, 2) n WHERE status = 'failed')
		SELECT '/webhooks/' || webhook_id || '/deliveries/' || id FROM sent WHERE status = 'failed'`, s.ID)
}

// otherTexts returns a file with other texts and ids of the movements, as another bank would write them: with the days
// and amounts of known ones, they are suspects.
func otherTexts(file []byte) []byte {
	return regexp.MustCompile(`<(FITID|MEMO|NAME)>`).ReplaceAll(file, []byte("<$1>9OUTRO "))
}

// consolePages lists the pages, below the account, that TestConsole opens besides the pages of records.
var consolePages = []string{"/entities", "/entities/2", "/entities/2/bank_statements",
	"/entities/2/payable_accounts?search[status]=1", "/webhooks", "/tokens", "/tokens/1", "/members", "/members/1",
	"/changes"}

// recordPages returns the pages of a list and of its first record, below the account, of each kind of records.
func (p *page) recordPages(root string) (pages []string) {
	p.t.Helper()
	for _, list := range []string{"financial_transactions", "payable_accounts", "receivable_accounts", "sales"} {
		path := "/entities/2/" + list
		p.do("open "+path, chromedp.Navigate(root+path), chromedp.WaitVisible(chromedp.CSS(".records a")))
		first, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](
			`document.querySelector(".records a").href.slice(`+fmt.Sprint(len(root))+`)`))
		if err != nil {
			p.t.Fatal(err)
		}
		pages = append(pages, path, first)
	}
	return pages
}

// TestConsole goes through the pages of the console in a browser: on a desktop and on a phone, in light and dark
// colours, by keyboard alone and without scripts. No page is wider than the screen, and axe finds no serious barrier.
func TestConsole(t *testing.T) {
	tier.NeedsLong(t, "a browser goes through /console; api tests read its pages and send its forms")
	rules := axe(t)
	p, s, filled := consoleOf(t)
	root := fmt.Sprintf("%s/console/%d", s.URL, s.ID)
	open := func(path string) []chromedp.Action[chromedp.Void] {
		shown := "main h1"
		if path == "/entities/2" {
			shown = "text.marked" // of the chart
		}
		return []chromedp.Action[chromedp.Void]{chromedp.Navigate(root + path),
			chromedp.WaitVisible(chromedp.CSS(shown))}
	}
	for _, path := range slices.Concat(p.recordPages(root), consolePages, slices.Collect(maps.Values(filled))) {
		p.judge(rules, path, open(path)...)
	}
	p.uploads(s, root)
	p.creates(rules, root)
	p.sentOnce(root)
	p.complained() // before the page that is missing, which the browser reports as an error
	p.judge(rules, "/nothing", open("/nothing")...)
	p.do("log out by keys", chromedp.Focus(chromedp.CSS("header form button")), chromedp.KeyEvent("\r"),
		chromedp.WaitVisible(chromedp.CSS("[name=secret]")))
	p.narrow("the login")
	p.barriers(rules, "the login")
	p.links()
	p.withoutScripts(s, root)
}

// judge looks at a page, which open shows if it is not shown yet, on both screens, in both colours and by keyboard.
func (p *page) judge(rules, name string, open ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	for width, height := range map[int64]int64{1300: 900, 390: 844} {
		for _, scheme := range []string{"light", "dark"} {
			where := fmt.Sprintf("%s, %d pixels, %s", name, width, scheme)
			p.do("open "+where, append([]chromedp.Action[chromedp.Void]{chromedp.EmulateViewport(width, height),
				colours(scheme)}, open...)...)
			p.narrow(where)
			p.barriers(rules, where)
		}
	}
	p.reached(name)
}

// reached presses the key Tab through a page, until the focus has been on all that a mouse can use. What has the focus
// is visible.
func (p *page) reached(path string) {
	p.t.Helper()
	const usable = `[...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, summary")].filter(
		e => e.checkVisibility() && !(e.type === "radio" && !e.checked))`
	left, err := chromedp.Run(p.ctx, chromedp.Evaluate[int](`document.activeElement.blur(); scrollTo(0, 0);
		window.left = new Set(`+usable+`); left.size`))
	if err != nil || left == 0 {
		p.t.Fatalf("%s has %d places for the focus: %v", path, left, err)
	}
	var hidden []string
	dates, err := chromedp.Run(p.ctx, chromedp.Evaluate[int](`document.querySelectorAll("[type=date]").length`))
	if err != nil {
		p.t.Fatal(err)
	}
	for range left + 5 + 3*dates { // a date has a day, a month, a year and a calendar
		p.do("press Tab", chromedp.KeyEvent("\t"))
		lost, err := chromedp.Run(p.ctx, chromedp.Evaluate[string](`{
			const e = document.activeElement, box = e.getBoundingClientRect(), style = getComputedStyle(e);
			left.delete(e);
			e !== document.body && (box.width === 0 || style.outlineStyle === "none") ? e.outerHTML : ""
		}`))
		if err != nil {
			p.t.Fatal(err)
		}
		if lost != "" {
			hidden = append(hidden, lost)
		}
	}
	missed, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](`[...left].map(e => e.outerHTML)`))
	if err != nil || len(missed) > 0 || len(hidden) > 0 {
		p.t.Errorf("%s: keys do not reach %q, and the focus is not seen on %q: %v", path, missed, hidden, err)
	}
}

// uploads sends a statement, sees the preview appear by itself, and confirms it by keys; it then imports a suspect of a
// second one.
func (p *page) uploads(s *e2etest.Site, root string) {
	p.t.Helper()
	file := filepath.Join(p.t.TempDir(), "extrato de agosto.ofx")
	if err := os.WriteFile(file, statementtest.OFX(40), 0o600); err != nil {
		p.t.Fatal(err)
	}
	deposit := s.NewDepositAccount(p.t, "")
	list := fmt.Sprintf("%s/entities/%d/deposit_accounts/%d/bank_statements", root, s.Entity, deposit)
	p.do("upload", chromedp.Navigate(list), chromedp.SetUploadFiles(chromedp.CSS("[name=file]"), []string{file}),
		chromedp.Focus(chromedp.CSS("form[enctype] button")), chromedp.KeyEvent("\r"),
		chromedp.WaitVisible(chromedp.CSS("form[action$='/confirm'] button")))
	p.do("confirm", chromedp.Focus(chromedp.CSS("form[action$='/confirm'] button")), chromedp.KeyEvent("\r"),
		chromedp.WaitVisible(chromedp.CSS("[role=status]")))
	p.await("the import", `document.querySelector("#progress b")?.innerText === "importado"`)
	if n := len(s.Transactions(p.t, deposit)); n != 40 {
		p.t.Errorf("%d transactions were imported", n)
	}

	if err := os.WriteFile(file, otherTexts(statementtest.OFX(40)), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.do("upload other movements of the same days and amounts", chromedp.Navigate(list),
		chromedp.SetUploadFiles(chromedp.CSS("[name=file]"), []string{file}),
		chromedp.Focus(chromedp.CSS("form[enctype] button")), chromedp.KeyEvent("\r"),
		chromedp.WaitVisible(chromedp.CSS("form[action$='/confirm'] button")))
	p.do("confirm them", chromedp.Focus(chromedp.CSS("form[action$='/confirm'] button")), chromedp.KeyEvent("\r"),
		chromedp.WaitVisible(chromedp.CSS("#suspects table")))
	p.do("import a suspect", chromedp.Evaluate[chromedp.Void](`document.querySelector("[role=status]").remove()`),
		chromedp.Focus(chromedp.CSS("#suspects form button")), chromedp.KeyEvent("\r"),
		chromedp.WaitVisible(chromedp.CSS("[role=status]")))
	if n := len(s.Transactions(p.t, deposit)); n != 41 {
		p.t.Errorf("%d transactions are there with a suspect", n)
	}
}

// creates makes a token and a member, and looks at the pages that show their secrets once.
func (p *page) creates(rules, root string) {
	p.t.Helper()
	for _, made := range []struct{ name, list, field, value string }{
		{"the new token", "/tokens", "name", "Loja"}, {"the new member", "/members", "email", "bia@example.com"},
	} {
		p.do("make "+made.name, chromedp.Navigate(root+made.list),
			chromedp.SendKeys(chromedp.CSS("[name="+made.field+"]"), made.value+"\r"),
			chromedp.WaitVisible(chromedp.CSS(".once code")))
		p.judge(rules, made.name)
	}
}

// sentOnce sends the form of a new token twice: the script drops the second submit until the form changes or the
// browser shows the page again.
func (p *page) sentOnce(root string) {
	p.t.Helper()
	p.do("open the tokens", chromedp.Navigate(root+"/tokens"), chromedp.WaitVisible(chromedp.CSS("[name=name]")))
	dropped, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]bool](`{
		const dropped = [], form = document.querySelector("form.fields")
		addEventListener("submit", e => { dropped.push(e.defaultPrevented); e.preventDefault() })
		form.elements.name.value = "ERP"
		form.requestSubmit(); form.requestSubmit()
		dispatchEvent(new Event("pageshow")); form.requestSubmit()
		form.elements.name.dispatchEvent(new Event("input", {bubbles: true})); form.requestSubmit()
		dropped
	}`))
	if want := []bool{false, true, false, false}; err != nil || !slices.Equal(dropped, want) {
		p.t.Errorf("two clicks, one after a return, one after a change: dropped %v, want %v: %v", dropped, want, err)
	}
}

// links opens, on the page of the login, a link with a token, as `bordero up` prints it, and one with a code, as a tab
// does that shows the page already.
func (p *page) links() {
	p.t.Helper()
	var code string
	for _, digits := range []int{48, 32} {
		code = strings.Repeat("0f", digits/2)
		p.do("open a link", chromedp.Evaluate[chromedp.Void](`location.hash = "`+code+`"`))
		p.await("the code", `document.querySelector("[name=secret]").value === %q && location.hash === ""`, code)
	}
	p.do("skip to the content", chromedp.Evaluate[chromedp.Void](`document.querySelector(".skip").click()`))
	p.await("the code stays", `document.querySelector("[name=secret]").value === %q &&
		location.hash === "#content"`, code)
}

// withoutScripts logs in by a code that is typed, reads the month and makes a webhook with scripts off.
func (p *page) withoutScripts(s *e2etest.Site, root string) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		p.t.Fatal(err)
	}
	var link struct{ Code string }
	said := s.Run("account", "link", "--account", fmt.Sprint(s.ID), "--email", "ana@example.com", "--json")
	if err := json.Unmarshal([]byte(said), &link); err != nil {
		p.t.Fatal(err)
	}
	p.do("type a code", chromedp.Navigate(s.URL+"/console/login"),
		chromedp.SendKeys(chromedp.CSS("[name=secret]"), link.Code+"\r"),
		chromedp.WaitVisible(chromedp.CSS("header form button")))
	p.do("read the month", chromedp.Navigate(root+"/entities/2"),
		chromedp.WaitVisible(chromedp.CSS("[data-chart]:empty + table")))
	p.narrow("the month without scripts")
	p.do("make a token", chromedp.Navigate(root+"/tokens"),
		chromedp.SendKeys(chromedp.CSS("[name=name]"), "ERP\r"), chromedp.WaitVisible(chromedp.CSS(".once code")))
}
