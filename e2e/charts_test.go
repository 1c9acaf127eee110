package e2e

import (
	"net/url"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/internal/tier"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// TestCharts draws the charts of /docs/graficos in a browser: on a desktop and on a phone, in light and dark colours,
// and reads the tables without scripts. The page asks for nothing of another host, and breaks no policy.
func TestCharts(t *testing.T) {
	tier.NeedsLong(t, "a browser draws the charts; api tests hold their tables to the demo")
	t.Parallel()
	p := newPage(t)
	s := e2etest.New(t)
	s.Serve()
	for width, height := range map[int64]int64{1300: 900, 390: 844} {
		p.do("open the page", chromedp.EmulateViewport(width, height), chromedp.Navigate(s.URL+"/docs/graficos"),
			chromedp.WaitVisible(chromedp.CSS("text.marked")))
		p.await("charts with a name, above their folded tables", `[...document.querySelectorAll("[data-chart]")].filter(
			e => e.querySelector("svg[role=img][aria-label]").getBoundingClientRect().width > 250 &&
				e.nextElementSibling.matches("details:not([open]):has(table)")).length === 3`)
		p.await("bars of both bases", `document.querySelectorAll(".ct-chart-bar .ct-bar").length === 2 * 12 + 2 * 5`)
		p.narrow("/docs/graficos")
	}
	strokes := map[string]string{}
	for _, scheme := range []string{"light", "dark"} {
		p.do(scheme+" colours", colours(scheme))
		stroke, err := chromedp.Run(p.ctx,
			chromedp.Evaluate[string](`getComputedStyle(document.querySelector(".ct-line")).stroke`))
		if err != nil {
			t.Fatal(err)
		}
		strokes[stroke] = scheme
	}
	if len(strokes) != 2 {
		t.Errorf("the line has the colours %v", strokes)
	}
	p.do("unfold the numbers by key", chromedp.Focus(chromedp.CSS("[data-chart] + details summary")),
		chromedp.KeyEvent("\r"), chromedp.WaitVisible(chromedp.CSS("[data-chart] + details table")))
	p.do("search, and come back", chromedp.SendKeys(chromedp.CSS("[type=search]"), "a"),
		chromedp.WaitVisible(chromedp.CSS(".found")), chromedp.SendKeys(chromedp.CSS("[type=search]"), "\b"),
		chromedp.WaitVisible(chromedp.CSS("[data-chart] + details[open] table")))
	p.complained()

	if _, err := chromedp.Call(p.ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	p.do("read the tables without scripts", chromedp.Reload(),
		chromedp.WaitVisible(chromedp.CSS("[data-chart]:empty + table")))
	p.narrow("/docs/graficos without scripts")
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.requests {
		if u, err := url.Parse(r.URL); err != nil || "http://"+u.Host != s.URL {
			t.Errorf("the page asks another host: %s", r.URL)
		}
	}
}
