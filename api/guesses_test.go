package api_test

import (
	"net/http"
	"net/netip"
	"testing"
	"time"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/throttle"
	"bordero/storage"
	"bordero/storage/storagetest"
)

func TestGuessesOfTokensAreThrottled(t *testing.T) {
	t.Parallel()
	store := storagetest.Open(t, storagetest.DatabaseURL(t), storage.Options{})
	s := serve(t, store, func(c *api.Config) {
		c.Trusted, c.Guesses = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, throttle.New(30, 2*time.Second)
	})
	s.Tenant = storagetest.NewTenant(t, store)
	_, other := storagetest.NewUser(t, store, finance.Access{AccountID: s.AccountID, Administrator: true, AllEntities: true})
	from := func(address string) option { return with("X-Forwarded-For", "203.0.113.50, "+address) }
	s.call(t, "GET", "/accounts", from("192.0.2.7")).want(t, http.StatusOK)
	guesses, refused := 0, answer{}
	for refused.status != http.StatusTooManyRequests {
		if guesses++; guesses > 100 {
			t.Fatal("a hundred guesses are answered")
		}
		refused = s.call(t, "GET", "/accounts", from("192.0.2.7"), as("guess"))
	}
	refused.says(t, http.StatusTooManyRequests, `{"error":"Foram enviados tokens inválidos demais deste endereço. Tente de novo em 2 segundos."}`)
	equal(t, refused.header.Get("Retry-After"), "2")
	if guesses < 30 {
		t.Errorf("refused after %d guesses", guesses)
	}
	t.Run("not of who has been here", func(t *testing.T) { s.call(t, "GET", "/accounts", from("192.0.2.7")).want(t, http.StatusOK) })
	t.Run("of who has not", func(t *testing.T) {
		s.call(t, "GET", "/accounts", from("192.0.2.7"), as(other)).want(t, http.StatusTooManyRequests)
	})
	t.Run("not of another address", func(t *testing.T) {
		s.call(t, "GET", "/accounts", from("192.0.2.8"), as(other)).want(t, http.StatusOK)
	})
	t.Run("not without a token", func(t *testing.T) {
		s.call(t, "GET", "/accounts", from("192.0.2.7"), as("")).want(t, http.StatusUnauthorized)
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
		equal(t, h.Get("Strict-Transport-Security"), "max-age=31536000") // it is https
	}
	plain := serve(t, s.store, func(c *api.Config) { c.PublicURL = "http://127.0.0.1" })
	equal(t, plain.call(t, "GET", "/nothing", as("")).header.Get("Strict-Transport-Security"), "")
}
