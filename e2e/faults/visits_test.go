package faults

import (
	"bytes"
	"net/http"
	"net/url"
	"regexp"

	"bordero/e2e/e2etest"
)

// visits are those of a member with a browser: pages of the console, and its forms.
type visits struct {
	*client
	session string // the cookie; empty without a session
}

var (
	formProof = regexp.MustCompile(`name="form" value="([^"]+)"`)
	formShown = regexp.MustCompile(`name="from" value="([^"]+)"`)
	formKey   = regexp.MustCompile(`name="key" value="([^"]+)"`)
	madeToken = regexp.MustCompile(`<p class="once" role="status"><code>([^<]+)</code>`)
)

func (v *visits) round() {
	switch n := v.rand.IntN(30); {
	case v.session == "":
		v.logIn()
	case n < 24:
		pages := []string{"", "/entities", v.below(""), v.below("/bank_statements"), v.below("/payable_accounts"),
			v.below("/sales"), "/webhooks", "/tokens", "/changes"}
		v.page(pages[v.rand.IntN(len(pages))])
	case n < 29:
		v.issue()
	default:
		v.logOut()
	}
}

// below returns a path below the entity.
func (v *visits) below(path string) string { return "/entities/" + number(v.entity) + path }

func (v *visits) logIn() {
	a, _ := v.ask(v.form("log in to the console", "/console/login", url.Values{"secret": {v.tenant.Token}}))
	for _, cookie := range (&http.Response{Header: a.Header}).Cookies() {
		v.session = cookie.Name + "=" + cookie.Value
		v.keepSecret(cookie.Value)
	}
	if a.Status != http.StatusSeeOther || v.session == "" {
		v.t.Errorf("log in to the console: %v", e2etest.Refused{Answer: a})
	}
}

func (v *visits) logOut() {
	page, ok := v.page("/tokens")
	if !ok {
		return
	}
	a, again := v.ask(v.form("log out of the console", "/console/logout", url.Values{"form": {first(formProof, page)}}))
	// Without a session, the console leads to the login: an earlier try has ended it.
	if a.Status != http.StatusSeeOther && !again {
		v.t.Errorf("log out of the console: %v", e2etest.Refused{Answer: a})
	}
	v.session = ""
}

// page reads a page of the account.
func (v *visits) page(path string) (text []byte, ok bool) {
	if path != "" {
		path = "/" + number(v.tenant.ID) + path
	}
	a, _ := v.ask(request{what: "read a page of the console", method: http.MethodGet, path: "/console" + path,
		header: v.headers()})
	begins := path == "" && a.Status == http.StatusSeeOther
	if !begins && (a.Status != http.StatusOK || !bytes.Contains(a.Body, []byte("<h1"))) {
		v.t.Errorf("/console%s: %v", path, e2etest.Refused{Answer: a})
		return nil, false
	}
	return a.Body, true
}

// issue makes a token by the form, which is sent until it is answered.
func (v *visits) issue() {
	page, ok := v.page("/tokens")
	if !ok {
		return
	}
	name := v.mark("")
	a, _ := v.ask(v.form("make a token", "/console/"+number(v.tenant.ID)+"/tokens", url.Values{
		"form": {first(formProof, page)}, "key": {first(formKey, page)}, "from": {first(formShown, page)},
		"name": {name}, "days": {"1"},
		"permission": {"financial_transactions"}}))
	if a.Status != http.StatusCreated {
		v.t.Errorf("make a token: %v", e2etest.Refused{Answer: a})
		return
	}
	v.ledger.record("tokens", name, "")
	if token := first(madeToken, a.Body); token != "" {
		v.keepSecret(token)
	} else if !bytes.Contains(a.Body, []byte("O valor já foi mostrado")) { // an earlier try has shown it
		v.t.Errorf("make a token: no token in %s", a.Body)
	}
}

func (v *visits) form(what, path string, fields url.Values) request {
	return request{what: what, method: http.MethodPost, path: path, contentType: "application/x-www-form-urlencoded",
		body: []byte(fields.Encode()), header: v.headers()}
}

func (v *visits) headers() map[string]string {
	return map[string]string{"Accept": "text/html", "Cookie": v.session}
}

// first returns the first group of the first match; empty without one.
func first(pattern *regexp.Regexp, page []byte) string {
	if m := pattern.FindSubmatch(page); m != nil {
		return string(m[1])
	}
	return ""
}
