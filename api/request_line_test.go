package api_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"bordero/api"
	"bordero/internal/testkit"
	"bordero/storage"
	"bordero/storage/members"
	"bordero/storage/storagetest"
)

// lines is a log in JSON, as a request writes it after its answer.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

// line waits for the line of a request, and returns its attributes.
func (l *lines) line(t *testing.T, requestID string) map[string]any {
	t.Helper()
	said := map[string]any{}
	testkit.Eventually(t, "the line of "+requestID, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		for line := range strings.Lines(l.buf.String()) {
			if strings.Contains(line, `"request_id":"`+requestID+`"`) && json.Unmarshal([]byte(line), &said) == nil &&
				said["msg"] == "request" {
				return true
			}
		}
		return false
	})
	return said
}

// level returns the level of a line that has been logged.
func (l *lines) level(msg string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.buf.String()) {
		var said struct{ Msg, Level string }
		if json.Unmarshal([]byte(line), &said) == nil && said.Msg == msg {
			return said.Level
		}
	}
	return ""
}

// failed returns the error that was logged for a download, before its answer.
func (l *lines) failed(requestID string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.buf.String()) {
		var said struct {
			Msg, Error string
			RequestID  string `json:"request_id"`
		}
		if json.Unmarshal([]byte(line), &said) == nil && said.RequestID == requestID &&
			strings.HasPrefix(said.Msg, "download failed") {
			return said.Error
		}
	}
	return ""
}

// The line of a request says whose it was and what it cost, without a secret, and nothing that is not known.
func TestTheLineOfARequest(t *testing.T) {
	t.Parallel()
	databaseURL := storagetest.DatabaseURL(t)
	var log lines
	healthy := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	s := serve(t, storagetest.Open(t, databaseURL, storage.Options{}), func(c *api.Config) {
		c.Trusted = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
		c.Log = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		c.Healthz = healthy
	})
	s.db = storagetest.DB(t, databaseURL)
	s.Tenant = storagetest.NewTenant(t, s.store)
	one := s.Token
	s.join(t, storagetest.NewTenant(t, s.store).AccountID)
	both := storagetest.NewToken(t, s.store, members.NewToken{UserID: s.UserID}) // for all accounts
	for range 40 {                                                               // more than 1 KB, which is compressed
		s.call(t, "POST", "/people", document(`{"person": {"name": "Zebrulina Quitanda", "customer": true}}`)).want(t,
			201)
	}
	s.call(t, "GET", "/accounts", as(both)).want(t, 200) // the first use of a token is stored
	const person = `{"person": {"name": "Ana", "customer": true}}`
	account, user := float64(s.AccountID), float64(s.UserID)
	known := func(more map[string]any) map[string]any {
		all := map[string]any{"level": "INFO", "account_id": account, "user_id": user, "token": both[:6],
			"address": "127.0.0.1", "received_bytes": 0.0}
		for name, value := range more {
			all[name] = value
		}
		return all
	}
	for name, c := range map[string]struct {
		method, path string
		options      []option
		want         map[string]any // nil: absent
	}{
		"a list": {"GET", "/people.json?search%5Bname_equals%5D=Zebrulina+Quitanda", []option{
			with("X-Account-Id", "1"), from("192.0.2.7")},
			known(map[string]any{"path": "/people", "route": "/people", "status": 200.0, "address": "192.0.2.7",
				"statements": 2.0})},
		"a record": {"GET", "/people/1",
			[]option{with("X-Account-Id", "1"),
				with("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")},
			known(map[string]any{"path": "/people/1", "route": "/people/:person_id",
				"trace_id": "0af7651916cd43dd8448eb211c80319c"})},
		"a write": {"POST", "/people", []option{with("X-Account-Id", "1"), document(person)},
			known(map[string]any{"route": "/people", "status": 201.0, "received_bytes": float64(len(person))})},
		"HEAD": {"HEAD", "/people", []option{with("X-Account-Id", "1")},
			known(map[string]any{"method": "HEAD", "sent_bytes": 0.0})},
		"no account": {"GET", "/people", nil,
			known(map[string]any{"status": 422.0, "account_id": nil, "route": "/people"})},
		"one account": {"GET", "/people", []option{as(one), with("X-Account-Id", "777")}, map[string]any{
			"account_id": account, "status": 422.0, "token": one[:6]}},
		"of accounts": {"GET", "/accounts", nil, known(map[string]any{"account_id": nil, "status": 200.0})},
		"a guess": {"GET", "/people", []option{as("sesame-" + both)}, map[string]any{
			"status": 401.0, "account_id": nil, "user_id": nil, "token": nil}},
		"no route": {"GET", "/peoples", []option{as("")}, map[string]any{"status": 404.0, "route": nil,
			"statements": 0.0, "database_ms": 0.0, "token": nil, "trace_id": nil}},
		"long": {strings.Repeat("M", 1000), "/" + strings.Repeat("p", 10_000), []option{as("")}, map[string]any{
			"method": strings.Repeat("M", 32), "path": "/" + strings.Repeat("p", 1023)}},
		"a file": {"GET", "/files/1/ab/x/1/sig", []option{as("")}, map[string]any{"path": "/files/",
			"status": 403.0}},
		"health check": {"GET", "/healthz", []option{as("")}, map[string]any{"level": "DEBUG", "status": 200.0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id := "of-" + strings.ReplaceAll(name, " ", "-")
			answer, err := s.send(t.Context(), c.method, c.path, append([]option{as(both), with("X-Request-Id", id)},
				c.options...)...)
			if err != nil {
				t.Fatal(err)
			}
			said := log.line(t, id)
			for attribute, want := range c.want {
				if said[attribute] != want {
					t.Errorf("%s is %v, not %v", attribute, said[attribute], want)
				}
			}
			if c.method != "HEAD" && said["sent_bytes"] != float64(len(answer.body)) {
				t.Errorf("%v of %d bytes", said["sent_bytes"], len(answer.body))
			}
			took, database, statements := said["took_ms"].(float64), said["database_ms"].(float64),
				said["statements"].(float64)
			if took <= 0 || database < 0 || database > took || (database > 0) != (statements > 0) {
				t.Errorf("took %v ms, %v of them in %v statements", took, database, statements)
			}
		})
	}
	t.Cleanup(func() {
		for _, secret := range []string{both, both[:7], one[:7], "sesame", "Zebrulina", "/sig"} {
			if strings.Contains(log.buf.String(), secret) {
				t.Errorf("the log has %s", secret)
			}
		}
	})
}
