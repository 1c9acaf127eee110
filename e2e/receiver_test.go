package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"bordero/e2e/e2etest"
	"bordero/storage"
)

// receiver is what users run: an HTTP server whose paths are endpoints.
type receiver struct {
	*httptest.Server

	mu     sync.Mutex
	posts  map[string]int // by the notification's id
	taken  map[string]int // those answered with 200
	of     map[string]int // by path
	answer map[string]http.HandlerFunc
	now    int // POSTs that are on their way
	most   int
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{posts: map[string]int{}, taken: map[string]int{}, of: map[string]int{}, answer: map[string]http.HandlerFunc{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(func() { r.CloseClientConnections(); r.Close() })
	return r
}

// answers says how a path answers, instead of with 200.
func (r *receiver) answers(path string, f http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer[path] = f
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	_, _ = io.Copy(io.Discard, request.Body)
	id := request.Header.Get("webhook-id")
	r.mu.Lock()
	r.posts[id]++
	r.of[request.URL.Path]++
	r.now++
	r.most = max(r.most, r.now)
	answer := r.answer[request.URL.Path]
	r.mu.Unlock()
	seen := &noted{ResponseWriter: w, code: http.StatusOK}
	if answer != nil {
		answer(seen, request)
	}
	r.mu.Lock()
	r.now--
	if seen.code == http.StatusOK {
		r.taken[id]++
	}
	r.mu.Unlock()
}

// noted notes the status of an answer; 0 is none.
type noted struct {
	http.ResponseWriter
	code int
}

func (n *noted) WriteHeader(code int)        { n.code = code; n.ResponseWriter.WriteHeader(code) }
func (n *noted) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// hangUp ends the connection after what is written to it.
func hangUp(answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if n, ok := w.(*noted); ok {
			n.code = 0
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_, _ = io.WriteString(conn, answer)
			_ = conn.Close()
		}
	}
}

// count is how many POSTs came to a path.
func (r *receiver) count(path string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.of[path]
}

// together are the POSTs, and how many notifications they were.
func (r *receiver) together() (posts, notifications int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.posts {
		posts += n
	}
	return posts, len(r.posts)
}

// delivering lets notifications reach this machine; the first retry, and the
// others, come after the delay.
func delivering(delay string) e2etest.Option {
	return func(s *e2etest.Site) {
		s.Env = append(s.Env, "BORDERO_WEBHOOK_ALLOW_CIDRS=127.0.0.0/8", "BORDERO_MAIL_DIR="+s.Files+"/../mail",
			"BORDERO_WEBHOOK_DELAYS=0s"+strings.Repeat(","+delay, 4))
	}
}

// subscribe makes a webhook of the site's entity.
func subscribe(t *testing.T, s *e2etest.Site, url string) int64 {
	t.Helper()
	return e2etest.Value[int64](t, s.DB, `INSERT INTO webhooks (account_id, entity_id, url, format, secret)
		VALUES ($1, $2, $3, 'json', '0123456789abcdef01234567') RETURNING id`, s.ID, s.Entity, url)
}

// newPerson makes a person, which is an event for every webhook.
func newPerson(s *e2etest.Site) error {
	return s.Post("/people", map[string]any{"person": map[string]any{"name": "Ana"}}, &struct{}{})
}

// mustHappen makes an event.
func mustHappen(t *testing.T, s *e2etest.Site) {
	t.Helper()
	if err := newPerson(s); err != nil {
		t.Fatal(err)
	}
}

// openStore is the storage of a site, for what the API does elsewhere.
func openStore(t *testing.T, s *e2etest.Site) *storage.Store {
	t.Helper()
	for _, v := range s.Env {
		if url, ok := strings.CutPrefix(v, "DATABASE_URL="); ok {
			store, err := storage.Open(url, storage.Options{Connections: 2})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = store.Close() })
			return store
		}
	}
	t.Fatal("no DATABASE_URL")
	return nil
}

// verified does what a successful verification does.
func verified(t *testing.T, s *e2etest.Site, store *storage.Store, webhook int64) {
	t.Helper()
	err := store.InTx(t.Context(), func(tx *storage.Tx) error { return tx.ActivateWebhook(t.Context(), s.ID, webhook, http.StatusOK) })
	if err != nil {
		t.Error(err)
	}
}

// attempts lists the attempts of a webhook's deliveries.
func attempts(t *testing.T, s *e2etest.Site, webhook int64) string {
	t.Helper()
	return e2etest.Value[string](t, s.DB, fmt.Sprintf(`SELECT coalesce(string_agg(concat_ws(' ', number, response_code, CASE WHEN finished_at IS NULL THEN 'open' END), ', ' ORDER BY delivery_id, number), '')
		FROM delivery_attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE d.webhook_id = %d`, webhook))
}
