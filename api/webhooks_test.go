package api_test

import (
	"net/http"
	"sync"
	"testing"

	"bordero/api"
	"bordero/storage"
	"bordero/storage/storagetest"
)

// endpoint is an outside world of one address, which answers as it is told and
// remembers what it was asked.
type endpoint struct {
	mu    sync.Mutex
	reply func(*http.Request) (*http.Response, error)
	asked []*http.Request
}

func (e *endpoint) RoundTrip(r *http.Request) (*http.Response, error) {
	e.mu.Lock()
	reply := e.reply
	e.asked = append(e.asked, r)
	e.mu.Unlock()
	return reply(r)
}

// answer lets the endpoint answer with a status.
func (e *endpoint) answer(status int) {
	e.does(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Body: http.NoBody, Request: r}, nil
	})
}

func (e *endpoint) does(reply func(*http.Request) (*http.Response, error)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.reply = reply
}

// newSubscribed is newService with an endpoint that answers with 200.
func newSubscribed(t *testing.T) (*service, *endpoint) {
	t.Helper()
	e := &endpoint{}
	e.answer(http.StatusOK)
	databaseURL := storagetest.DatabaseURL(t)
	s := serve(t, storagetest.Open(t, databaseURL, storage.Options{}), func(c *api.Config) { c.Outgoing = &http.Client{Transport: e} })
	s.db = storagetest.DB(t, databaseURL)
	s.Tenant = storagetest.NewTenant(t, s.store)
	return s, e
}
