package e2e

import (
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

var (
	pictures = flag.String("pictures", "", "write the pictures of the documents to this `directory`")
	pictured = flag.String("pictured", "/monitoring/overview", "the page of the monitor that is shown")
)

// TestPictures makes the README's picture of the monitor, of a service at work:
//
//	go test ./e2e -run TestPictures -pictures ../docs/images
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("for the documents")
	}
	u := e2etest.StartUp(t, e2etest.DataDir(t), "BORDERO_WEBHOOK_ALLOW_CIDRS=127.0.0.0/8").Ready()
	atWork(t, u)
	p := newPage(t)
	p.do("log in", chromedp.Navigate(u.Demo.MonitorURL+"/login"), chromedp.WaitVisible(chromedp.CSS(`[name=password]`)),
		chromedp.SendKeys(chromedp.CSS(`[name=user]`), u.Demo.MonitorUser), chromedp.SendKeys(chromedp.CSS(`[name=password]`), u.Demo.MonitorPassword),
		chromedp.Click(chromedp.CSS(`button`)), chromedp.WaitNotPresent(chromedp.CSS(`[name=password]`)))
	root := u.Demo.MonitorURL[:len(u.Demo.MonitorURL)-len("/monitoring")]
	p.do("open the page", chromedp.Navigate(root+*pictured))
	p.await("the queues are there", `document.body.innerText.includes(%q)`, "statements")
	picture, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*pictures, "monitor.png"), picture, 0o644); err != nil {
		t.Fatal(err)
	}
	fmt.Println(len(picture), "bytes")
}

// atWork imports statements in waves for as long as the charts need, with a slow webhook and one
// that has failed. It returns during a wave.
func atWork(t *testing.T, u *e2etest.Up) {
	r := e2etest.NewReceiver(t)
	for path, answer := range map[string]http.HandlerFunc{
		"/erp":     func(http.ResponseWriter, *http.Request) { time.Sleep(50 * time.Millisecond) },
		"/archive": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
	} {
		err := u.Post("/integrations/webhooks", map[string]any{"webhook": map[string]any{"entity_id": u.Entity, "url": r.URL + path, "format": "json"}}, &struct{}{})
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
