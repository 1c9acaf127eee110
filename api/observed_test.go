package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"bordero/api"
	"bordero/internal/blobs"
	"bordero/internal/download"
	"bordero/internal/rpc"
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

// drain drops the answers until now.
func (o seen) drain() {
	for len(o) > 0 {
		<-o
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

// A client whose patience is shorter than a request is no failure of the API.
func TestAClientThatDoesNotWaitIsNoFailure(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	s, answers := observed(t, func(c *api.Config) {
		c.SignURL = func(context.Context, download.SignURL) (string, error) {
			asked <- struct{}{}
			<-t.Context().Done()
			return "", rpc.ErrNoAnswer
		}
	})
	attachment := s.newAttachment(t)
	answers.drain()
	s.block(t, "people")
	for _, c := range []struct {
		path, want string
		begun      func()
	}{
		{"/people", "GET /people 499", func() {
			testkit.Eventually(t, "the request waits", func() bool { return query[int](t, s, blocked) > 0 })
		}},
		{attachment + "/download", "GET /entities/:entity_id/attachments/:attachment_id/download 499",
			func() { <-asked }},
	} {
		ctx, leave := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := s.send(ctx, "GET", c.path)
			ended <- err
		}()
		c.begun()
		leave()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("%s has an answer: %v", c.path, err)
		}
		equal(t, answers.next(t), c.want)
	}
}

// An answer that ends early is no success, although its status was sent: the metrics and the line of the request have
// the status of the error, or 499 if the client has left.
func TestAnInterruptedAnswerIsNoSuccess(t *testing.T) {
	t.Parallel()
	type running struct {
		*service
		answer *http.Response
	}
	list := func(t *testing.T, s *service) string { return s.transactions(t, 100_000) + ".csv" }
	for name, c := range map[string]struct {
		path      func(*testing.T, *service) string
		interrupt func(*testing.T, running)
		status    int
		level     string
	}{
		"PostgreSQL fails": {list, func(t *testing.T, r running) {
			r.exec(t, `ALTER TABLE financial_transactions RENAME TO gone`)
		}, 500, "WARN"},
		"the client leaves": {list, func(_ *testing.T, r running) { _ = r.answer.Body.Close() }, 499, "INFO"},
		"the file ends early": {func(t *testing.T, s *service) string {
			a := s.call(t, "POST", "/entities/1/attachments", parts(attachment("a.bin", "application/octet-stream",
				strings.Repeat("0123456789abcdef", 2<<20)))).want(t, 201)
			return s.address(t, strings.TrimPrefix(a.header.Get("Location"), publicURL))
		}, func(t *testing.T, r running) {
			for _, name := range r.storedFiles(t) {
				if err := os.Truncate(name, 0); err != nil {
					t.Fatal(err)
				}
			}
		}, 500, "WARN"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log lines
			s, answers := observed(t, func(cfg *api.Config) { cfg.Log = slog.New(slog.NewJSONHandler(&log, nil)) })
			path := c.path(t, s)
			answers.drain()
			a := s.sheet(t, path, with("X-Request-Id", "interrupted"))
			equal(t, a.StatusCode, 200)
			c.interrupt(t, running{s, a})
			if _, err := io.Copy(io.Discard, a.Body); err == nil {
				t.Error("it looks like a whole answer")
			}
			said := log.line(t, "interrupted")
			equal(t, said["status"], any(float64(c.status)))
			equal(t, said["interrupted"], any(true))
			if next := answers.next(t); !strings.HasSuffix(next, fmt.Sprintf(" %d", c.status)) {
				t.Errorf("observed is %s", next)
			}
			equal(t, log.level("answer interrupted"), c.level)
		})
	}
}

// deaf is the connection of a client that leaves while it is sent an answer.
type deaf struct {
	http.ResponseWriter
	leave context.CancelFunc
}

func (d deaf) Write([]byte) (int, error) {
	d.leave()
	return 0, io.ErrClosedPipe
}

func TestADocumentThatCannotBeSentIsNoSuccess(t *testing.T) {
	t.Parallel()
	var cfg *api.Config
	s, answers := observed(t, func(c *api.Config) { cfg = c })
	ctx, leave := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, "GET", "/people", nil)
	as(s.Token)(r)
	func() {
		defer func() {
			if err := recover(); err != http.ErrAbortHandler {
				t.Errorf("the connection does not end: %v", err)
			}
		}()
		api.New(*cfg).ServeHTTP(deaf{httptest.NewRecorder(), leave}, r)
	}()
	equal(t, answers.next(t), "GET /people 499")
}

// torn is a file of a store that fails while it is read.
type torn struct{ *strings.Reader }

func (f torn) Read(b []byte) (int, error) {
	if n := f.Len(); n < 1<<20 {
		return 0, syscall.EIO
	}
	return f.Reader.Read(b[:min(len(b), 1<<10)])
}

// The operator looks for the store, not for a defect.
func TestAFileThatCannotBeReadIsUnavailable(t *testing.T) {
	t.Parallel()
	for _, ranges := range []string{"", "bytes=100-199", "bytes=0-9,100-199"} {
		r := httptest.NewRequest("GET", "/files/a", nil)
		r.Header.Set("Range", ranges)
		err := api.SendContent(httptest.NewRecorder(), r, torn{strings.NewReader(strings.Repeat("0", 1<<20+99))})
		if !errors.Is(err, blobs.ErrUnavailable) || !errors.Is(err, syscall.EIO) {
			t.Errorf("range %q: %v", ranges, err)
		}
	}
}
