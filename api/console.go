package api

import (
	"errors"
	"net/http"

	"bordero/api/console"
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
		PublicURL: a.PublicURL, Now: a.now, Log: a.Log, LogIn: a.logIn, LogOut: a.logOut,
	})
	page := a.handle(route{needs: open, handle: func(c *call) error {
		pages.ServeHTTP(c.Writer, c.Request)
		return nil
	}})
	for _, path := range []string{console.Root, console.Root + "/*any"} {
		e.GET(path, page)
		e.POST(path, page)
	}
}

// logIn starts a session of the console by a login code or a token. As for requests with a token, an address that has
// sent too many invalid ones shares a few places, and is served all the same if its secret is valid.
func (a *API) logIn(r *http.Request, secret string) (started console.Session, err error) {
	client := throttle.Client(r, a.Trusted)
	isToken := tokens.Possible(secret)
	start := func() error {
		return a.Store.InTx(r.Context(), func(tx *storage.Tx) error {
			begin := members.Redeem
			if isToken {
				begin = members.NewSession
			}
			s, err := begin(r.Context(), tx, secret)
			started = console.Session{Token: s.Token, Expires: s.ExpiresAt}
			return err
		})
	}
	if a.Guesses.Spent(client) {
		err = a.Guesses.Turn(r.Context(), !isToken || !tokens.Checked(secret), start)
	} else {
		err = start()
	}
	if !errors.Is(err, members.ErrNoToken) && !errors.Is(err, members.ErrNoLoginCode) {
		return started, err
	}
	if !a.Guesses.Attempt(client) {
		return started, console.ErrGuesses
	}
	return started, console.ErrUnknown
}

// logOut revokes the token of a session of the console; one that is revoked already is no error.
func (a *API) logOut(r *http.Request, token string) error {
	err := a.Store.InTx(r.Context(), func(tx *storage.Tx) error { return members.RevokeToken(r.Context(), tx, token) })
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	return err
}
