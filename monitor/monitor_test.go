package monitor

import (
	"cmp"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bordero/docs/operations"
	"bordero/storage/storagetest"

	"github.com/hibiken/asynq"
	"golang.org/x/crypto/bcrypt"
)

func TestMain(m *testing.M) { storagetest.Main(m) }

const password = "correct horse"

func hash(t *testing.T) string {
	t.Helper()
	h, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	return string(h)
}

// site is a monitor that is served, and a browser in front of it.
type site struct {
	url     string
	browser *http.Client
}

// open is openWith for pages that read neither PostgreSQL nor the client of jobs.
func open(t *testing.T, redisURL string) site {
	t.Helper()
	return openWith(t, Config{RedisURL: redisURL})
}

// openWith opens the monitor of a configuration, whose second user is guest.
func openWith(t *testing.T, c Config) site {
	t.Helper()
	c.Runbook = cmp.Or(c.Runbook, "# Runbook\n\n## BorderoJobsWait\n\nLook at `a < b`.")
	c.Zone, c.Log = time.FixedZone("Test/Zone", -3*3600), cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	c.Trusted = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	c.Users = []User{{Name: "admin", Hash: hash(t)}, {Name: "guest", Hash: hash(t), ReadOnly: true}}
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(m)
	t.Cleanup(func() {
		server.Close()
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := server.Client()
	browser.Jar = jar
	browser.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return site{server.URL, browser}
}

// lines is a log that several requests write.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// answer is what the tests check of an answer.
type answer struct {
	status int
	header http.Header
	body   string
}

func (s site) do(t *testing.T, method, path string, form url.Values, headers ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	got, err := s.browser.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{got.StatusCode, got.Header, string(body)}
}

func (s site) logIn(t *testing.T, user, password string, headers ...string) answer {
	t.Helper()
	return s.do(t, "POST", login, url.Values{"user": {user}, "password": {password}}, headers...)
}

func redirects(t *testing.T, a answer, to string) {
	t.Helper()
	if a.status != http.StatusSeeOther || a.header.Get("Location") != to {
		t.Errorf("%d to %q, not to %s", a.status, a.header.Get("Location"), to)
	}
}

// nowhere is a Redis that does not answer, for tests that need none.
const nowhere = "redis://127.0.0.1:1/0"

func TestWithoutASession(t *testing.T) {
	t.Parallel()
	s := open(t, nowhere)
	redirects(t, s.do(t, "GET", "/", nil), overview)
	for _, path := range []string{root, root + "/", root + "/queues/statements", overview, audit} {
		redirects(t, s.do(t, "GET", path, nil), login)
	}
	for path, method := range map[string]string{
		"/api/queues": "GET", "/api/queues/statements": "DELETE", "/api/queues/statements:pause": "POST",
		"/static/js/main.js": "GET", "/anything": "POST", "/overview/retry": "POST", "/overview/dismiss": "POST",
		"/overview/verify": "POST", "/overview/redeliver": "POST",
	} {
		if a := s.do(t, method, root+path, nil); a.status != http.StatusUnauthorized {
			t.Errorf("%s %s: %d", method, path, a.status)
		}
	}
	a := s.do(t, "GET", root+"/api/queues", nil, "Cookie", cookieName+"=guess")
	if a.status != http.StatusUnauthorized {
		t.Errorf("with a made-up session: %d", a.status)
	}
	if a := s.do(t, "GET", "/elsewhere", nil); a.status != http.StatusNotFound {
		t.Errorf("elsewhere: %d", a.status)
	}
}

// An alert leads to its section by the address, before anybody has logged in.
func TestRunbook(t *testing.T) {
	t.Parallel()
	a := open(t, nowhere).do(t, "GET", runbook, nil)
	if a.status != http.StatusOK || !strings.Contains(a.body, `<h2 id="borderojobswait">`) ||
		!strings.Contains(a.body, "<code>a &lt; b</code>") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// The monitor serves none of the other documents.
func TestTheRunbookLinksOnlyToItself(t *testing.T) {
	t.Parallel()
	page := openWith(t, Config{RedisURL: nowhere, Runbook: operations.Runbook}).do(t, "GET", runbook, nil).body
	links := regexp.MustCompile(` href="([^"]*)"`).FindAllStringSubmatch(page, -1)
	for _, link := range links {
		if id, own := strings.CutPrefix(link[1], "#"); !own || !strings.Contains(page, ` id="`+id+`"`) {
			t.Errorf("a link to %s", link[1])
		}
	}
	if !strings.Contains(page, "upgrades (<code>docs/operations/upgrades.md</code>)") || len(links) == 0 {
		t.Errorf("%d links, or a document is not named", len(links))
	}
}

func TestLogin(t *testing.T) {
	t.Parallel()
	s := open(t, nowhere)
	page := s.do(t, "GET", login, nil)
	if page.status != 200 || !strings.Contains(page.body, `action="/monitoring/login"`) ||
		strings.Contains(page.body, "://") {
		t.Errorf("%d %s", page.status, page.body)
	}
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
		"Cache-Control":              "no-store",
		"Cross-Origin-Opener-Policy": "same-origin", "Strict-Transport-Security": "",
	} {
		if got := page.header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if s.do(t, "GET", login, nil, "X-Forwarded-Proto", "https").header.Get("Strict-Transport-Security") == "" {
		t.Error("over https browsers are not told to stay there")
	}
	for user, pass := range map[string]string{"admin": "wrong", `"><b>`: password, "": ""} {
		a := s.logIn(t, user, pass)
		if field := `name="user" autocomplete="username" autocapitalize="none" required value="` +
			html.EscapeString(user) + `"`; !strings.Contains(a.body, field) {
			t.Errorf("%s has to be entered again: %s", user, a.body)
		}
		if a.status != http.StatusUnauthorized || !strings.Contains(a.body, "User or password is wrong.") ||
			a.header.Get("Set-Cookie") != "" {
			t.Errorf("%s: %d %v", user, a.status, a.header)
		}
	}
	a := s.logIn(t, "admin", password)
	redirects(t, a, overview)
	cookie := a.header.Get("Set-Cookie")
	for _, want := range []string{"Path=/monitoring", "Max-Age=43200", "HttpOnly", "SameSite=Strict"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("%q lacks %s", cookie, want)
		}
	}
	if strings.Contains(cookie, "Secure") {
		t.Error("a cookie for https over http would never come back")
	}
	if cookie := s.logIn(t, "admin", password, "X-Forwarded-Proto", "https").header.Get(
		"Set-Cookie"); !strings.Contains(cookie, "Secure") {
		t.Error(cookie)
	}
}

func TestDashboard(t *testing.T) {
	t.Parallel()
	redisURL := storagetest.RedisURL(t)
	opt, err := asynq.ParseRedisURI(redisURL)
	if err != nil {
		t.Fatal(err)
	}
	client := asynq.NewClient(opt)
	defer client.Close()
	if _, err := client.EnqueueContext(t.Context(),
		asynq.NewTask("import", []byte(`{"id":1,"name":"Padaria","ask":{"account_id":7,"file_key":"secret.ofx"}}`)),
		asynq.Queue("statements")); err != nil {
		t.Fatal(err)
	}

	var logged lines
	s := openWith(t, Config{RedisURL: redisURL, Log: slog.New(slog.NewTextHandler(&logged, nil))})
	redirects(t, s.logIn(t, "admin", password), overview)
	if a := s.do(t, "GET", root+"/api/queues", nil); a.status != 200 ||
		!strings.Contains(a.body, `"queue":"statements"`) {
		t.Errorf("%d %s", a.status, a.body)
	}
	tasks := s.do(t, "GET", root+"/api/queues/statements/pending_tasks", nil)
	if !strings.Contains(tasks.body, `"payload":"account_id 7, id 1"`) || strings.Contains(tasks.body, "Padaria") ||
		strings.Contains(tasks.body, "secret") {
		t.Error(tasks.body)
	}
	if a := s.do(t, "GET", root+"/api/redis_info", nil); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}

	for _, path := range []string{root, root + "/", root + "/queues/statements"} {
		page := s.do(t, "GET", path, nil)
		if page.status != 200 || !strings.Contains(page.body, `window.FLAG_ROOT_PATH="\/monitoring"`) ||
			!strings.Contains(page.body, ours+lengths+"</head>") ||
			!strings.Contains(page.body, copies+"</body>") || strings.Contains(page.body, "manifest") ||
			strings.Contains(page.body, "https://") {
			t.Errorf("%d %s", page.status, page.body)
		}
		if policy := page.header.Get("Content-Security-Policy"); strings.Count(policy, "'sha256-") != 4 ||
			!strings.Contains(policy, "frame-ancestors 'none'") {
			t.Error(policy)
		}
		for _, src := range scripts(page.body) {
			if a := s.do(t, "GET", src, nil); a.status != 200 || !strings.HasPrefix(a.header.Get("Content-Type"),
				"application/javascript") {
				t.Errorf("%s: %d %s", src, a.status, a.header.Get("Content-Type"))
			}
		}
	}

	pause := root + "/api/queues/statements:pause"
	for header, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"} {
		if a := s.do(t, "POST", pause, nil, "Sec-Fetch-Site", "", header, value); a.status != http.StatusForbidden {
			t.Errorf("%s %s: %d", header, value, a.status)
		}
	}
	if a := s.do(t, "POST", login, url.Values{"user": {"admin"}, "password": {password}}, "Sec-Fetch-Site",
		"same-site"); a.status != http.StatusForbidden {
		t.Errorf("a login from another site: %d", a.status)
	}
	if a := s.do(t, "POST", pause, nil); a.status != http.StatusNoContent {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := s.do(t, "POST", pause, nil); a.status != http.StatusInternalServerError {
		t.Errorf("a second pause: %d %s", a.status, a.body)
	}
	if text, did := logged.String(), "method=POST path="+pause+" user=admin status="; strings.Count(text,
		"action of the queues") != 2 || !strings.Contains(text, did+"204") || !strings.Contains(text, did+"500") {
		t.Errorf("the log does not say who paused the queue:\n%s", text)
	}

	session := s.browser.Jar.Cookies(&url.URL{Scheme: "http", Host: strings.TrimPrefix(s.url, "http://"), Path: root})
	redirects(t, s.do(t, "POST", logout, nil), login)
	redirects(t, s.do(t, "GET", root, nil), login)
	// A retained cookie is logged out too.
	if a := s.do(t, "GET", root+"/api/queues", nil, "Cookie",
		session[0].String()); a.status != http.StatusUnauthorized {
		t.Errorf("after the logout: %d", a.status)
	}
}

// scripts lists the files that a page loads.
func scripts(page string) (sources []string) {
	for part := range strings.SplitSeq(page, `<script src="`) {
		if src, _, found := strings.Cut(part, `"`); found && strings.HasPrefix(src, root) {
			sources = append(sources, src)
		}
	}
	return sources
}

func TestAttemptsAreThrottled(t *testing.T) {
	t.Parallel()
	s := open(t, nowhere)
	for range 5 {
		if a := s.logIn(t, "admin", "guess"); a.status != http.StatusUnauthorized {
			t.Errorf("%d", a.status)
		}
	}
	a := s.logIn(t, "admin", password, "X-Forwarded-For", "192.0.2.7") // not a trusted proxy
	if a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") != "10" ||
		!strings.Contains(a.body, "Too many attempts") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s sessions
		r := httptest.NewRequest("GET", "/", nil)
		r.AddCookie(&http.Cookie{Name: cookieName, Value: s.open(User{Name: "ana"})})
		if one, ok := s.of(r); !ok || one.user.Name != "ana" || !one.meant(one.csrf) || one.meant("") {
			t.Error("no session")
		}
		time.Sleep(sessionLasts)
		if _, ok := s.of(r); ok {
			t.Error("still a session")
		}
		if s.open(User{}); len(s.all) != 1 {
			t.Error("what has ended is kept")
		}
	})
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	good := hash(t)
	for want, given := range map[string][3]string{
		"needs a login: set BORDERO_MONITOR_USER": {nowhere, "", good},
		"and BORDERO_MONITOR_PASSWORD_HASH":       {nowhere, "admin", ""},
		"is not a bcrypt hash":                    {nowhere, "admin", "plain"},
		"REDIS_URL is not the URL of":             {"http://:secret@h", "admin", good},
	} {
		_, err := New(Config{RedisURL: given[0], Users: []User{{Name: given[1], Hash: given[2]}}})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}
