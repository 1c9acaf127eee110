//go:build pictures

package e2e

import (
	"cmp"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"bordero/e2e/e2etest"
	"bordero/finance/statement/statementtest"

	"github.com/chromedp/chromedp"
)

var pictured = flag.String("pictured", "/monitoring/overview", "the page of the monitor that is shown")

// save writes a picture of the page to the directory of -pictures, or to that of the documents.
func (p *page) save(name string, shot chromedp.Action[[]byte]) {
	p.t.Helper()
	picture, err := chromedp.Run(p.ctx, shot)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cmp.Or(*pictures, "../docs/images"), name), picture, 0o644); err != nil {
		p.t.Fatal(err)
	}
	fmt.Println(name, len(picture), "bytes")
}

// TestPicturesOfDocs makes the pictures of the documentation: on a desktop and on a phone, in light
// and in dark colours. It prints when each was first painted; the first time includes the rendering of
// all pages by the server.
//
//	go test -tags pictures ./e2e -run TestPicturesOfDocs
func TestPicturesOfDocs(t *testing.T) {
	s := e2etest.New(t)
	s.Serve()
	p := newPage(t)
	for name, screen := range map[string]chromedp.Action[chromedp.Void]{
		"desktop": chromedp.EmulateViewport(1300, 900), "phone": chromedp.EmulateViewport(390, 844,
			chromedp.EmulateMobile),
	} {
		for _, scheme := range []string{"light", "dark"} {
			p.do(name+" "+scheme, screen, colours(scheme), chromedp.Navigate(s.URL+"/docs"),
				chromedp.WaitVisible(chromedp.CSS("main h1")))
			fmt.Println("painted after", p.painted(), "ms")
			p.save("docs-"+name+"-"+scheme+".png", chromedp.CaptureScreenshot())
		}
	}
}

// TestPicturesOfCharts makes the pictures of the page of charts, as TestPicturesOfDocs does of the first page.
func TestPicturesOfCharts(t *testing.T) {
	s := e2etest.New(t)
	s.Serve()
	p := newPage(t)
	for name, look := range map[string]struct {
		scheme        string
		width, height int64
	}{"light": {"light", 880, 1700}, "dark": {"dark", 880, 1700}, "phone": {"light", 390, 2150}} {
		p.do(name, colours(look.scheme), chromedp.EmulateViewport(look.width, look.height),
			chromedp.Navigate(s.URL+"/docs/graficos"), chromedp.WaitVisible(chromedp.CSS("text.marked")))
		p.save("charts-"+name+".png", chromedp.CaptureScreenshot())
	}
}

// TestPictures makes the README's picture of the monitor, of a service at work:
//
//	go test -tags pictures ./e2e -run TestPictures$
func TestPictures(t *testing.T) {
	u := e2etest.StartUp(t, e2etest.DataDir(t), "BORDERO_WEBHOOK_ALLOW_CIDRS=127.0.0.0/8").Ready()
	atWork(t, u)
	p := newPage(t)
	p.do("log in", chromedp.Navigate(u.Demo.MonitorURL+"/login"), chromedp.WaitVisible(chromedp.CSS(`[name=password]`)),
		chromedp.SendKeys(chromedp.CSS(`[name=user]`), u.Demo.MonitorUser),
		chromedp.SendKeys(chromedp.CSS(`[name=password]`), u.Demo.MonitorPassword),
		chromedp.Click(chromedp.CSS(`button`)), chromedp.WaitNotPresent(chromedp.CSS(`[name=password]`)))
	root := u.Demo.MonitorURL[:len(u.Demo.MonitorURL)-len("/monitoring")]
	p.do("open the page", chromedp.Navigate(root+*pictured))
	p.await("the queues are there", `document.body.innerText.includes(%q)`, "statements")
	p.do("show its upper part", chromedp.EmulateViewport(1300, 1500))
	p.save("monitor.png", chromedp.CaptureScreenshot())
}

// atWork imports statements in waves for as long as the charts need, with a slow webhook and one
// that has failed. It returns during a wave.
func atWork(t *testing.T, u *e2etest.Up) {
	r := e2etest.NewReceiver(t)
	for path, answer := range map[string]http.HandlerFunc{
		"/erp":     func(http.ResponseWriter, *http.Request) { time.Sleep(50 * time.Millisecond) },
		"/archive": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
	} {
		err := u.Post("/integrations/webhooks", map[string]any{
			"webhook": map[string]any{"entity_id": u.Entity, "url": r.URL + path, "format": "json"}}, &struct{}{})
		if err != nil {
			t.Fatal(err)
		}
		r.Answers(path, answer)
	}
	var into []int64
	for range 12 {
		into = append(into, u.NewDepositAccount(t, ""))
	}
	const waves = 7
	for wave := range waves {
		for n := range (wave%3 + 1) * len(into) * 4 {
			u.MustUpload(t, into[n%len(into)], statementtest.OFX(400, statementtest.From(100_000*wave+400*n)))
		}
		if wave < waves-1 {
			time.Sleep(10 * time.Second) // a chart is over time
		}
	}
}

// TestPicturesOfConsole makes the pictures of the console, as TestPicturesOfDocs does of the documentation:
//
//	go test -tags pictures ./e2e -run TestPicturesOfConsole
func TestPicturesOfConsole(t *testing.T) {
	p, s, filled := consoleOf(t)
	root := fmt.Sprintf("%s/console/%d", s.URL, s.ID)
	for name, path := range map[string]string{"month": "/entities/2", "statements": filled["files"],
		"list": "/entities/2/payable_accounts?search[status]=1", "webhooks": "/webhooks", "changes": "/changes",
		"entities": "/entities", "tokens": "/tokens", "members": "/members"} {
		for scheme, screen := range map[string]chromedp.Action[chromedp.Void]{
			"light": chromedp.EmulateViewport(1100, 1500), "dark": chromedp.EmulateViewport(1100, 1500),
			"phone": chromedp.EmulateViewport(390, 1800, chromedp.EmulateMobile),
		} {
			p.do(name+" "+scheme, screen, colours(scheme), chromedp.Navigate(root+path),
				chromedp.WaitVisible(chromedp.CSS("main h1")))
			if name == "month" {
				p.do("wait for the chart", chromedp.WaitVisible(chromedp.CSS("text.marked")))
			}
			p.save("console-"+name+"-"+scheme+".png", chromedp.CaptureScreenshot())
		}
	}
}
