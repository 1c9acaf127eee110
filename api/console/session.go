package console

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"time"
)

// ErrUnknown is the error of a login with a secret that is neither a valid code nor a valid token; ErrGuesses that of
// a client that has tried too many, and ErrTooMany that of a token if its account makes too many requests.
var (
	ErrUnknown = errors.New("no such code or token")
	ErrGuesses = errors.New("too many guesses")
	ErrTooMany = errors.New("too many requests of the account")
)

const (
	cookieName = "bordero_console"
	formToken  = "form" // the field of each form with the proof that a page of the session has made it
)

// sessionOf returns the token of the session of a request; "" without a session.
func sessionOf(r *http.Request) string {
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// setCookie stores a session in the browser; "" removes it.
func (s *Console) setCookie(w http.ResponseWriter, r *http.Request, token string, expires time.Time) {
	age := -1
	if token != "" {
		age = int(expires.Sub(s.Now()).Seconds())
	}
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: token, Path: Root, MaxAge: age,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: s.overTLS(r),
	})
}

// overTLS reports whether the browser uses https. A client that forges the header only loses its own cookie.
func (s *Console) overTLS(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" || strings.HasPrefix(s.PublicURL, "https://")
}

// proof returns the value of formToken in the forms of a session. It does not reveal the session.
func proof(session string) string {
	mac := hmac.New(sha256.New, []byte(session))
	mac.Write([]byte("form of /console"))
	return hex.EncodeToString(mac.Sum(nil))
}

// checkForm refuses a form without the proof that a page of the session has made it.
func (v *visit) checkForm(sent string) error {
	if !hmac.Equal([]byte(sent), []byte(proof(v.session))) {
		return errForeignForm
	}
	return nil
}

// toLogin redirects a request without a session to the login, which says of a form that it was not done.
func (v *visit) toLogin() {
	to := Root + "/login"
	if v.r.Method == http.MethodPost && v.Path() != Root+"/logout" {
		to += "?ended=1"
	}
	http.Redirect(v.w, v.r, to, http.StatusSeeOther)
}

// showLogin shows the form of the login.
func (s *Console) showLogin(w http.ResponseWriter, r *http.Request) {
	why := ""
	if r.URL.Query().Has("ended") {
		why = "ended"
	}
	s.refuse(w, r, "login", http.StatusOK, why)
}

// logIn starts a session by the code or the token of the form: 303 to the first page.
func (s *Console) logIn(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxLogin)
	secret := strings.TrimSpace(r.PostFormValue("secret"))
	if secret == "" {
		s.refuse(w, r, "login", http.StatusUnprocessableEntity, "blank")
		return
	}
	session, err := s.LogIn(r, secret)
	switch {
	case errors.Is(err, ErrGuesses):
		s.refuse(w, r, "login", http.StatusTooManyRequests, "guesses")
	case errors.Is(err, ErrTooMany):
		s.refuse(w, r, "login", http.StatusTooManyRequests, "too-many")
	case errors.Is(err, ErrUnknown):
		s.refuse(w, r, "login", http.StatusUnauthorized, "unknown")
	case err != nil:
		s.Log.ErrorContext(r.Context(), "login failed", "error", err)
		w.Header().Set("Retry-After", "2") // as of other requests without a database
		s.refuse(w, r, "login", http.StatusServiceUnavailable, "failed")
	default:
		s.setCookie(w, r, session.Token, session.Expires)
		http.Redirect(w, r, Root, http.StatusSeeOther)
	}
}

// logOut ends the session, whose token is then revoked: 303 to the login.
func (v *visit) logOut() error {
	if err := v.console.LogOut(v.r, v.session); err != nil {
		return v.refused(err)
	}
	v.console.setCookie(v.w, v.r, "", time.Time{})
	http.Redirect(v.w, v.r, Root+"/login", http.StatusSeeOther)
	return nil
}
