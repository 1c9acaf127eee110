package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"bordero/deploy/private"
	"bordero/e2e/e2etest"
	"bordero/internal/testkit"
	"bordero/internal/tier"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
)

// TestDocs reads the documentation in a browser, with and without scripts, passes the token on to the
// page that sends requests, and has axe look for serious barriers. It is not parallel: a reader waits
// less than a second for a page on a machine that is not busy otherwise.
func TestDocs(t *testing.T) {
	tier.NeedsLong(t, "a browser goes through /docs; api tests follow its links")
	rules, p := axe(t), newPage(t)
	s := e2etest.New(t)
	s.Serve()
	p.do("read it once", chromedp.Navigate(s.URL+"/docs"), chromedp.WaitVisible(chromedp.CSS("h1")))
	p.do("open it with a token", chromedp.Navigate(s.URL+"/docs/extrato#token="+s.Token), chromedp.Reload(),
		chromedp.WaitVisible(chromedp.CSS("h1")))
	p.await("the token in the example", `document.querySelector("main pre code").innerText.includes(%q)`,
		"TOKEN="+s.Token+"\n")
	p.await("the address without the token", `location.hash === ""`)
	if ms := p.painted(); ms > 1000 {
		t.Errorf("painted after %v ms", ms)
	}
	p.do("search", chromedp.SendKeys(chromedp.CSS("[type=search]"), "sale"),
		chromedp.WaitVisible(chromedp.CSS(`.found [href="/docs/reference/sales#createSale"]`)))
	p.await("the number of results for a screen reader",
		`/^\d+ resultados$/.test(document.querySelector("[role=status]").textContent)`)
	p.do("follow what was found", chromedp.Click(chromedp.CSS(`.found [href="/docs/reference/sales#createSale"]`)),
		chromedp.WaitVisible(chromedp.CSS("h2#createSale")))
	p.do("go on to send requests, by an address of before tags had pages",
		chromedp.Navigate(s.URL+"/docs/try#/Accounts/listAccounts"), chromedp.WaitVisible(chromedp.CSS(".execute")))
	p.ready("the first operation of /docs/try")
	p.tryOut("operations-Accounts-listAccounts", "application/json", `"name": "Padaria"`)
	p.complained()

	pages, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](`fetch("/docs").then(r => r.text()).then(text => [
		...new DOMParser().parseFromString(text, "text/html").querySelectorAll("nav a")].map(a => a.pathname))`,
		chromedp.EvalAwaitPromise))
	if err != nil || len(pages) < 30 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	for _, path := range pages {
		p.do("read "+path+" on a small desktop", chromedp.EmulateViewport(1280, 800), chromedp.Navigate(s.URL+path),
			chromedp.WaitVisible(chromedp.CSS("h1, .opblock-tag")))
		p.narrow(path)
	}
	kinds := []string{"/docs", "/docs/extrato", "/docs/errors", "/docs/reference", "/docs/reference/sales",
		"/docs/search?q=sale", "/docs/try"}
	for _, path := range kinds {
		p.do("read "+path, chromedp.Navigate(s.URL+path), chromedp.WaitVisible(chromedp.CSS("main h1")))
		p.barriers(rules, path)
	}
	for _, path := range kinds {
		if _, err := chromedp.Call(p.ctx, emulation.SetScriptExecutionDisabled,
			emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
			t.Fatal(err)
		}
		p.do("read "+path+" without scripts on a phone", chromedp.EmulateViewport(390, 800),
			chromedp.Navigate(s.URL+path), chromedp.WaitVisible(chromedp.CSS("main h1")))
		p.narrow(path)
	}
	for scheme, background := range map[string]string{"light": "rgb(244, 245, 247)", "dark": "rgb(20, 22, 26)"} {
		p.do(scheme+" colours", colours(scheme))
		if got, err := chromedp.Run(p.ctx,
			chromedp.Evaluate[string](`getComputedStyle(document.body).backgroundColor`)); err != nil ||
			got != background {
			t.Errorf("in %s colours the page is %s: %v", scheme, got, err)
		}
	}
}

// painted waits for the first paint of the page and returns its time, in milliseconds after the request.
func (p *page) painted() float64 {
	p.t.Helper()
	const paint = `performance.getEntriesByName("first-contentful-paint")[0]`
	p.await("the first paint", paint+` !== undefined`)
	ms, err := chromedp.Run(p.ctx, chromedp.Evaluate[float64](paint+`.startTime`))
	if err != nil {
		p.t.Fatal(err)
	}
	return ms
}

// ready logs how long after its request the page shows what was waited for.
func (p *page) ready(what string) {
	p.t.Helper()
	ms, err := chromedp.Run(p.ctx, chromedp.Evaluate[float64](`performance.now()`))
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Logf("%s is there after %.0f ms", what, ms)
}

// colours emulates a preference of the reader: light or dark.
func colours(scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	})
}

// narrow checks that a page is not wider than the screen.
func (p *page) narrow(path string) {
	p.t.Helper()
	over, err := chromedp.Run(p.ctx, chromedp.Evaluate[float64](`document.documentElement.scrollWidth - innerWidth`))
	if err != nil || over > 0 {
		widest, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string](`[...document.querySelectorAll("main *")].filter(
			e => e.getBoundingClientRect().right > innerWidth && !e.firstElementChild).map(
			e => e.outerHTML).join("\n")`))
		p.t.Errorf("%s is %v pixels too wide: %v\n%s", path, over, err, widest)
	}
}

// complained reports errors of the console.
func (p *page) complained() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, complaint := range p.complaints {
		p.t.Error(complaint)
	}
}

// TestTryIt uses the page that sends requests as a developer does in a browser.
func TestTryIt(t *testing.T) {
	tier.NeedsLong(t, "a browser goes through /docs/try; api tests hold the document to the answers")
	t.Parallel()
	p := newPage(t)
	s := e2etest.New(t)
	s.Serve()
	for _, tag := range []string{"Webhooks", "Financial transactions", "Sales", "Entities", "Accounts"} {
		p.do("choose "+tag, chromedp.Navigate(s.URL+"/docs/try"),
			chromedp.Click(chromedp.CSS(fmt.Sprintf("main a[href='/docs/try/%s']",
				strings.ReplaceAll(strings.ToLower(tag), " ", "_")))), chromedp.WaitVisible(chromedp.CSS(".opblock")))
		p.ready("the page of " + tag)
		p.has(s.Client, tag)
	}
	const accounts, entities = "operations-Accounts-listAccounts", "operations-Entities-listEntities"
	p.authorize("#auth-bearer-value", s.Token)
	p.tryOut(accounts, "application/json", `"name": "Padaria"`)
	p.tryOut(accounts, "application/xml", `<name>Padaria</name>`)
	p.logout("#auth-bearer-value")
	p.do("go on to entities", chromedp.Navigate(s.URL+"/docs/try/entities"),
		chromedp.WaitVisible(chromedp.CSS("#"+entities)))
	p.authorize("#auth-basic-username", s.Token)
	p.fillIn(entities, "ACCOUNT_ID", fmt.Sprint(s.ID))
	p.tryOut(entities, "application/xml", `<account-id type="integer">1</account-id>`)
	p.tryOut(entities, "application/json", `"account_id": 1`)
	p.do("open it again", chromedp.Reload(), chromedp.WaitVisible(chromedp.CSS("#"+entities)))
	p.tryOut(entities, "application/json", `"account_id": 1`) // the token is kept, the parameter is not

	p.complained()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.requests) < 10 {
		t.Errorf("the page asks for %d things only", len(p.requests))
	}
	var chosen []any // accounts, by the lists of entities
	for _, r := range p.requests {
		u, err := url.Parse(r.URL)
		if err != nil || u.Scheme != "data" && "http://"+u.Host != s.URL {
			t.Errorf("the page asks another host: %s", r.URL)
		}
		if u.Path == "/entities" {
			chosen = append(chosen, r.Headers["ACCOUNT_ID"])
		}
	}
	if want := []any{fmt.Sprint(s.ID), fmt.Sprint(s.ID), nil}; !slices.Equal(chosen, want) {
		t.Errorf("the entities are asked for with ACCOUNT_ID %v, want %v", chosen, want)
	}
}

// page is a tab of a headless Chromium, and what it has done so far.
type page struct {
	t   *testing.T
	ctx context.Context

	mu         sync.Mutex
	requests   []*network.Request
	complaints []string // errors of the console
}

// newPage starts a browser of its own, and installs it where that is possible.
func newPage(t *testing.T) *page {
	t.Helper()
	err := private.Install(t.Context(), func(s string) { fmt.Fprintln(os.Stderr, s) }, "chromium")
	if err != nil {
		t.Fatal(err) // it states what to install
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.WindowSize(1300, 1000))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	p := &page{t: t}
	p.ctx, cancel = chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	if err := chromedp.Listen(p.ctx, p.hear); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *page) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request)
	case *runtime.EventExceptionThrown:
		p.complaints = append(p.complaints, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError {
			p.complaints = append(p.complaints, fmt.Sprint("console: ", e.Args))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			p.complaints = append(p.complaints, e.Entry.Text+" "+e.Entry.URL)
		}
	}
}

// do runs all steps, or fails the test.
func (p *page) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, testkit.Patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
}

// await waits until a script returns true.
func (p *page) await(what, script string, args ...any) {
	p.t.Helper()
	p.do(what, chromedp.Poll[chromedp.Void](fmt.Sprintf(script, args...), chromedp.WithPollingTimeout(0)))
}

// has compares the page with the document: all operations of a tag.
func (p *page) has(c *e2etest.Client, tag string) {
	p.t.Helper()
	type operation struct {
		ID   string `json:"operationId"`
		Tags []string
	}
	var document struct {
		Paths    map[string]map[string]json.RawMessage
		Webhooks map[string]map[string]operation
	}
	c.Get(p.t, "/openapi.json", &document)
	var want []string
	for _, path := range document.Paths {
		for verb, content := range path {
			var o operation
			if verb == "parameters" {
				continue
			}
			if err := json.Unmarshal(content, &o); err != nil {
				p.t.Fatal(err)
			}
			if o.Tags[0] == tag {
				want = append(want, "operations-"+strings.ReplaceAll(tag, " ", "_")+"-"+o.ID)
			}
		}
	}
	for _, webhook := range document.Webhooks { // in a separate part of the page
		for _, o := range webhook {
			if o.Tags[0] == tag {
				want = append(want, "operations-webhooks-"+o.ID)
			}
		}
	}
	got, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](
		`[...document.querySelectorAll(".opblock")].map(e => e.id)`))
	if err != nil {
		p.t.Fatal(err)
	}
	slices.Sort(want)
	slices.Sort(got)
	if d := cmp.Diff(want, got); d != "" {
		p.t.Errorf("%s: -document +page:\n%s", tag, d)
	}
}

// authorize fills in a field of the dialog.
func (p *page) authorize(field, value string) {
	p.t.Helper()
	form := chromedp.CSS("form:has(" + field + ") ")
	p.do("authorize with "+field,
		chromedp.Click(chromedp.CSS(".auth-wrapper > .authorize")), chromedp.SendKeys(chromedp.CSS(field), value),
		chromedp.Click(form+"button.authorize"), chromedp.WaitNotPresent(chromedp.CSS(field)),
		chromedp.Click(chromedp.CSS(".btn-done")), chromedp.WaitNotPresent(chromedp.CSS(".dialog-ux")))
}

// logout clears the form of a field.
func (p *page) logout(field string) {
	p.t.Helper()
	form := chromedp.CSS(fmt.Sprintf(".auth-container:has([for=%q]) form ", strings.TrimPrefix(field, "#")))
	p.do("log out of "+field,
		chromedp.Click(chromedp.CSS(".auth-wrapper > .authorize")),
		chromedp.Click(form+"button[aria-label='Remove authorization']"),
		chromedp.WaitVisible(chromedp.CSS(field)),
		chromedp.Click(chromedp.CSS(".btn-done")), chromedp.WaitNotPresent(chromedp.CSS(".dialog-ux")))
}

// unfold shows the parameters of an operation.
func (p *page) unfold(operation string) {
	p.t.Helper()
	p.do("unfold "+operation, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(
		`document.querySelector("#%[1]s:not(.is-open) .opblock-summary-control")?.click()`, operation)),
		chromedp.WaitVisible(chromedp.CSS("#"+operation+" .execute")))
}

// fillIn fills in a parameter of an operation. Without the end of the focus, the page would take
// the value a moment later.
func (p *page) fillIn(operation, parameter, value string) {
	p.t.Helper()
	p.unfold(operation)
	p.do("fill in "+parameter, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
		const input = document.querySelector('#%s [data-param-name=%q] input');
		Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(input, %q);
		input.dispatchEvent(new Event("input", {bubbles: true}));
		input.dispatchEvent(new FocusEvent("focusout", {bubbles: true}));
	}`, operation, parameter, value)))
}

// tryOut executes an operation and waits for a text in the response on the page.
func (p *page) tryOut(operation, mediaType, want string) {
	p.t.Helper()
	block := "#" + operation
	p.unfold(operation)
	// Not by keys and mouse: late drawing would move the elements away.
	p.do("choose "+mediaType, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
		const type = document.querySelector("%s .response-control-media-type--accept-controller select");
		type.value = %q;
		type.dispatchEvent(new Event("change", {bubbles: true}));
	}`, block, mediaType)))
	p.await("the choice of "+mediaType, `document.querySelector("%s .response-control-media-type--accept-controller `+
		`select").value == %q`, block, mediaType)
	p.do("execute "+operation,
		chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector("%s .execute").click()`, block)))
	p.await(want, `document.querySelector("%s .live-responses-table")?.innerText.includes(%q)`, block, want)
}
