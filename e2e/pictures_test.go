package e2e

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/finance/statement/statementtest"

	"github.com/chromedp/chromedp"
)

var (
	pictures = flag.String("pictures", "", "write the pictures of the documents to this `directory`")
	pictured = flag.String("pictured", "/monitoring", "the page of the monitor that is shown")
)

// The picture of the monitor in the README is made by
//
//	go test ./e2e -run TestPictures -pictures ../docs/images
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("for the documents")
	}
	u := e2etest.StartUp(t, e2etest.DataDir(t)).Ready()
	into := u.NewDepositAccount(t, "")
	for i := range 40 {
		u.MustUpload(t, into, statementtest.OFX(50, statementtest.From(50*i)))
	}
	u.AwaitEnd(t, u.MustUpload(t, into, statementtest.OFX(10)))
	p := newPage(t)
	p.do("log in", chromedp.Navigate(u.Demo.MonitorURL+"/login"), chromedp.WaitVisible(chromedp.CSS(`[name=password]`)),
		chromedp.SendKeys(chromedp.CSS(`[name=user]`), u.Demo.MonitorUser), chromedp.SendKeys(chromedp.CSS(`[name=password]`), u.Demo.MonitorPassword),
		chromedp.Click(chromedp.CSS(`button`)), chromedp.WaitNotPresent(chromedp.CSS(`[name=password]`)))
	root := u.Demo.MonitorURL[:len(u.Demo.MonitorURL)-len("/monitoring")]
	p.do("open the page", chromedp.Navigate(root+*pictured))
	p.await("the queues are there", `document.body.innerText.includes(%q)`, "statements")
	picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*pictures, "monitor.png"), picture, 0o644); err != nil { //nolint:gosec // no secret
		t.Fatal(err)
	}
	fmt.Println(len(picture), "bytes")
}
