// Package api is the HTTP API. Its thin handlers read a request, validate it, store it with its
// events and jobs in one transaction, and answer in JSON or XML. No other package depends on Gin;
// the rules are in finance, the SQL in storage.
package api

import (
	"context"
	"crypto/ed25519"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"strings"
	"time"

	"bordero/internal/blobs"
	"bordero/internal/download"
	"bordero/internal/messages"
	"bordero/internal/outgoing"
	"bordero/internal/ratelimit"
	"bordero/internal/share"
	"bordero/internal/throttle"
	"bordero/internal/tracing"
	"bordero/storage"

	"github.com/gin-gonic/gin"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
)

// Config has the dependencies and limits of the API.
type Config struct {
	Store     *storage.Store
	Files     *blobs.Store
	PublicURL string         // prefix of all links; slashes at its end are ignored
	Zone      *time.Location // of today, default dates and the offsets of times
	Log       *slog.Logger

	Limiter  *ratelimit.Limiter // counts requests per account; nil for no limit
	Memory   *share.Budget      // limits the memory of requests; nil for no limit
	Places   int                // the most requests of an account that run at once; 0 for no limit
	Patience time.Duration      // how long a request waits for a place; 10 s when 0
	Trusted  []netip.Prefix     // proxies with a trusted X-Forwarded-For
	Guesses  *throttle.Throttle // limits invalid tokens per address; when nil, 2,000 at once and 20 a second

	KeyedTime time.Duration // after which a request with an Idempotency-Key is cancelled; 50 s when 0

	SheetRows     int64 // the most rows of a sheet; 100,000 when 0
	MaxDocument   int64 // in bytes, of a document
	MaxStatement  int64 // in bytes, of a statement's file
	MaxAttachment int64 // in bytes, of an attachment

	// SignURL returns a URL of a file that is valid for URLLife. SigningKeys verify the URLs of
	// the files that the API itself serves.
	SignURL     func(context.Context, download.SignURL) (string, error)
	SigningKeys []ed25519.PublicKey
	URLLife     time.Duration

	WebhooksPerEntity int64 // the most webhooks of an entity

	// Outgoing verifies the URLs of webhooks. When nil, it reaches only public addresses.
	Outgoing *http.Client

	Version string // of the program, for GET /

	Trace *tracing.Tracer // of the requests; nil for none

	Healthz, Readyz http.Handler // of the process, served here too; may be nil

	// Observe, unless nil, is called after each answer but those of /healthz and /readyz. The route is a template, or
	// empty if no route matched.
	Observe func(method, route string, status int, took time.Duration)

	// CountFault, unless nil, is called with the code of each fault of a refused request.
	CountFault func(code string)

	// Wakes, unless nil, calls its function with each account that has new changes, until the
	// context is done.
	Wakes func(context.Context, func(account int64))
	// Follows, unless nil, is called when a request begins to wait for changes, at most twice a second,
	// and every second while one waits. It must not block.
	Follows func()
	// Stopping ends the requests that wait for changes; nil never.
	Stopping <-chan struct{}

	Now func() time.Time // the clock; time.Now when nil
}

// API handles the requests of the HTTP API.
type API struct {
	Config
	paths           [][]string // of the routes
	addresses       *addresses
	feed            *feedWaits
	places          places
	held, exports   share.Counter       // requests and sheets being served, by account
	urgent          share.Counter       // urgent requests beside the quotas, by account
	removals        *semaphore.Weighted // of files
	knownGoodTokens *knownTokens
	browsers        http.CrossOriginProtection
	whole           http.Handler   // all of it, for the console
	unheard         rate.Sometimes // limits the warnings about a proxy that is not trusted
}

// New returns the handler of the whole API. internal/config has the defaults of the limits.
func New(c Config) http.Handler {
	c.PublicURL = strings.TrimRight(c.PublicURL, "/")
	if c.Outgoing == nil {
		c.Outgoing = outgoing.New(outgoing.Options{})
	}
	if c.SheetRows == 0 {
		c.SheetRows = mostSheetRows
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Guesses == nil {
		c.Guesses = defaultGuesses()
	}
	if c.Observe == nil {
		c.Observe = func(string, string, int, time.Duration) {}
	}
	if c.CountFault == nil {
		c.CountFault = func(string) {}
	}
	a := &API{Config: c, places: newPlaces(c.Places), removals: semaphore.NewWeighted(mostRemovals),
		knownGoodTokens: newKnownTokens(), unheard: rate.Sometimes{Interval: 10 * time.Minute}}
	if u, err := url.Parse(c.PublicURL); err == nil && u.Host != "" {
		_ = a.browsers.AddTrustedOrigin(u.Scheme + "://" + u.Host) // which has a scheme and a host
	}
	a.feed = &feedWaits{heads: func(ctx context.Context, accounts []int64) (map[int64]int64, error) {
		return a.Store.ChangeHeads(ctx, accounts)
	}, wakes: a.Wakes, tell: a.Follows, stop: a.Stopping}
	a.addresses = &addresses{ask: a.askAddress, keep: c.URLLife / 60}
	a.whole = a.withMiddleware(a.engine())
	return a.whole
}

// defaultGuesses returns the limit of invalid tokens that decision 0013 explains.
func defaultGuesses() *throttle.Throttle { return throttle.New(2000, time.Second/20) }

// now returns the current time in the configured zone.
func (a *API) now() time.Time { return a.Now().In(a.Zone) }

// engine returns the router. Its redirects are off because clients do not follow them; format.go
// has removed extra slashes and suffixes before routing.
func (a *API) engine() *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.RedirectTrailingSlash, e.RedirectFixedPath = false, false
	e.HandleMethodNotAllowed = true
	for _, r := range a.routes() {
		e.Handle(r.method, r.path, a.handle(r))
		a.paths = append(a.paths, segments(r.path))
	}
	for path, h := range map[string]http.Handler{"/healthz": a.Healthz, "/readyz": a.Readyz} {
		if h != nil {
			e.GET(path, gin.WrapH(h))
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		e.Handle(method, download.Prefix+"*signed", a.handle(route{needs: open, handle: a.serveFile}))
	}
	a.servePictures(e)
	a.serveDocs(e)
	a.serveConsole(e)
	e.NoRoute(a.handle(route{needs: open, handle: (*call).noRoute}))
	e.NoMethod(a.handle(route{needs: open, handle: (*call).noMethod}))
	return e
}

// handle returns the Gin handler of a route. It authenticates and authorises the request, and turns
// an error into its answer and a panic into a 500.
func (a *API) handle(r route) gin.HandlerFunc {
	return func(g *gin.Context) {
		c := a.call(g)
		requestMetaFrom(c.ctx()).logged.route = g.FullPath()
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler { // net/http compares this sentinel
					panic(p)
				}
				a.Log.ErrorContext(c.ctx(), "panic", "request_id", c.requestID, "panic", p, "stack",
					string(debug.Stack()))
				a.problem(c, errPanic)
			}
		}()
		defer c.end()
		err := a.admit(c, r)
		if err == nil {
			defer c.holding.Keep(0)
			defer c.leave()
			err = r.handle(c)
		}
		if err != nil {
			a.drain(c)
			a.problem(c, err)
		}
	}
}

// drain reads the rest of the body of a refused request, up to the size of the largest file: clients that send
// everything before they read an answer would find a connection that was reset (decision 0014). It reads nothing from
// clients without a valid token or beyond the quota of requests under way, nor from one that waits for our consent
// before it sends anything.
func (a *API) drain(c *call) {
	waits := c.GetHeader("Expect") != "" && requestMetaFrom(c.ctx()).logged.received == 0
	if c.userID == 0 || c.Request.ContentLength == 0 || waits || !c.held && a.takeHeld(c) != nil {
		return
	}
	c.leave() // the rest may take minutes to arrive
	c.holding.Keep(0)
	_, _ = io.CopyN(io.Discard, c.Request.Body, max(a.MaxStatement, a.MaxAttachment))
}

// admit authenticates and authorises a call of the route.
func (a *API) admit(c *call, r route) error {
	if r.needs.open {
		return nil
	}
	// A browser sends stored credentials with the forms of any page.
	if a.browsers.Check(c.Request) != nil {
		return messages.CrossSite
	}
	if err := a.authenticate(c); err != nil {
		return err
	}
	c.route = r
	if c.strict {
		c.Header("Preference-Applied", "handling=strict")
	}
	err := a.authorize(c)
	if over := a.limit(c, err == nil); over != nil {
		return over
	}
	if err != nil {
		return err
	}
	c.stray = c.strayParameters()
	if err := c.checkPath(); err != nil {
		return err
	}
	if c.holding = a.Memory.Hold(c.tenant()); c.urgent {
		c.holding = a.Memory.HoldUrgent(c.tenant())
	}
	c.Request = c.Request.WithContext(share.WithHolding(c.ctx(), c.holding))
	if r.needs.account {
		if !c.urgent {
			c.Request = c.Request.WithContext(a.Store.WithPlaces(c.ctx(), c.access.AccountID))
		}
		if err := c.readKey(); err != nil {
			return err
		}
	}
	if r.method == get || c.Request.ContentLength == 0 {
		return c.enter()
	}
	return nil // once the body was read
}

// authorize chooses the account of an authenticated call, and refuses a request that the rights of
// its token do not allow.
func (a *API) authorize(c *call) error {
	c.authorized = a.now()
	r := c.route
	if !r.needs.account {
		return nil
	}
	if err := a.chooseAccount(c); err != nil {
		return err
	}
	if c.access.ReadOnly && r.method != get {
		return messages.Forbidden.Hinted(messages.NeedsToWrite)
	}
	if err := r.needs.refuses(c.access); err != nil {
		return err
	}
	c.entityID = c.pathID("entity_id")
	if c.entityID != 0 && !c.access.CanSee(c.entityID) {
		return missing("entity", c.entityID)
	}
	return nil
}
