// Package monitor is the dashboard of the queues, asynqmon, behind a login. It is
// apart because asynqmon has neither login nor protection against requests of
// other sites, and shows whatever is in the queues to anyone who can reach it.
package monitor

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/hibiken/asynqmon"
	"github.com/redis/go-redis/v9"
	"golang.org/x/crypto/bcrypt"
)

// Where the dashboard is.
const (
	root   = "/monitoring"
	login  = root + "/login"
	logout = root + "/logout"
)

// Monitor is the dashboard with its login, under /monitoring.
type Monitor struct {
	http.Handler
	dashboard *asynqmon.HTTPHandler
	index     []byte // the dashboard's page
	user      string
	hash      []byte
	sessions  sessions
	throttle  throttle
}

// connection makes the clients of the dashboard, which wants several.
type connection struct {
	open func(url string) (redis.UniversalClient, error)
	url  string
}

// MakeRedisClient implements asynq.RedisConnOpt. New has tried the URL.
func (c connection) MakeRedisClient() any {
	client, _ := c.open(c.url)
	return client
}

// New makes a monitor of the queues in a Redis, whose clients open makes, for one
// user, whose password has the given bcrypt hash. Without user or hash there would
// be no login, so it refuses. It connects only when it is asked for something.
func New(open func(url string) (redis.UniversalClient, error), redisURL, user, passwordHash string) (*Monitor, error) {
	if user == "" || passwordHash == "" {
		return nil, errors.New("the monitor needs a login: set BORDERO_MONITOR_USER and BORDERO_MONITOR_PASSWORD_HASH (bcrypt)")
	}
	if _, err := bcrypt.Cost([]byte(passwordHash)); err != nil {
		return nil, errors.New("BORDERO_MONITOR_PASSWORD_HASH is no bcrypt hash")
	}
	tried, err := open(redisURL)
	if err != nil {
		return nil, errors.New("REDIS_URL is no URL of a Redis, of its Sentinels or of a cluster") // err may quote its password
	}
	_ = tried.Close()
	m := &Monitor{
		user: user,
		hash: []byte(passwordHash),
		dashboard: asynqmon.New(asynqmon.Options{
			RootPath:     root,
			RedisConnOpt: connection{open, redisURL},
		}),
	}
	policy := m.readIndex()
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", http.RedirectHandler(root, http.StatusSeeOther))
	mux.HandleFunc("GET "+login, m.showLogin)
	mux.HandleFunc("POST "+login, m.logIn)
	mux.HandleFunc("POST "+logout, m.logOut)
	mux.HandleFunc(root, m.show)
	mux.HandleFunc(root+"/", m.show)
	m.Handler = guard(policy, http.NewCrossOriginProtection().Handler(mux))
	return m, nil
}

// Close closes the connections to Redis.
func (m *Monitor) Close() error { return m.dashboard.Close() }

// show is the dashboard for those who have logged in.
func (m *Monitor) show(w http.ResponseWriter, r *http.Request) {
	asset := path.Ext(r.URL.Path) != ""
	api := strings.HasPrefix(r.URL.Path, root+"/api/")
	switch {
	case m.sessions.has(r):
		if api || asset {
			m.dashboard.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(m.index) // the client may be gone
	case api || asset || r.Method != http.MethodGet:
		http.Error(w, "log in at "+login, http.StatusUnauthorized)
	default:
		http.Redirect(w, r, login, http.StatusSeeOther)
	}
}

var (
	inlineScript = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	foreignStyle = regexp.MustCompile(`<link[^>]*href="https://[^>]*>`)
)

// logOutForm is what the dashboard lacks.
const logOutForm = `<form method="post" action="` + logout + `" style="position:fixed;right:1rem;bottom:1rem;z-index:2000">` +
	`<button style="padding:.5rem 1rem;cursor:pointer">Log out</button></form>`

// readIndex keeps the dashboard's page, less its fonts from elsewhere and with a
// way out, and returns the content security policy that it works under: its
// inline scripts are allowed by their hashes.
func (m *Monitor) readIndex() string {
	page := recorder{header: http.Header{}}
	m.dashboard.ServeHTTP(&page, &http.Request{Method: http.MethodGet, URL: &url.URL{Path: root}})
	index := foreignStyle.ReplaceAll(page.Bytes(), nil)
	m.index = bytes.Replace(index, []byte("</body>"), []byte(logOutForm+"</body>"), 1)

	scripts := "'self'"
	for _, script := range inlineScript.FindAllSubmatch(index, -1) {
		sum := sha256.Sum256(script[1])
		scripts += fmt.Sprintf(" 'sha256-%s'", base64.StdEncoding.EncodeToString(sum[:]))
	}
	return "default-src 'none'; script-src " + scripts + "; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
		"font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}

// recorder takes an answer that is not sent.
type recorder struct {
	bytes.Buffer
	header http.Header
}

func (r *recorder) Header() http.Header { return r.header }
func (r *recorder) WriteHeader(int)     {}

// guard sets the security headers of every answer.
func guard(policy string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		// not no-referrer, with which browsers hide the Origin of our own forms
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}
