package api

import (
	"context"
	"errors"
	"net/http"
	"net/netip"

	"bordero/api/console"
	"bordero/finance"
	"bordero/internal/throttle"
	"bordero/internal/tokens"
	"bordero/storage"
	"bordero/storage/members"

	"github.com/gin-gonic/gin"
)

// serveConsole serves the pages for people, which ask the whole API as any client does.
func (a *API) serveConsole(e *gin.Engine) {
	pages := console.New(console.Config{
		API: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			a.whole.ServeHTTP(w, r)
		}),
		PublicURL: a.PublicURL, Now: a.now, Log: a.Log, Origins: &a.browsers, LogIn: a.logIn, LogOut: a.logOut,
		Hold: a.holdPage, Refuse: a.refusePage, Drain: func(r *http.Request) { a.drain(pageOf(r.Context())) },
	})
	page := a.handle(route{needs: open, handle: func(c *call) error {
		pages.ServeHTTP(c.Writer, c.Request.WithContext(context.WithValue(c.ctx(), pageKey{}, c)))
		return nil
	}})
	for _, path := range []string{console.Root, console.Root + "/*any"} {
		e.GET(path, page)
		e.POST(path, page)
	}
}

type pageKey struct{}

// pageOf returns the call of the page for which a request is made; nil for other requests.
func pageOf(ctx context.Context) *call {
	c, _ := ctx.Value(pageKey{}).(*call)
	return c
}

// holdPage counts a page as a request of its account until it is sent. The requests that the page makes of the account
// are parts of it.
func (a *API) holdPage(r *http.Request, session string, account int64) (console.Memory, error) {
	c := pageOf(r.Context())
	var err error
	c.userID, c.accesses, err = members.Accesses(r.Context(), a.Store, session)
	if errors.Is(err, members.ErrNoToken) {
		return nil, console.ErrUnknown
	}
	if err != nil {
		return nil, err
	}
	for _, access := range c.accesses {
		if access.AccountID == account {
			c.access = access
		}
	}
	if err := a.takeHeld(c); err != nil {
		return nil, err
	}
	c.holding = a.Memory.Hold(c.tenant())
	c.ends = append(c.ends, func() { c.holding.Keep(0) })
	return c.holding, nil
}

// refusePage answers to the console as to a request that fails with an error of its page.
func (a *API) refusePage(w http.ResponseWriter, r *http.Request, err error) {
	c := pageOf(r.Context())
	c.problems = true
	no := a.explain(c, err)
	w.WriteHeader(no.status)
	_, _ = w.Write(no.body) // to a buffer
}

// logIn starts a session of the console by a login code or a token. As for requests with a token, an address that has
// sent too many invalid ones shares a few places, and is served all the same if its secret is valid.
func (a *API) logIn(r *http.Request, secret string) (console.Session, error) {
	client := throttle.Client(r, a.Trusted)
	var s members.Session
	start := func(begin func(context.Context, *storage.Tx, string) (members.Session, error)) error {
		return a.Store.InTx(r.Context(), func(tx *storage.Tx) (err error) {
			s, err = begin(r.Context(), tx, secret)
			return err
		})
	}
	redeem := func() error { return start(members.Redeem) }
	var err error
	switch {
	case tokens.Possible(secret):
		if err = a.countLogin(pageOf(r.Context()), secret, client); err == nil {
			err = start(members.NewSession)
		}
	case a.Guesses.Spent(client):
		err = a.Guesses.Turn(r.Context(), true, redeem)
	default:
		err = redeem()
	}
	if !errors.Is(err, members.ErrNoToken) && !errors.Is(err, members.ErrNoLoginCode) {
		return console.Session{Token: s.Token, Expires: s.ExpiresAt}, err
	}
	if !a.Guesses.Attempt(client) {
		a.awaitGuess(pageOf(r.Context()))
		return console.Session{}, console.ErrGuesses
	}
	return console.Session{}, console.ErrUnknown
}

// countLogin counts a login with a token as a request of its account. A login code needs no count: a request that made
// it was counted.
func (a *API) countLogin(c *call, token string, client netip.Addr) error {
	if err := a.lookUp(c, token, client); err != nil {
		return err
	}
	if len(c.accesses) == 1 {
		c.access = c.accesses[0]
	}
	if a.limitMinute(c, c.quotas()[finance.RequestsPerMinute]) != nil {
		return console.ErrTooMany
	}
	return nil
}

// logOut revokes the token of a session of the console; one that is revoked already is no error.
func (a *API) logOut(r *http.Request, token string) error {
	err := a.Store.InTx(r.Context(), func(tx *storage.Tx) error { return members.RevokeToken(r.Context(), tx, token) })
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	return err
}
