package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"bordero/e2e/e2etest"
	"bordero/finance"
)

// client is one connection of a tenant's ERP. It does one thing after another, and repeats each
// until it knows the result.
type client struct {
	*harness
	tenant *e2etest.Client
	entity int64
	prefix string // of its markers
	rand   *rand.Rand
	drawn  int
	desk   []func() // rounds of requests that are answered at once
	office []func() // rounds of work that takes time
}

func newClient(w *harness, tenant *e2etest.Client, entity int64, prefix string, r *rand.Rand) *client {
	c := &client{harness: w, tenant: tenant, entity: entity, prefix: prefix, rand: r}
	c.desk = []func(){
		(&books{client: c}).round, (&books{client: c}).round, (&bills{client: c}).round, (&bills{client: c}).round,
		(&shops{client: c}).round, (&shops{client: c}).round, (&cards{client: c}).round, (&hooks{client: c}).round,
	}
	f, m := (&files{client: c}).round, (&imports{client: c, routes: tenant.Entity == entity}).round
	c.office = []func(){f, f, f, f, f, f, m, m, m, c.branch}
	return c
}

// work is what the n-th client of a tenant does: two at the desk, one in the office, and the one of an ERP, which
// sends batches and whose user looks at the console.
func (c *client) work(n int, over chan struct{}) {
	switch n {
	case 2:
		c.run(c.office, over)
	case 3:
		visit := (&visits{client: c}).round
		c.run([]func(){(&customers{client: c}).round, (&plans{client: c}).round, visit, visit, visit}, over)
	default:
		c.run(append(c.desk, (&contacts{client: c}).round), over)
	}
}

// run draws rounds and runs them, one after another, until over.
func (c *client) run(rounds []func(), over chan struct{}) {
	for {
		select {
		case <-over:
			return
		default:
			rounds[c.rand.IntN(len(rounds))]()
			pass(c.rand, 0, 20*time.Millisecond)
		}
	}
}

// mark returns a unique text for a record. below is the marker of the record that it belongs to;
// empty for none.
func (c *client) mark(below string) string {
	c.drawn++
	if below == "" {
		below = c.prefix
	}
	return fmt.Sprintf("%s-%d", below, c.drawn)
}

// money returns an amount from 0.01 to 1,000.00.
func (c *client) money() finance.Amount { return finance.Amount(1 + c.rand.Int64N(100_000)) }

// request is a request with its name in the report.
type request struct {
	what, method, path, contentType string
	body                            []byte
	header                          map[string]string
}

// browser times out early, so that the client tries the other api.
var browser = &http.Client{
	Timeout:       3 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport:     &http.Transport{MaxIdleConnsPerHost: 16},
}

// ask sends a request, under one Idempotency-Key, until it has a final response. After an error,
// a timeout or a temporary refusal it sends the request to the other api. again reports whether
// it was sent more than once. A request without a final response within two minutes fails the
// test and returns the zero Answer.
func (c *client) ask(r request) (a e2etest.Answer, again bool) {
	key := c.mark("")
	first := c.rand.IntN(len(c.apis))
	begun := time.Now()
	for n := 0; time.Since(begun) < 2*time.Minute; n++ {
		a, err := c.send(r, c.apis[(first+n)%len(c.apis)], key)
		if err != nil {
			c.report.broken()
		} else {
			c.report.answered(a.Status)
		}
		if err == nil && a.Status == http.StatusInternalServerError {
			c.t.Errorf("%s: %v", r.what, e2etest.Refused{Answer: a})
		}
		busy := a.Status == http.StatusConflict && a.Header.Get("Retry-After") != ""
		if err == nil && a.Status < 500 && !busy {
			c.report.ended(r, a.Status < 400, n, time.Since(begun))
			return a, n > 0
		}
		pass(c.rand, 50*time.Millisecond, 300*time.Millisecond)
	}
	c.t.Errorf("%s is not answered within %v", r.what, time.Since(begun))
	return e2etest.Answer{}, true
}

func (c *client) send(r request, api, key string) (e2etest.Answer, error) {
	asked, err := http.NewRequestWithContext(c.t.Context(), r.method, "http://"+api+r.path, bytes.NewReader(r.body))
	if err != nil {
		return e2etest.Answer{}, err
	}
	asked.SetBasicAuth(c.tenant.Token, "x")
	asked.Header.Set("Accept", "application/json")
	asked.Header.Set("Content-Type", r.contentType)
	if r.method != http.MethodGet {
		asked.Header.Set("Idempotency-Key", key)
	}
	for name, value := range r.header {
		asked.Header.Set(name, value)
	}
	answer, err := browser.Do(asked)
	if err != nil {
		return e2etest.Answer{}, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return e2etest.Answer{Status: answer.StatusCode, Header: answer.Header, Body: body}, err
}

// get reads a document into v.
func (c *client) get(what, path string, v any) bool {
	a, _ := c.ask(request{what: what, method: http.MethodGet, path: path})
	if a.Status != http.StatusOK {
		c.t.Errorf("%s: GET %s: %v", what, path, e2etest.Refused{Answer: a})
		return false
	}
	if err := json.Unmarshal(a.Body, v); err != nil {
		c.t.Errorf("%s: GET %s: %v", what, path, err)
		return false
	}
	return true
}

// post creates a record, which must be accepted, and returns its id.
func (c *client) post(what, path, root string, fields map[string]any) (id int64, ok bool) {
	r := request{what: what, method: http.MethodPost, path: path}
	r.contentType, r.body = c.document(root, fields)
	return c.posted(r, root)
}

// posted sends a POST that must be accepted, and returns the id of the new record.
func (c *client) posted(r request, root string) (id int64, ok bool) {
	a, _ := c.ask(r)
	var made map[string]struct{ ID int64 }
	if a.Status != http.StatusCreated || json.Unmarshal(a.Body, &made) != nil || made[root].ID == 0 {
		c.t.Errorf("%s: %v", r.what, e2etest.Refused{Answer: a})
		return 0, false
	}
	return made[root].ID, true
}

// document returns the fields as JSON or XML.
func (c *client) document(root string, fields map[string]any) (contentType string, body []byte) {
	if c.rand.IntN(3) > 0 {
		body, _ = json.Marshal(map[string]any{root: fields})
		return "application/json", body
	}
	var b strings.Builder
	kebab := func(name string) string { return strings.ReplaceAll(name, "_", "-") }
	fmt.Fprintf(&b, "<%s>", kebab(root))
	for name, value := range fields {
		fmt.Fprintf(&b, "<%[1]s>%[2]v</%[1]s>", kebab(name), value)
	}
	fmt.Fprintf(&b, "</%s>", kebab(root))
	return "application/xml", []byte(b.String())
}

// put changes the record at path, by its verb if any, until its document contains is. Each
// request names the version that put has seen. Otherwise a late request to an api that was
// stopped could undo a later change.
func (c *client) put(what, path, verb, root string, fields map[string]any, is string) bool {
	for range 100 {
		seen, _ := c.ask(request{what: "read before: " + what, method: http.MethodGet, path: path})
		if seen.Status != http.StatusOK {
			c.t.Errorf("%s: GET %s: %v", what, path, e2etest.Refused{Answer: seen})
			return false
		}
		if bytes.Contains(seen.Body, []byte(is)) {
			return true
		}
		r := request{what: what, method: http.MethodPut, path: path + verb, header: map[string]string{
			"If-Match": seen.Header.Get("ETag")}}
		r.contentType, r.body = c.document(root, fields)
		a, again := c.ask(r)
		switch {
		case a.Status < 300 && a.Status > 0:
			return true
		case a.Status == http.StatusPreconditionFailed, again: // another client, or an earlier try, was first
		default:
			c.t.Errorf("%s: %v", what, e2etest.Refused{Answer: a})
			return false
		}
	}
	c.t.Errorf("%s: %s changes all the time", what, path)
	return false
}

// remove deletes a record. A 404 for a repeated request means that an earlier try has deleted
// it.
func (c *client) remove(what, path string) bool {
	a, again := c.ask(request{what: what, method: http.MethodDelete, path: path})
	if ok := a.Status > 0 && a.Status < 300 || again && a.Status == http.StatusNotFound; ok {
		return true
	}
	c.t.Errorf("%s: DELETE %s: %v", what, path, e2etest.Refused{Answer: a})
	return false
}

// mustRefuse posts a document that no api may accept.
func (c *client) mustRefuse(what, path, root string, fields map[string]any) {
	r := request{what: what, method: http.MethodPost, path: path}
	r.contentType, r.body = c.document(root, fields)
	if a, _ := c.ask(r); a.Status != http.StatusUnprocessableEntity {
		c.t.Errorf("%s: %v", what, e2etest.Refused{Answer: a})
	}
}

// cents formats an amount as PostgreSQL does.
func cents(a finance.Amount) string {
	sign := ""
	if a < 0 {
		sign = "-"
	}
	return fmt.Sprintf("%s%d.%02d", sign, a.Abs()/100, a.Abs()%100)
}

// record is what a client remembers of a record.
type record struct {
	id     int64
	marker string
	amount finance.Amount
}

// drawRecord draws an index.
func (c *client) drawRecord(all []record) int { return c.rand.IntN(len(all)) }
