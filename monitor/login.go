package monitor

import (
	"crypto/rand"
	"crypto/subtle"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"bordero/internal/throttle"

	"golang.org/x/crypto/bcrypt"
)

// User may log in.
type User struct {
	Name     string
	Hash     string // bcrypt hash of the password
	ReadOnly bool   // may read and change nothing
}

func (m *Monitor) showLogin(w http.ResponseWriter, _ *http.Request) {
	writeLogin(w, http.StatusOK, "", "")
}

// writeLogin writes the page of the login, with the user name that was entered.
func writeLogin(w http.ResponseWriter, status int, complaint, name string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	data := map[string]string{"Action": login, "Complaint": complaint, "User": name}
	_ = templates.ExecuteTemplate(w, "login.html", data) // the client may be gone
}

func (m *Monitor) logIn(w http.ResponseWriter, r *http.Request) {
	if !m.attempts.Attempt(throttle.Client(r, m.trusted)) {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(m.attempts.Wait().Seconds()))))
		writeLogin(w, http.StatusTooManyRequests, "Too many attempts. Try again in a moment.", "")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 4096)
	name := r.PostFormValue("user")
	user, ok := m.known(name, r.PostFormValue("password"))
	if !ok {
		writeLogin(w, http.StatusUnauthorized, "User or password is wrong.", name)
		return
	}
	setCookie(w, r, m.sessions.open(user), int(sessionLasts.Seconds()))
	http.Redirect(w, r, overview, http.StatusSeeOther)
}

// known returns the user with the name and the password. It always compares a password, so that the
// time of an answer does not reveal whether the name exists, if all passwords were hashed with the same cost.
func (m *Monitor) known(name, password string) (User, bool) {
	claimed, found := m.users[0], false
	for _, u := range m.users {
		if subtle.ConstantTimeCompare([]byte(name), []byte(u.Name)) == 1 {
			claimed, found = u, true
		}
	}
	wrong := bcrypt.CompareHashAndPassword([]byte(claimed.Hash), []byte(password))
	return claimed, found && wrong == nil
}

func (m *Monitor) logOut(w http.ResponseWriter, r *http.Request) {
	m.sessions.end(r)
	setCookie(w, r, "", -1)
	http.Redirect(w, r, login, http.StatusSeeOther)
}

const (
	cookieName   = "bordero_monitor"
	sessionLasts = 12 * time.Hour
)

func setCookie(w http.ResponseWriter, r *http.Request, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: value, Path: root, MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: overTLS(r),
	})
}

// overTLS reports whether the browser uses https. A client that forges the header only
// loses its own cookie.
func overTLS(r *http.Request) bool {
	return r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"
}

// session is a login of a user.
type session struct {
	user User
	csrf string // token in every form of the session
	end  time.Time
}

// meant reports whether a form with the csrf token was made for the session.
func (s session) meant(csrf string) bool {
	return subtle.ConstantTimeCompare([]byte(csrf), []byte(s.csrf)) == 1
}

// sessions stores the sessions until their logout or the end of the process.
type sessions struct {
	mu  sync.Mutex
	all map[string]session // by the cookie's value
}

func (s *sessions) open(u User) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[string]session{}
	}
	for value, one := range s.all {
		if !time.Now().Before(one.end) {
			delete(s.all, value)
		}
	}
	value := rand.Text() + rand.Text() // 256 bits
	s.all[value] = session{u, rand.Text(), time.Now().Add(sessionLasts)}
	return value
}

// of returns the session of a request.
func (s *sessions) of(r *http.Request) (session, bool) {
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return session{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.all[cookie.Value]
	return one, time.Now().Before(one.end)
}

func (s *sessions) end(r *http.Request) {
	if cookie, err := r.Cookie(cookieName); err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.all, cookie.Value)
	}
}
