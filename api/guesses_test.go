package api_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/throttle"
	"bordero/internal/tokens"
	"bordero/storage"
	"bordero/storage/members"
	"bordero/storage/storagetest"
)

// guessed returns a service behind a proxy. Its client at 192.0.2.7 has sent most+n invalid
// tokens, of which most are allowed; the next one is allowed after an hour.
func guessed(t *testing.T, most, n int) (s *service, guesses *throttle.Throttle) {
	t.Helper()
	guesses = throttle.New(most, time.Hour)
	databaseURL := storagetest.DatabaseURL(t)
	store := storagetest.Open(t, databaseURL, storage.Options{})
	s = serve(t, store, func(c *api.Config) {
		c.Trusted, c.Guesses = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, guesses
	})
	s.db = storagetest.DB(t, databaseURL)
	s.Tenant = storagetest.NewTenant(t, store)
	s.call(t, "GET", "/accounts", from("192.0.2.7")).want(t, http.StatusOK)
	answers := map[int]int{}
	for i := range most + n {
		answers[s.call(t, "GET", "/accounts", from("192.0.2.7"), as(fmt.Sprintf("%048x", i))).status]++
	}
	equal(t, answers, map[int]int{http.StatusUnauthorized: most, http.StatusTooManyRequests: n})
	return s, guesses
}

// from sends a request through a proxy.
func from(address string) option { return with("X-Forwarded-For", "203.0.113.50, "+address) }

// newToken issues a token to a new administrator of the tenant.
func (s *service) newToken(t *testing.T) string {
	t.Helper()
	_, token := storagetest.NewUser(t, s.store, finance.Access{AccountID: s.AccountID, Administrator: true,
		AllEntities: true})
	return token
}

func TestGuessesOfTokensAreThrottled(t *testing.T) {
	t.Parallel()
	s, _ := guessed(t, 2000, 300)
	issue := func(token string) string {
		err := s.store.InTx(t.Context(), func(tx *storage.Tx) error {
			return members.InsertToken(t.Context(), tx, token, members.NewToken{UserID: s.UserID})
		})
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	revoked := s.newToken(t)
	s.call(t, "GET", "/accounts", from("192.0.2.7"), as(revoked)).want(t, http.StatusOK)
	s.exec(t, `UPDATE tokens SET revoked_at = now() WHERE prefix = $1`, revoked[:6])
	early := "0123456789abcdef"
	for name, c := range map[string]struct {
		address, token string
		status         int
	}{
		"good before":                      {"192.0.2.7", s.Token, 200},
		"never seen":                       {"192.0.2.7", s.newToken(t), 200},
		"never seen, of before the checks": {"192.0.2.7", issue(strings.Repeat(early, 3)), 200},
		"unknown with a check":             {"192.0.2.7", tokens.New(), 429},
		"unknown without":                  {"192.0.2.7", strings.Repeat("f", 48), 429},
		"revoked":                          {"192.0.2.7", revoked, 429},
		"not looked up: never issued so":   {"192.0.2.7", issue(early), 429},
		"of another address":               {"192.0.2.8", s.newToken(t), 200},
		"unknown, of another address":      {"192.0.2.8", tokens.New(), 401},
		"none":                             {"192.0.2.7", "", 401},
	} {
		t.Run(name, func(t *testing.T) {
			s.call(t, "GET", "/accounts", from(c.address), as(c.token)).want(t, c.status)
		})
	}
	refused := s.call(t, "GET", "/accounts", from("192.0.2.7"), as("guess"))
	refused.wantBody(t, http.StatusTooManyRequests, `{"error":"Foram enviados tokens inválidos demais deste `+
		`endereço. Tente de novo em 3600 segundos."}`)
	equal(t, refused.header.Get("Retry-After"), "3600")
	login, err := s.send(t.Context(), "POST", "/console/login", as(""), from("192.0.2.7"),
		body("application/x-www-form-urlencoded", "secret=guess"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, login.want(t, http.StatusTooManyRequests).header.Get("Retry-After"), "3600")
}

func TestAnAddressHas2000GuessesAnd20ASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		guesses, client := api.DefaultGuesses(), netip.MustParseAddr("192.0.2.7")
		for _, most := range []int{2000, 20} {
			n := 0
			for guesses.Attempt(client) {
				n++
			}
			equal(t, n, most)
			time.Sleep(time.Second) // on the test's clock
		}
	})
}

// While the table of tokens is locked, five queries wait: those of four new tokens, and that of
// the token that was valid before, which is not throttled.
func TestAThrottledAddressIsLookedUpFourAtATime(t *testing.T) {
	t.Parallel()
	s, guesses := guessed(t, 1, 1)
	sent := []string{s.Token}
	for range 6 {
		sent = append(sent, s.newToken(t))
	}
	tx, err := s.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback() // a no-op after the commit
	if _, err := tx.ExecContext(t.Context(), `LOCK TABLE tokens`); err != nil {
		t.Fatal(err)
	}
	answers := make(chan answer, len(sent))
	for _, token := range sent {
		go func() {
			a, err := s.send(t.Context(), "GET", "/accounts", from("192.0.2.7"), as(token))
			if err != nil {
				a.body = err.Error()
			}
			answers <- a
		}()
	}
	for query[int](t, s, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
		AND wait_event_type = 'Lock'`) < 5 {
		select {
		case a := <-answers:
			t.Fatalf("was not looked up: %+v", a)
		default:
		}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 { // Turn would take a free place in about half of the calls
		if err := guesses.Turn(over, false, func() error { return nil }); !errors.Is(err, context.Canceled) {
			t.Fatal("another turn is free")
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	for range sent {
		if a := <-answers; a.status != http.StatusOK {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
}

func TestAnUntrustedProxyIsReported(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		h := api.New(api.Config{
			Trusted: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}, Zone: time.UTC,
			Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
		})
		warnings := func(remote, forwarded string) int {
			log.Reset()
			for range 3 {
				r := httptest.NewRequest("GET", "/nothing", nil)
				r.RemoteAddr = remote
				if forwarded != "" {
					r.Header.Set("X-Forwarded-For", forwarded)
				}
				h.ServeHTTP(httptest.NewRecorder(), r)
			}
			return strings.Count(log.String(), "\n")
		}
		equal(t, warnings("10.1.2.3:5", "192.0.2.7"), 0)
		equal(t, warnings("172.18.0.1:5", ""), 0)
		equal(t, warnings("172.18.0.1:5", "planted"), 1)
		if said := log.String(); !strings.Contains(said, "BORDERO_TRUSTED_PROXIES") ||
			!strings.Contains(said, "172.18.0.1") || strings.Contains(said, "planted") {
			t.Errorf("the log is %q", said)
		}
		equal(t, warnings("172.18.0.2:5", "192.0.2.7"), 0)
		time.Sleep(10 * time.Minute) // on the fake clock of synctest
		equal(t, warnings("172.18.0.1:5", "192.0.2.7"), 1)
	})
}

func TestAnswersAreGuardedAgainstBrowsers(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, path := range []string{"/accounts", "/entities/1", "/nothing"} {
		h := s.call(t, "GET", path).header
		equal(t, h.Get("X-Content-Type-Options"), "nosniff")
		equal(t, h.Get("X-Frame-Options"), "DENY")
		equal(t, h.Get("Referrer-Policy"), "no-referrer")
		equal(t, h.Get("Content-Security-Policy"), "default-src 'none'; frame-ancestors 'none'")
		equal(t, h.Get("Strict-Transport-Security"), "max-age=31536000") // the public URL is https
	}
	plain := serve(t, s.store, func(c *api.Config) { c.PublicURL = "http://127.0.0.1" })
	equal(t, plain.call(t, "GET", "/nothing", as("")).header.Get("Strict-Transport-Security"), "")
}
