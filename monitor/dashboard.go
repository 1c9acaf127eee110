package monitor

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/hibiken/asynq"
	"github.com/hibiken/asynqmon"
)

// dashboard is asynqmon with an adapted page.
type dashboard struct {
	*asynqmon.HTTPHandler
	index   []byte   // its page, without external fonts and with our links
	scripts []string // hashes of the page's inline scripts, for the policy
}

var (
	inlineScript = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	// foreign are links to fonts of other hosts, and to a manifest, which browsers request
	// without the session.
	foreign = regexp.MustCompile(`<link[^>]*(href="https://|rel="manifest")[^>]*>`)
)

// ours are the styles of copies, in the empty bar at the top of the page, and those that fit the page on a phone. They
// come before the scripts, which measure the page. They hide the link for feedback to the authors of asynqmon.
const ours = `<style>
a[href*="hibiken/asynqmon/issues"] { display: none !important }
#ours { position: fixed; top: 0; right: 0; z-index: 2000; height: 64px; max-width: calc(100vw - 18rem); padding: 0 ` +
	`1rem; display: flex; align-items: center; gap: .5rem;
  font: .85rem/1.3 system-ui, sans-serif; color: #5a6270 }
#ours p { margin: 0 .5rem 0 0 }
#ours a, #ours button { flex: none; padding: .45rem .9rem; border: 0; border-radius: .4rem; background: #1f5fbf; ` +
	`color: #fff; font: inherit; font-weight: 600; text-decoration: none; white-space: nowrap; cursor: pointer }
#ours button { background: #e3e6eb; color: #1c1e21 }
@media (max-width: 60rem) { /* below the page, which ends above */
  #ours { top: auto; bottom: 0; left: 0; height: auto; max-width: none; padding: .4rem .75rem; ` +
	`background: #fff; border-top: 1px solid #8a93a1 }
  #ours p { flex: 1; font-size: .75rem }
  #ours span { display: none }
  main > div { padding-bottom: 5rem !important }
}
@media (max-width: 40rem) { /* a phone: the menu has its symbols alone, charts are below each other, rows wrap */
  .MuiDrawer-paper { width: 3.5rem !important; overflow-x: hidden }
  .MuiContainer-root { padding-left: .75rem !important; padding-right: .75rem !important }
  .MuiGrid-item { flex-basis: 100% !important; max-width: 100% !important }
  .MuiGrid-item > div:has(> div > .MuiTypography-subtitle2), .MuiPaper-root > div:has(> div > .MuiChip-root) { ` +
	`flex-wrap: wrap }
}
@media (prefers-color-scheme: dark) {
  #ours { color: #a3abb8 }
  #ours button { background: #2e333c; color: #e8eaed }
}
@media (prefers-color-scheme: dark) and (max-width: 60rem) { #ours { background: #1e2127 } }
</style>`

// lengths keeps the charts of asynqmon from setting lengths that no browser takes: while a chart measures the page,
// these are negative or no numbers, and each is an error in the browser's console.
const lengths = `<script>{
const set = Element.prototype.setAttribute
SVGElement.prototype.setAttribute = function (name, value) {
  const size = name === "width" || name === "height"
  set.call(this, name, (size ? /^(NaN|-)/ : /^NaN$/).test(value) ? "0" : value)
}
}</script>`

// copies links to our pages, and explains the tasks in Redis.
const copies = `<div id="ours"><p>These are the copies in Redis<span>. Delete, archive and cancel change nothing in ` +
	`PostgreSQL, which has the jobs and offers them again</span>:
retry and dismiss failed ones on the overview.</p>` +
	`<a href="` + overview + `">Overview</a><form method="post" action="` + logout +
	`"><button>Log out</button></form></div>`

func newDashboard(opt asynq.RedisConnOpt, readOnly bool) *dashboard {
	d := &dashboard{HTTPHandler: asynqmon.New(asynqmon.Options{
		RootPath: root, RedisConnOpt: opt, ReadOnly: readOnly,
		PayloadFormatter: asynqmon.PayloadFormatterFunc(func(_ string, payload []byte) string { return ids(payload) }),
		ResultFormatter:  asynqmon.ResultFormatterFunc(func(string, []byte) string { return "" }),
	})}
	page := recorder{header: http.Header{}}
	d.ServeHTTP(&page, &http.Request{Method: http.MethodGet, URL: &url.URL{Path: root}})
	index := foreign.ReplaceAll(page.Bytes(), nil)
	index = bytes.Replace(index, []byte("</head>"), []byte(ours+lengths+"</head>"), 1)
	d.index = bytes.Replace(index, []byte("</body>"), []byte(copies+"</body>"), 1)
	for _, script := range inlineScript.FindAllSubmatch(index, -1) {
		sum := sha256.Sum256(script[1])
		d.scripts = append(d.scripts, fmt.Sprintf("'sha256-%s'", base64.StdEncoding.EncodeToString(sum[:])))
	}
	return d
}

// policy returns the content security policy of both pages, which allows their inline
// scripts by hash.
func (d *dashboard) policy(other *dashboard) string {
	scripts := slices.Compact(slices.Sorted(slices.Values(slices.Concat(d.scripts, other.scripts))))
	return "default-src 'none'; script-src 'self' " + strings.Join(scripts, " ") +
		"; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
		"font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; " +
		"frame-ancestors 'none'"
}

// ids returns the part of a payload that is shown: the numbers that are ids, at any depth. The
// payloads of our jobs contain only ids. The payload of a question (the key of a file) or of
// another program must not be shown.
func ids(payload []byte) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(payload, &fields) != nil {
		return "hidden"
	}
	found := map[string]int64{}
	gather(fields, found)
	if len(found) == 0 {
		return "hidden"
	}
	var shown []string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		shown = append(shown, fmt.Sprintf("%s %d", name, found[name]))
	}
	return strings.Join(shown, ", ")
}

func gather(fields map[string]json.RawMessage, found map[string]int64) {
	for name, value := range fields {
		var id int64
		var inner map[string]json.RawMessage
		switch {
		case (name == "id" || strings.HasSuffix(name, "_id")) && json.Unmarshal(value, &id) == nil:
			found[name] = id
		case json.Unmarshal(value, &inner) == nil:
			gather(inner, found)
		}
	}
}

// recorder is an answer that is recorded instead of sent.
type recorder struct {
	bytes.Buffer
	header http.Header
}

func (r *recorder) Header() http.Header { return r.header }
func (r *recorder) WriteHeader(int)     {}
