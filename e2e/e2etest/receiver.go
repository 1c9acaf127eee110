package e2etest

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Receiver is a webhook receiver: an HTTP server with one endpoint per path.
type Receiver struct {
	*httptest.Server

	mu     sync.Mutex
	posts  map[string]int    // by the notification's id
	taken  map[string]int    // notifications answered with 200
	of     map[string]int    // by path
	bodies map[string]string // of the first POST, by the notification's id
	wrong  string            // a POST that was empty or had another body than the first one; empty if none
	answer map[string]http.HandlerFunc
	now    int // POSTs in flight
	most   int
}

// NewReceiver starts a receiver that ends with the test, and fails it if the POSTs of a notification differ or are
// empty.
func NewReceiver(t testing.TB) *Receiver {
	t.Helper()
	r := &Receiver{posts: map[string]int{}, taken: map[string]int{}, of: map[string]int{},
		bodies: map[string]string{}, answer: map[string]http.HandlerFunc{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(func() {
		r.CloseClientConnections()
		r.Close()
		if r.wrong != "" {
			t.Error(r.wrong)
		}
	})
	return r
}

// Answers sets the response of a path, instead of 200.
func (r *Receiver) Answers(path string, f http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer[path] = f
}

func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	id := request.Header.Get("webhook-id")
	r.mu.Lock()
	if err == nil && id != "" {
		r.compare(id, body)
	}
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

// compare notes a body that is empty, or not the one of the first POST of a notification.
func (r *Receiver) compare(id string, body []byte) {
	first, again := r.bodies[id]
	if len(body) == 0 || again && string(body) != first {
		r.wrong = fmt.Sprintf("the notification %s was posted with the body %q", id, body)
	}
	if !again {
		r.bodies[id] = string(body)
	}
}

// noted records the status of a response; 0 before it has one.
type noted struct {
	http.ResponseWriter
	code int
}

func (n *noted) WriteHeader(code int)        { n.code = code; n.ResponseWriter.WriteHeader(code) }
func (n *noted) Unwrap() http.ResponseWriter { return n.ResponseWriter }

// HangUp returns a handler that writes answer and closes the connection.
func HangUp(answer string) http.HandlerFunc {
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

// Body returns the body of a notification, by its id, and whether it has been posted.
func (r *Receiver) Body(id string) (body string, posted bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	body, posted = r.bodies[id]
	return body, posted
}

// Count returns the number of POSTs to a path.
func (r *Receiver) Count(path string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.of[path]
}

// Together returns the number of POSTs and of distinct notifications.
func (r *Receiver) Together() (posts, notifications int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.posts {
		posts += n
	}
	return posts, len(r.posts)
}

// Moody responds like endpoints on a bad day.
func Moody(w http.ResponseWriter, request *http.Request) {
	switch n := rand.N(100); {
	case n < 60:
	case n < 70:
		time.Sleep(time.Duration(rand.N(200)) * time.Millisecond)
	case n < 80:
		w.WriteHeader(http.StatusInternalServerError)
	case n < 87:
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
	case n < 94:
		HangUp("")(w, request)
	default:
		HangUp("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")(w, request)
	}
}

// Most returns the highest number of concurrent POSTs.
func (r *Receiver) Most() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.most
}

// Delivering permits notifications to this machine. All retries wait for delay.
func Delivering(delay string) Option {
	return func(s *Site) {
		s.Env = append(s.Env, "BORDERO_WEBHOOK_ALLOW_CIDRS=127.0.0.0/8", "BORDERO_MAIL_DIR="+s.Files+"/../mail",
			"BORDERO_WEBHOOK_DELAYS=0s"+strings.Repeat(","+delay, 4))
	}
}

// Notified is the result of a site's notifications.
type Notified struct {
	Notifications, Delivered, Spent int // Spent counts notifications with five failed attempts
	Posts, Interrupted, Again       int // Again counts repeated receipts after an interrupted attempt
}

func (n Notified) String() string {
	return fmt.Sprintf("%d notifications, %d delivered, %d at five attempts, %d POSTs; %d attempts interrupted, by "+
		"which %d notifications came again",
		n.Notifications, n.Delivered, n.Spent, n.Posts, n.Interrupted, n.Again)
}

// Notified checks that each stored notification was delivered to r or has had its five attempts,
// and that an interrupted attempt explains each repeated one.
func (s *Site) Notified(r *Receiver) (told Notified) {
	s.t.Helper()
	rows, err := s.DB.QueryContext(s.t.Context(), `
		SELECT 'msg_' || d.id, d.status, d.attempts_count, count(*) FILTER (WHERE error LIKE '%interrompida%')
		FROM deliveries d LEFT JOIN delivery_attempts a ON a.delivery_id = d.id GROUP BY d.id, d.status,
			d.attempts_count`)
	if err != nil {
		s.t.Fatal(err)
	}
	defer rows.Close()
	told.Posts, _ = r.Together()
	r.mu.Lock()
	defer r.mu.Unlock()
	for rows.Next() {
		var id, status string
		var made, cut int
		if err := rows.Scan(&id, &status, &made, &cut); err != nil {
			s.t.Fatal(err)
		}
		told.Notifications++
		told.Interrupted += cut
		switch {
		case status == "delivered":
			told.Delivered++
		case status == "failed" && made == 5:
			told.Spent++
		default:
			s.t.Errorf("%s: %s after %d attempts", id, status, made)
		}
		if r.posts[id] > made || made > 5 {
			s.t.Errorf("%s: %d POSTs in %d attempts", id, r.posts[id], made)
		}
		if status == "delivered" && r.taken[id] == 0 {
			s.t.Errorf("%s: delivered, and never taken", id)
		}
		if twice := r.taken[id] - 1; twice > 0 {
			told.Again += twice
			if twice > cut {
				s.t.Errorf("%s: taken %d times, with %d attempts interrupted", id, r.taken[id], cut)
			}
		}
	}
	if err := rows.Err(); err != nil {
		s.t.Fatal(err)
	}
	return told
}
