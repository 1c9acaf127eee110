package api_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"bordero/api"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/paths"
	"bordero/internal/testkit"
	"bordero/storage"
	"bordero/storage/members"
	"bordero/storage/storagetest"
)

const unavailable = `{"error":"Serviço indisponível no momento. Tente de novo em alguns segundos."}`

func TestWithoutADatabaseEveryRouteSaysToComeBack(t *testing.T) {
	t.Parallel()
	// Nothing listens on port 1.
	s := serve(t, storagetest.Open(t, "postgres://bordero@127.0.0.1:1/bordero?sslmode=disable", storage.Options{}))
	s.Token = "a"
	ids := records{"entity_id": 1, "deposit_account_id": 1, "financial_transaction_id": 1, "bank_statement_id": 1,
		"bank_statement_item_id": 1}
	for _, r := range api.Routes() {
		a := s.call(t, r.Method, ids.path(r), valid(t, r), with("Accept", "application/json"))
		a.wantBody(t, http.StatusServiceUnavailable, unavailable)
		equal(t, a.header.Get("Retry-After"), "2")
		s.call(t, r.Method, ids.path(r), valid(t, r), with("Accept", "application/xml")).wantBody(t,
			http.StatusServiceUnavailable,
			`<?xml version="1.0" encoding="UTF-8"?><errors><error>Serviço indisponível no momento. Tente de novo em `+
				`alguns segundos.</error></errors>`)
	}
	login := s.login(t, "a").want(t, http.StatusServiceUnavailable).header
	equal(t, login.Get("Retry-After")+" "+login.Get("X-Error-Code"), "2 unavailable")
	s.call(t, "GET", "/nothing").want(t, http.StatusNotFound)
	equal(t, s.storedFiles(t), nil)
}

// cable is a proxy between a service and its database that can fail.
type cable struct {
	net.Listener
	target string

	mu    sync.Mutex
	cut   bool // closes all connections, old and new
	loses bool // drops the answer to the next commit and closes its connection
	conns []net.Conn
}

// overCable returns a service that reaches its database over a cable.
func overCable(t *testing.T) (*service, *cable) {
	t.Helper()
	direct := storagetest.DatabaseURL(t)
	w, cabled := newCable(t, direct)
	s := serve(t, storagetest.Open(t, cabled, storage.Options{}))
	s.db = storagetest.DB(t, direct)
	s.Tenant = storagetest.NewTenant(t, s.store)
	return s, w
}

// newCable returns a cable to a database, and the database's URL over it.
func newCable(t *testing.T, databaseURL string) (*cable, string) {
	t.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &cable{Listener: l, target: u.Host}
	t.Cleanup(func() { w.set(true, false); _ = l.Close() })
	go w.run()
	u.Host = l.Addr().String()
	return w, u.String()
}

func (w *cable) run() {
	for {
		near, err := w.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", w.target)
		if err != nil {
			_ = near.Close()
			continue
		}
		w.mu.Lock()
		w.conns = append(w.conns, near, far)
		if w.cut {
			_ = near.Close()
		}
		w.mu.Unlock()
		go func() { _, _ = io.Copy(far, near); _ = far.Close() }()
		go w.carry(near, far)
	}
}

// carry copies the database's answers.
func (w *cable) carry(near, far net.Conn) {
	defer near.Close()
	b := make([]byte, 64<<10)
	for {
		n, err := far.Read(b)
		if err != nil {
			return
		}
		w.mu.Lock()
		lost := w.loses && bytes.Contains(b[:n], []byte("COMMIT\x00"))
		w.loses = w.loses && !lost
		w.mu.Unlock()
		if lost {
			return
		}
		if _, err := near.Write(b[:n]); err != nil {
			return
		}
	}
}

func (w *cable) set(cut, loses bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut, w.loses = cut, loses
	for _, c := range w.conns {
		if cut {
			_ = c.Close()
		}
	}
}

func TestADatabaseThatGoesAndComesBack(t *testing.T) {
	t.Parallel()
	s, w := overCable(t)
	account := s.newDepositAccount(t)
	write := document(`{"financial_transaction":{"type":"Debit","amount":1,"occurred_at":"2026-01-02"}}`)
	for range 3 {
		w.set(true, false)
		s.call(t, "GET", account).wantBody(t, http.StatusServiceUnavailable, unavailable)
		s.call(t, "POST", account+"/financial_transactions", write).wantBody(t, http.StatusServiceUnavailable,
			unavailable)
		s.call(t, "POST", account+"/bank_statements", parts(file("a.ofx", ofx))).wantBody(t,
			http.StatusServiceUnavailable, unavailable)
		equal(t, query[int](t, s, `SELECT count(*) FROM financial_transactions`), 0)
		s.nothingStored(t)
		w.set(false, false)
		s.call(t, "GET", account).want(t, http.StatusOK)
	}
}

// The answer to the commit is lost, so the API cannot know that the row was stored. It must not
// remove the file.
func TestAnUploadRetainsItsFileWhenTheCommitsAnswerIsLost(t *testing.T) {
	t.Parallel()
	s, w := overCable(t)
	account := s.newDepositAccount(t)
	s.call(t, "GET", account).want(t, http.StatusOK) // stores the last use of the token, which would be the next commit
	w.set(false, true)
	s.call(t, "POST", account+"/bank_statements", parts(file("a.ofx", ofx))).wantBody(t, http.StatusServiceUnavailable,
		unavailable)
	equal(t, query[int](t, s, `SELECT count(*) FROM bank_statements`), 1)
	equal(t, len(s.storedFiles(t)), 1)
}

// A stopping PostgreSQL terminates sessions in the middle of a statement.
func TestASessionThatIsEndedInTheMiddleOfAWrite(t *testing.T) {
	t.Parallel()
	s := newService(t)
	account := s.newDepositAccount(t)
	a := s.meanwhile(t, `SELECT FROM deposit_accounts FOR UPDATE`,
		`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
		AND wait_event_type = 'Lock'`,
		func(ctx context.Context) (answer, error) {
			return s.send(ctx, "PUT", account, document(`{"deposit_account":{"name":"b"}}`))
		})
	a.wantBody(t, http.StatusServiceUnavailable, unavailable)
	equal(t, s.call(t, "GET", account).at(t, "deposit_account.name"), "Banco")
}

// Many clients send the whole request before they read the answer. They must find the answer,
// not a connection that was reset.
func TestARefusedRequestIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	address := storagetest.DatabaseURL(t)
	now := func() time.Time { return time.Date(2026, 3, 4, 10, 20, 45, 0, time.UTC) }
	s := serve(t, storagetest.Open(t, address, storage.Options{}), func(c *api.Config) { c.Limiter = limiter(t, now) })
	s.db, s.Tenant = storagetest.DB(t, address), storagetest.NewTenant(t, s.store)
	account := s.newDepositAccount(t)
	path, console := account+"/bank_statements", (&tab{service: s}).entityPage(s.EntityID)+"/bank_statements"
	session := with("Cookie", "bordero_console="+s.enter(t, s.Token).cookie)
	readOnly := storagetest.NewToken(t, s.store, members.NewToken{UserID: s.UserID, AccountID: &s.AccountID,
		Rights: finance.Rights{ReadOnly: true}})
	busy := *s
	busy.Tenant = storagetest.NewTenant(t, s.store)
	busy.quota(t, finance.RequestsPerMinute, 1)
	busy.call(t, "GET", "/people").want(t, http.StatusOK)
	large := strings.Repeat("a", 30<<20)
	statement := parts(file("a.ofx", large))
	for name, c := range map[string]struct {
		path    string
		status  int
		options []option
	}{
		"no statement": {path, 422, []option{parts(file("a.ofx", "%PDF-1.7"+large))}},
		"too large":    {path, 413, []option{parts(file("a.ofx", ofx+strings.Repeat(" ", 60<<20)))}},
		"a document":   {"/people", 413, []option{document(`{"person":{"name":"` + large + `"}}`)}},
		"below a missing account": {paths.BankStatements(s.EntityID, lastID(account)+1), 404,
			[]option{statement}},
		"below a missing entity": {paths.RoutedStatements(s.EntityID + 1), 404, []option{statement}},
		"of a token that reads":  {path, 403, []option{statement, as(readOnly)}},
		"under a long key":       {path, 400, []option{statement, key(strings.Repeat("a", 256))}},
		"one too many":           {"/people", 429, []option{document(large), as(busy.Token)}},
		"a form of another session": {console, 403, []option{as(""), session, parts(text("form", "0"),
			part{`form-data; name="file"; filename="a.ofx"`, "", large})}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), "POST", s.url+c.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.SetBasicAuth(s.Token, "x")
			for _, o := range c.options {
				o(r)
			}
			conn, err := net.Dial("tcp", r.URL.Host)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if err := r.Write(conn); err != nil {
				t.Fatalf("while it was written: %v", err)
			}
			res, err := http.ReadResponse(bufio.NewReader(conn), r)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			equal(t, res.StatusCode, c.status)
		})
	}
}

// A statement that PostgreSQL ends at its time limit is no outage: the refusal says how to ask for less.
func TestAStatementThatTakesTooLong(t *testing.T) {
	t.Parallel()
	database := storagetest.DatabaseURL(t)
	s := serve(t, storagetest.Open(t, database, storage.Options{StatementTimeout: time.Second}))
	s.Tenant = storagetest.NewTenant(t, storagetest.Open(t, database, storage.Options{}))
	held, err := storagetest.DB(t, database).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Rollback()
	if _, err := held.ExecContext(t.Context(), `SELECT FROM entities FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	a := s.call(t, "PUT", paths.Entity(s.EntityID), document(`{"entity":{"name":"Moinho"}}`))
	a.wantBody(t, http.StatusServiceUnavailable, `{"error":"`+messages.TookTooLong.Text+`"}`)
	equal(t, a.header.Get("Retry-After"), "2")
}

// A client that waits for 100 Continue sends no file that is refused.
func TestARefusedUploadThatWaitsIsNotSent(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.client.Transport.(*http.Transport).ExpectContinueTimeout = testkit.Patience
	account := s.newDepositAccount(t)
	s.quota(t, finance.FileBytes, 0)
	atOnce := make(chan struct{})
	close(atOnce)
	for path, status := range map[string]int{
		account + "/bank_statements":                              422,
		paths.BankStatements(s.EntityID, lastID(account)+1):       404,
		paths.Attachments(s.EntityID + 1):                         404,
		paths.RoutedStatements(s.EntityID) + "?preview=sometimes": 422,
	} {
		sent := make(chan struct{}, 1)
		s.call(t, "POST", path, parts(file("a.ofx", ofx)), heldWhenRead(sent, atOnce)).want(t, status)
		if len(sent) > 0 {
			t.Errorf("the file was sent to %s", path)
		}
	}
}
