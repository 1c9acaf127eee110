package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"bordero/api"
	"bordero/storage"
	"bordero/storage/members"
	"bordero/storage/storagetest"
)

// loginCode makes a code that logs the tenant's user in once.
func (s *service) loginCode(t testing.TB) (code string) {
	t.Helper()
	err := s.store.InTx(t.Context(), func(tx *storage.Tx) (err error) {
		code, err = members.NewLoginCode(t.Context(), tx, s.AccountID, s.UserID, nil)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func TestACodeLogsInOnce(t *testing.T) {
	t.Parallel()
	s := newService(t)
	code := s.loginCode(t)
	b := s.enter(t, code)
	b.open(t, "/console").want(t, http.StatusSeeOther)
	again := (&tab{s, ""}).post(t, "/console/login", "secret", code).want(t, http.StatusUnauthorized)
	if !strings.Contains(again.body, "um código vale uma vez") || strings.Contains(again.body, code) ||
		again.header.Get("Set-Cookie") != "" {
		t.Errorf("a code that was used: %s", again.body)
	}
	// A session is a token, which the API takes too, and a logout revokes it.
	s.call(t, "GET", "/entities", as(b.cookie)).want(t, http.StatusOK)
	form := b.forms(t, b.entityPage(s.EntityID))["/console/logout"]
	out := b.post(t, "/console/logout", "form", form.Get("form")).want(t, http.StatusSeeOther)
	equal(t, out.header.Get("Location"), "/console/login")
	cookie := out.header.Get("Set-Cookie")
	if !strings.HasPrefix(cookie, "bordero_console=; Path=/console; Max-Age=0") {
		t.Errorf("the cookie stays: %s", cookie)
	}
	s.call(t, "GET", "/entities", as(b.cookie)).want(t, http.StatusUnauthorized)
	equal(t, b.open(t, "/console").want(t, http.StatusSeeOther).header.Get("Location"), "/console/login")
	// A form sent after the session has ended changes nothing. The login page says that it was not done.
	for _, late := range []*tab{b, {s, ""}} {
		for path, to := range map[string]string{late.root() + "/webhooks": "/console/login?ended=1",
			"/console/logout": "/console/login"} {
			equal(t, late.post(t, path, "form", form.Get("form")).want(t, 303).header.Get("Location"), to)
		}
	}
	b.tells(t, "/console/login", "not A sessão acabou", "not aria-invalid")
	b.tells(t, "/console/login?ended=1", "A sessão acabou: o que você enviou não foi feito", "not aria-invalid")
}

// While PostgreSQL shuts down, the console answers a logout with 503, and the browser keeps the cookie of its session.
func TestALogoutWithoutADatabaseIsRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.enter(t, s.loginCode(t))
	form := b.forms(t, b.entityPage(s.EntityID))["/console/logout"].Get("form")
	s.exec(t, `CREATE FUNCTION shut() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN RAISE 'the database system is shutting down' USING ERRCODE = 'admin_shutdown'; END $$`)
	s.exec(t, `CREATE TRIGGER shut BEFORE UPDATE ON tokens FOR EACH ROW EXECUTE FUNCTION shut()`)
	out := b.post(t, "/console/logout", "form", form).want(t, http.StatusServiceUnavailable)
	equal(t, out.header.Get("Set-Cookie"), "")
	s.exec(t, `DROP TRIGGER shut ON tokens; DROP FUNCTION shut`)
	b.post(t, "/console/logout", "form", form).want(t, http.StatusSeeOther)
}

func TestTheCookieOfASession(t *testing.T) {
	t.Parallel()
	s := newService(t)
	cookie := func(options ...option) string {
		t.Helper()
		a, err := s.send(t.Context(), "POST", "/console/login", append([]option{as(""),
			body("application/x-www-form-urlencoded", "secret="+s.Token)}, options...)...)
		if err != nil {
			t.Fatal(err)
		}
		return a.want(t, http.StatusSeeOther).header.Get("Set-Cookie")
	}
	for _, attribute := range []string{"; Path=/console;", "; HttpOnly", "; Secure", "; SameSite=Strict",
		"; Max-Age=43"} {
		if c := cookie(); !strings.Contains(c, attribute) || strings.Contains(c, s.Token) {
			t.Errorf("the cookie is %q, without %s", c, attribute)
		}
	}
	s2 := serve(t, s.store, func(c *api.Config) { c.PublicURL = "http://127.0.0.1" })
	s2.Tenant, s = s.Tenant, s2
	if c := cookie(); strings.Contains(c, "Secure") {
		t.Errorf("a browser without https would drop %q", c)
	}
	if c := cookie(with("X-Forwarded-Proto", "https")); !strings.Contains(c, "Secure") {
		t.Errorf("behind a proxy with https the cookie is %q", c)
	}
}

func TestAPathOfTheConsoleMayEndWithASlash(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b := s.enter(t, s.Token)
	for path, status := range map[string]int{"/console": 303, "/console/login": 200, b.root() + "/entities": 200,
		b.entityPage(s.EntityID): 200} {
		page := b.open(t, path+"/").want(t, status)
		equal(t, page.header.Get("Location"), b.open(t, path).header.Get("Location"))
	}
}

func TestSecretsThatAreNone(t *testing.T) {
	t.Parallel()
	s := newService(t)
	out := &tab{s, ""}
	for _, secret := range []string{"0123456789abcdef0123456789abcdef", strings.Repeat("0", 48), "x\x00", "<b>"} {
		a := out.post(t, "/console/login", "secret", secret).want(t, http.StatusUnauthorized)
		out.read(t, "/console/login", a)
		equal(t, a.header.Get("X-Error-Code")+a.header.Get("Link"), "") // none is about a login
		if strings.Contains(a.body, secret) {
			t.Errorf("the page repeats %q", secret)
		}
	}
	out.post(t, "/console/login", "secret", " ").want(t, http.StatusUnprocessableEntity)
	out.post(t, "/console/login", "secret", strings.Repeat(" ", 5000)+s.Token).want(t, http.StatusUnprocessableEntity)
	out.post(t, "/console/login", "secret", " "+s.Token+" ").want(t, http.StatusSeeOther)
	// Nothing but the login is shown without a session, and a cookie that is none leads to the login too.
	for _, b := range []*tab{out, {s, strings.Repeat("0", 48)}} {
		for _, path := range []string{"/console", "/console/1/entities", "/console/1/webhooks", "/console/nothing"} {
			a := b.open(t, path).want(t, http.StatusSeeOther)
			equal(t, a.header.Get("Location"), "/console/login")
		}
		a := b.post(t, "/console/1/webhooks", "url", "https://example.com")
		if a.status != http.StatusSeeOther && a.status != http.StatusForbidden {
			t.Errorf("a form without a session: %d", a.status)
		}
	}
}

// Forms of other sites, and of other sessions, change nothing.
func TestForeignFormsAreRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b, other := s.enter(t, s.Token), s.enter(t, s.Token)
	path := b.root() + "/webhooks"
	good := b.forms(t, path)[path]
	good.Set("url", "https://hooks.example.com/a")
	send := func(form url.Values, options ...option) answer {
		t.Helper()
		a, err := s.send(t.Context(), "POST", path, append([]option{as(""),
			with("Cookie", "bordero_console="+b.cookie),
			body("application/x-www-form-urlencoded", form.Encode())}, options...)...)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for _, from := range []option{with("Sec-Fetch-Site", "cross-site"), with("Sec-Fetch-Site", "same-site"),
		with("Origin", "https://evil.example"), with("Origin", "null")} {
		send(good, from).want(t, http.StatusForbidden)
	}
	for _, proof := range []string{"", "0", other.forms(t, path)[path].Get("form"), b.cookie} {
		form := url.Values{"form": {proof}, "url": good["url"], "entity_id": good["entity_id"], "format": {"json"}}
		send(form).want(t, http.StatusForbidden)
	}
	upload := parts(part{`form-data; name="form"`, "", "0"}, part{`form-data; name="file"; filename="a.ofx"`, "", "x"})
	// An action that needs no field, sent as an upload, is not done.
	for _, path := range []string{b.entityPage(s.EntityID) + "/bank_statements", "/console/logout"} {
		a, err := s.send(t.Context(), "POST", path, as(""), with("Cookie", "bordero_console="+b.cookie), upload)
		if err != nil {
			t.Fatal(err)
		}
		a.want(t, http.StatusForbidden)
	}
	equal(t, query[int](t, s, `SELECT count(*) FROM webhooks`), 0)
	for _, from := range []option{with("Sec-Fetch-Site", "same-origin"), with("Origin", publicURL),
		with("Origin", s.url)} {
		good.Set("key", time.Now().String())
		send(good, from).want(t, http.StatusSeeOther)
	}
	equal(t, query[int](t, s, `SELECT count(*) FROM webhooks`), 3)
}

// An account and an entity of others are as unknown as missing ones.
func TestTheConsoleOfAnotherAccount(t *testing.T) {
	t.Parallel()
	s := newService(t)
	foreign := storagetest.NewTenant(t, s.store)
	b := s.enter(t, s.Token)
	for _, path := range []string{"/console/999", "/console/0/entities", "/console/x/entities", "/console/999/entities",
		b.root() + "/nothing", b.root() + "/entities/999", b.entityPage(foreign.EntityID),
		b.entityPage(foreign.EntityID) + "/payable_accounts",
		b.entityPage(s.EntityID) + "/deposit_accounts/999/bank_statements",
		b.entityPage(s.EntityID) + "/people", b.root() + "/webhooks/999", b.root() + "/webhooks/1%2Fx",
		(&tab{service: &service{Tenant: foreign}}).root() + "/entities"} {
		b.open(t, path).want(t, http.StatusNotFound)
	}
}
