package api_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"bordero/api"
	"bordero/internal/testkit"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// seen are the answers that a service observes, as "GET /people 200".
type seen chan string

// next waits for the next answer.
func (o seen) next(t *testing.T) string {
	t.Helper()
	select {
	case next := <-o:
		return next
	case <-time.After(testkit.Patience):
		t.Fatal("no answer was observed")
		return ""
	}
}

// observed returns a service with a database of its own, and the answers that it observes from now on.
func observed(t *testing.T, change ...func(*api.Config)) (*service, seen) {
	t.Helper()
	url := storagetest.DatabaseURL(t)
	answers := make(seen, 100)
	s := serve(t, storagetest.Open(t, url, storage.Options{}), append(change, func(c *api.Config) {
		c.Observe = func(method, route string, status int, _ time.Duration) {
			answers <- fmt.Sprintf("%s %s %d", method, route, status)
		}
	})...)
	s.db, s.Tenant = storagetest.DB(t, url), storagetest.NewTenant(t, s.store)
	return s, answers
}

// Balancers ask each second: at night, their requests would hide that those of users fail, and an API that is not ready
// would look like one that fails.
func TestProbesAreNotObserved(t *testing.T) {
	t.Parallel()
	s, answers := observed(t, func(c *api.Config) {
		c.Healthz = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
		c.Readyz = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
		})
	})
	s.fetch(t, "GET", "/healthz").want(t, 200)
	s.fetch(t, "HEAD", "/readyz").want(t, 503)
	s.fetch(t, "GET", "/readyz").want(t, 503)
	s.fetch(t, "GET", "/nothing").want(t, 404)
	equal(t, answers.next(t), "GET  404")
	s.call(t, "GET", "/people").want(t, 200)
	equal(t, answers.next(t), "GET /people 200")
}
