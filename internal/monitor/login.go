package monitor

import (
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"html/template"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/crypto/bcrypt"
	"golang.org/x/time/rate"
)

//go:embed login.html
var loginHTML string

var loginPage = template.Must(template.New("login").Parse(loginHTML))

func (m *Monitor) showLogin(w http.ResponseWriter, _ *http.Request) { writeLogin(w, http.StatusOK, "") }

func writeLogin(w http.ResponseWriter, status int, complaint string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = loginPage.Execute(w, map[string]string{"Action": login, "Complaint": complaint}) // the client may be gone
}

func (m *Monitor) logIn(w http.ResponseWriter, r *http.Request) {
	if !m.throttle.allow(r.RemoteAddr) {
		w.Header().Set("Retry-After", "10")
		writeLogin(w, http.StatusTooManyRequests, "Too many attempts. Try again in a moment.")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 4096)
	// The password is compared whoever the user is: the time taken tells nothing.
	wrong := bcrypt.CompareHashAndPassword(m.hash, []byte(r.PostFormValue("password")))
	known := subtle.ConstantTimeCompare([]byte(r.PostFormValue("user")), []byte(m.user)) == 1
	if wrong != nil || !known {
		writeLogin(w, http.StatusUnauthorized, "User or password is wrong.")
		return
	}
	setCookie(w, r, m.sessions.open(), int(sessionLasts.Seconds()))
	http.Redirect(w, r, root, http.StatusSeeOther)
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
		HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https",
	})
}

// sessions are those who have logged in, until they log out or the process ends.
type sessions struct {
	mu   sync.Mutex
	ends map[string]time.Time // by the cookie's value
}

func (s *sessions) open() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ends == nil {
		s.ends = map[string]time.Time{}
	}
	for value, end := range s.ends {
		if !time.Now().Before(end) {
			delete(s.ends, value)
		}
	}
	value := rand.Text() + rand.Text() // 256 bits
	s.ends[value] = time.Now().Add(sessionLasts)
	return value
}

func (s *sessions) has(r *http.Request) bool {
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Before(s.ends[cookie.Value])
}

func (s *sessions) end(r *http.Request) {
	if cookie, err := r.Cookie(cookieName); err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.ends, cookie.Value)
	}
}

// throttle allows each address five attempts at once and then one in ten seconds.
type throttle struct {
	mu       sync.Mutex
	attempts map[netip.Prefix]*rate.Limiter
}

const (
	attemptsAtOnce = 5
	attemptEvery   = 10 * time.Second
	addressesKept  = 10_000
)

func (t *throttle) allow(remoteAddr string) bool {
	from := network(remoteAddr)
	t.mu.Lock()
	defer t.mu.Unlock()
	// Who has ten thousand addresses to guess from is not slowed by remembering them.
	if t.attempts == nil || len(t.attempts) >= addressesKept {
		t.attempts = map[netip.Prefix]*rate.Limiter{}
	}
	if t.attempts[from] == nil {
		t.attempts[from] = rate.NewLimiter(rate.Every(attemptEvery), attemptsAtOnce)
	}
	return t.attempts[from].Allow()
}

// network is what one person may have: an IPv4 address, or an IPv6 network.
func network(remoteAddr string) netip.Prefix {
	host, _, _ := net.SplitHostPort(remoteAddr)
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Prefix{}
	}
	bits := 32
	if addr = addr.Unmap().WithZone(""); addr.Is6() {
		bits = 64
	}
	return netip.PrefixFrom(addr, bits).Masked()
}
