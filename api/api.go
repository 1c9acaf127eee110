// Package api holds what is said: thin handlers that read a request, validate
// it, keep it with its event and its job in one transaction, and answer in JSON
// or XML. It is apart because only this room knows HTTP and Gin; what is true is
// in finance, what is kept in storage.
package api

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"bordero/internal/download"
	"bordero/internal/outgoing"
	"bordero/internal/ratelimit"
	"bordero/internal/throttle"
	"bordero/jobs"
	"bordero/storage"

	"github.com/gin-gonic/gin"
	"golang.org/x/time/rate"
)

// Config is what the API needs.
type Config struct {
	Store     *storage.Store
	Files     *storage.Files
	PublicURL string         // of all links, without a slash at the end
	Zone      *time.Location // decides today, offsets and default dates
	Log       *slog.Logger

	Limiter *ratelimit.Limiter // of requests per token; nil for no limit
	Trusted []netip.Prefix     // proxies whose X-Forwarded-For is believed
	Guesses *throttle.Throttle // of tokens that are none; of an address 2,000 at once and 20 a second when nil

	MaxDocument   int64 // most bytes of a document; 1 MiB when 0
	MaxStatement  int64 // most bytes of a statement's file; 50 MiB when 0
	MaxAttachment int64 // most bytes of an attachment; 100 MiB when 0

	// SignURL asks for an address of a file, which is good for URLLife; SigningKeys
	// tell the addresses that are served here.
	SignURL     func(context.Context, jobs.SignURL) (string, error)
	SigningKeys []ed25519.PublicKey
	URLLife     time.Duration

	WebhooksPerEntity, WebhooksPerAccount int64 // at most; 16 and 64 when 0

	// Outgoing asks the addresses of webhooks; one that reaches public ones when nil.
	Outgoing *http.Client

	Healthz, Readyz http.Handler // the process's own, served here too

	// Observe is told of each answer; the route is a template, empty where none
	// matched. Nil for nobody.
	Observe func(method, route string, status int, took time.Duration)

	Now func() time.Time // the clock; time.Now when nil
}

// API answers requests.
type API struct {
	Config
	addresses       *addresses
	knownGoodTokens *proven
	browsers        http.CrossOriginProtection
	unheard         rate.Sometimes // how often it is told that a proxy is not trusted
}

// New returns the handler of the whole API.
func New(c Config) http.Handler {
	c.MaxDocument = cmp.Or(c.MaxDocument, 1<<20)
	c.MaxStatement = cmp.Or(c.MaxStatement, 50<<20)
	c.MaxAttachment = cmp.Or(c.MaxAttachment, 100<<20)
	c.WebhooksPerEntity = cmp.Or(c.WebhooksPerEntity, 16)
	c.WebhooksPerAccount = cmp.Or(c.WebhooksPerAccount, 64)
	c.PublicURL = strings.TrimRight(c.PublicURL, "/")
	if c.Outgoing == nil {
		c.Outgoing = outgoing.New(outgoing.Options{})
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Guesses == nil {
		c.Guesses = throttle.New(2000, time.Second/20)
	}
	if c.Observe == nil {
		c.Observe = func(string, string, int, time.Duration) {}
	}
	a := &API{Config: c, knownGoodTokens: newProven(), unheard: rate.Sometimes{Interval: 10 * time.Minute}}
	a.addresses = &addresses{ask: a.askAddress, keep: c.URLLife / 60}
	return a.withMiddleware(a.engine())
}

// now is the present moment in the configured zone.
func (a *API) now() time.Time { return a.Now().In(a.Zone) }

// engine is the router. Its own redirects are off: clients do not follow them,
// and format.go has settled slashes and suffixes before.
func (a *API) engine() *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.RedirectTrailingSlash, e.RedirectFixedPath = false, false
	e.HandleMethodNotAllowed = true
	for _, r := range a.routes() {
		e.Handle(r.method, r.path, a.handle(r))
	}
	for path, h := range map[string]http.Handler{"/healthz": a.Healthz, "/readyz": a.Readyz} {
		if h != nil {
			e.GET(path, gin.WrapH(h))
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		e.Handle(method, download.Prefix+"*signed", a.handle(route{needs: open, handle: a.serveFile}))
	}
	a.document(e)
	e.NoRoute(a.handle(route{needs: open, handle: func(*call) error { return errNoRoute }}))
	e.NoMethod(a.handle(route{needs: open, handle: func(*call) error { return errNoMethod }}))
	return e
}

// handle runs a route's handler: it finds out who asks and whether he may, turns
// an error into the answer and a panic into a 500.
func (a *API) handle(r route) gin.HandlerFunc {
	return func(g *gin.Context) {
		c := a.call(g)
		requestMetaFrom(c.ctx()).matched(g.FullPath())
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler { // the sentinel that net/http compares
					panic(p)
				}
				a.Log.ErrorContext(c.ctx(), "panic", "request_id", c.requestID, "panic", p, "stack", string(debug.Stack()))
				a.problem(c, errPanic)
			}
		}()
		if err := a.admit(c, r); err != nil {
			a.problem(c, err)
			return
		}
		if err := r.handle(c); err != nil {
			a.problem(c, err)
		}
	}
}

// admit authenticates and authorises a call of the route.
func (a *API) admit(c *call, r route) error {
	if r.needs.open {
		return nil
	}
	// A browser sends the credentials that it keeps with the forms of any page.
	if a.browsers.Check(c.Request) != nil {
		return errCrossSite
	}
	if err := a.authenticate(c); err != nil {
		return err
	}
	if !r.needs.account {
		return nil
	}
	if err := a.chooseAccount(c); err != nil {
		return err
	}
	if c.access.ReadOnly && r.method != get || r.needs.allowed != nil && !r.needs.allowed(c.access) {
		return errForbidden
	}
	if err := c.readKey(); err != nil {
		return err
	}
	if !slices.ContainsFunc(c.Params, func(p gin.Param) bool { return p.Key == "entity_id" }) {
		return nil
	}
	id, err := c.param("entity_id")
	if err != nil {
		return err
	}
	if !c.access.CanSee(id) {
		return missing{"Entity", id}
	}
	c.entityID = id
	return nil
}
