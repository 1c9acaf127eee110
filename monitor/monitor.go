// Package monitor serves the pages for operators, behind a login: pages of our own about the jobs in
// PostgreSQL and the changes of an account, and asynqmon, the dashboard of the queues. asynqmon has
// neither a login nor protection against cross-site requests, and shows the contents of the queues to
// every client. The monitor is a process of its own, apart from the API: operators see all accounts, and
// the users of the API cannot log in.
package monitor

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"path"
	"strings"
	"time"

	"bordero/internal/throttle"
	"bordero/jobs/broker"
	"bordero/storage"

	"golang.org/x/crypto/bcrypt"
)

// Paths of the pages.
const (
	root     = "/monitoring"
	overview = root + "/overview"
	audit    = root + "/audit"
	runbook  = root + "/runbook" // without a login
	login    = root + "/login"
	logout   = root + "/logout"

	finishedJobs = root + "/finished_jobs"

	// Paths of the buttons.
	retry     = overview + "/retry"
	dismiss   = overview + "/dismiss"
	verify    = overview + "/verify"
	redeliver = overview + "/redeliver"
)

// Config configures a monitor.
type Config struct {
	Store        *storage.Store
	Client       *broker.Client
	RedisURL     string   // of the client's Redis; the dashboard opens connections of its own
	JobQueues    []string // the queues whose jobs are counted
	WorkerQueues []string // the queues whose workers and pauses are shown
	JobKinds     []string // the kinds that this release knows
	Users        []User
	Runbook      string         // Markdown with a heading for each alert
	Zone         *time.Location // of all times on the pages
	Trusted      []netip.Prefix // proxies whose X-Forwarded-For is trusted
	Log          *slog.Logger

	// Verify tests the address of a webhook. If the answer is 200, the webhook becomes active and its held
	// deliveries are sent. The code is 0 if no answer came. If the webhook does not exist, the error is
	// storage.ErrNotFound.
	Verify func(ctx context.Context, account, webhook int64) (code int, err error)
}

// Monitor serves the overview and the dashboard with their login, under /monitoring.
type Monitor struct {
	http.Handler
	dashboard, readOnly *dashboard
	store               *storage.Store
	client              *broker.Client
	jobQueues           []string
	workerQueues        []string
	jobKinds            []string
	verify              func(ctx context.Context, account, webhook int64) (code int, err error)
	zone                *time.Location
	users               []User
	trusted             []netip.Prefix
	attempts            *throttle.Throttle
	sessions            sessions
	samples             *history
	log                 *slog.Logger
}

// connection is the URL of the Redis to which the dashboard opens several clients.
type connection string

// MakeRedisClient implements asynq.RedisConnOpt. New has checked the URL.
func (c connection) MakeRedisClient() any {
	client, _ := broker.OpenRedis(string(c))
	return client
}

// An address has five attempts to log in at once, and then one every ten seconds.
const (
	attemptsAtOnce = 5
	attemptEvery   = 10 * time.Second
)

// New returns a monitor. It refuses a configuration without users, because nobody could log in, and a
// user without a bcrypt hash. It connects only when a page is requested or Run is called.
func New(c Config) (*Monitor, error) {
	if len(c.Users) == 0 {
		return nil, errNoLogin
	}
	for _, u := range c.Users {
		if u.Name == "" || u.Hash == "" {
			return nil, errNoLogin
		}
		if _, err := bcrypt.Cost([]byte(u.Hash)); err != nil {
			return nil, errors.New("the password hash of " + u.Name + " is not a bcrypt hash")
		}
	}
	tried, err := broker.OpenRedis(c.RedisURL)
	if err != nil {
		// err may quote the password of the URL.
		return nil, errors.New("REDIS_URL is not the URL of a Redis, of its Sentinels or of a cluster")
	}
	_ = tried.Close()
	showRunbook, err := showRunbook(c.Runbook)
	if err != nil {
		return nil, err
	}
	opt := connection(c.RedisURL)
	m := &Monitor{
		store: c.Store, client: c.Client, jobQueues: c.JobQueues, workerQueues: c.WorkerQueues, jobKinds: c.JobKinds,
		verify: c.Verify,
		users:  c.Users, zone: c.Zone, trusted: c.Trusted, log: c.Log,
		samples: newHistory(), attempts: throttle.New(attemptsAtOnce, attemptEvery),
		dashboard: newDashboard(opt, false), readOnly: newDashboard(opt, true),
	}
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", http.RedirectHandler(overview, http.StatusSeeOther))
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { // browsers request an icon
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET "+runbook, showRunbook)
	mux.HandleFunc("GET "+login, m.showLogin)
	mux.HandleFunc("POST "+login, m.logIn)
	mux.HandleFunc("POST "+logout, m.logOut)
	mux.Handle("GET "+overview, m.loggedIn(m.showOverview))
	mux.Handle("GET "+audit, m.loggedIn(m.showAudit))
	mux.Handle("GET "+finishedJobs, m.loggedIn(m.showFinishedJobs))
	mux.Handle("POST "+retry, m.loggedIn(m.act("retry", m.retryJobs)))
	mux.Handle("POST "+dismiss, m.loggedIn(m.act("dismiss", m.dismissJobs)))
	mux.Handle("POST "+verify, m.loggedIn(m.act("verify", m.verifyWebhook)))
	mux.Handle("POST "+redeliver, m.loggedIn(m.act("redeliver", m.redeliverFailed)))
	mux.Handle(root, m.loggedIn(m.show))
	mux.Handle(root+"/", m.loggedIn(m.show))
	m.Handler = guard(m.dashboard.policy(m.readOnly), http.NewCrossOriginProtection().Handler(mux))
	return m, nil
}

var errNoLogin = errors.New("the monitor needs a login: set BORDERO_MONITOR_USER and BORDERO_MONITOR_PASSWORD_HASH " +
	"(bcrypt)")

// Close closes the connections to Redis.
func (m *Monitor) Close() error {
	return errors.Join(m.dashboard.Close(), m.readOnly.Close())
}

// loggedIn admits requests with a session, and read-only users only to reading.
func (m *Monitor) loggedIn(next func(http.ResponseWriter, *http.Request, session)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s, ok := m.sessions.of(r)
		looks := r.Method == http.MethodGet || r.Method == http.MethodHead
		switch {
		case !ok && looks && !isAsset(r) && !isAPI(r):
			http.Redirect(w, r, login, http.StatusSeeOther)
		case !ok:
			http.Error(w, "log in at "+login, http.StatusUnauthorized)
		case s.user.ReadOnly && !looks:
			http.Error(w, s.user.Name+" may only read", http.StatusForbidden)
		default:
			next(w, r, s)
		}
	})
}

func isAsset(r *http.Request) bool { return path.Ext(r.URL.Path) != "" }
func isAPI(r *http.Request) bool   { return strings.HasPrefix(r.URL.Path, root+"/api/") }

// show serves the dashboard of the queues.
func (m *Monitor) show(w http.ResponseWriter, r *http.Request, s session) {
	d := m.dashboard
	if s.user.ReadOnly {
		d = m.readOnly
	}
	if isAPI(r) || isAsset(r) {
		answer := &answered{ResponseWriter: w, status: http.StatusOK}
		d.ServeHTTP(answer, r)
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			m.log.Info("action of the queues", "method", r.Method, "path", r.URL.Path, "user", s.user.Name,
				"status", answer.status)
		}
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(d.index) // the client may be gone
}

// answered records the status of an answer.
type answered struct {
	http.ResponseWriter
	status int
}

func (a *answered) WriteHeader(status int) {
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

// guard sets the security headers of every answer.
func guard(policy string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		// With no-referrer, browsers would hide the Origin of our own forms.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if overTLS(r) {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r)
	})
}
