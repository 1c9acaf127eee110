package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// concurrency is how many jobs, or requests, run at once.
const concurrency = 16

// tenant is an account with one entity, and the token of its administrator.
type tenant struct {
	AccountID int64  `json:"account_id"`
	EntityID  int64  `json:"entity_id"`
	Token     string `json:"token"`
}

// path returns a path below the entity.
func (t tenant) path(format string, args ...any) string {
	return fmt.Sprintf("/entities/%d", t.EntityID) + fmt.Sprintf(format, args...)
}

// service is processes of bordero over databases of their own, with a tenant.
type service struct {
	*harness
	tenant
	databaseURL, redisURL string
	db                    *sql.DB  // for the floors and for data that nothing else creates
	env                   []string // of the processes
	addr                  string   // of the API
}

// service creates a database, which is dropped at the end of the measurement, so that the vacuum of one
// does not disturb another, and starts processes, such as "api" and "work sales".
func (h *harness) service(ctx context.Context, processes ...string) *service {
	h.started[fmt.Sprint(h.pg.PID())], h.started[fmt.Sprint(h.redis.PID())] = true, true
	h.made++
	name := fmt.Sprint("bench_", h.made)
	admin := must(sql.Open("postgres", h.pg.URL()))
	h.atEnd(func() { _ = admin.Close() })
	must(admin.ExecContext(ctx, "CREATE DATABASE "+name))
	h.atEnd(func() { _, _ = admin.Exec("DROP DATABASE " + name + " WITH (FORCE)") })
	database, redis := must(url.Parse(h.pg.URL())), must(url.Parse(h.redis.URL()))
	database.Path, redis.Path = "/"+name, fmt.Sprint("/", h.made)
	s := &service{harness: h, databaseURL: database.String(), redisURL: redis.String(), addr: freeAddr()}
	s.db = openFloor(s.databaseURL)
	h.atEnd(func() { _ = s.db.Close() })
	s.env = append(os.Environ(), "DATABASE_URL="+s.databaseURL, "REDIS_URL="+s.redisURL,
		"BORDERO_FILES_URL=file://"+filepath.Join(h.dir, name), "BORDERO_TIMEZONE="+zone,
		fmt.Sprint("BORDERO_DATABASE_CONNECTIONS=", connections), "BORDERO_WEBHOOK_ALLOW_CIDRS=127.0.0.0/8")
	s.command(ctx, "migrate")
	s.tenant = s.newTenant(ctx, "bench@example.com")
	s.start(ctx, processes...)
	return s
}

// up starts a bordero up as shipped, whose tenant is that of its demo.
func (h *harness) up(ctx context.Context) *service {
	h.made++
	s, dir := &service{harness: h, addr: freeAddr()}, filepath.Join(h.dir, fmt.Sprint("up_", h.made))
	h.launch(ctx, os.Environ(), "http://"+s.addr+"/",
		exec.Command(h.binary, "up", "--local-webhooks", "--addr", s.addr, "--data", dir))
	until(ctx, 10*time.Millisecond, func() bool {
		content, err := os.ReadFile(filepath.Join(dir, "demo.json"))
		return err == nil && json.Unmarshal(content, &s.tenant) == nil
	})
	return s
}

// newTenant creates a tenant.
func (s *service) newTenant(ctx context.Context, email string) (t tenant) {
	check(json.Unmarshal(s.command(ctx, "account", "create", "--name", "Bench", "--email", email, "--json"), &t))
	// A few clients of a bench send more requests than the default admits.
	s.exec(ctx, `INSERT INTO account_quotas (account_id, requests_per_minute) VALUES ($1, 1000000000)`, t.AccountID)
	return t
}

// command runs a command of bordero and returns its output.
func (s *service) command(ctx context.Context, args ...string) []byte {
	cmd := exec.CommandContext(ctx, s.binary, args...)
	cmd.Env, cmd.Stderr = s.env, os.Stderr
	return must(cmd.Output())
}

// start starts processes and waits until they are ready.
func (s *service) start(ctx context.Context, processes ...string) {
	for _, words := range processes {
		args, ops := strings.Fields(words), freeAddr()
		env := append(slices.Clip(s.env), "BORDERO_ADDR="+s.addr, "BORDERO_OPS_ADDR="+ops)
		s.launch(ctx, env, "http://"+ops+"/readyz", exec.Command(s.binary, args...))
	}
}

// exec runs a statement.
func (s *service) exec(ctx context.Context, query string, args ...any) {
	if _, err := s.db.ExecContext(ctx, query, args...); err != nil {
		check(fmt.Errorf("%w in %s", err, query))
	}
}

// vacuum does what autovacuum would a minute later, for some tables or for all.
func (s *service) vacuum(ctx context.Context, tables ...string) {
	s.exec(ctx, `VACUUM ANALYZE `+strings.Join(tables, ", "))
}

// rest waits until no job is left but runs that stay with their webhook.
func (s *service) rest(ctx context.Context) {
	until(ctx, 5*time.Millisecond, func() bool {
		return one[bool](ctx, s.db, `SELECT NOT EXISTS (
			SELECT FROM jobs WHERE kind <> 'deliver_webhook' OR leased_until IS NULL)`)
	})
}

// one reads one value.
func one[T any](ctx context.Context, q querier, query string, args ...any) (v T) {
	rows := must(q.QueryContext(ctx, query, args...))
	defer rows.Close()
	if rows.Next() {
		check(rows.Scan(&v))
	}
	check(rows.Err())
	return v
}

// clients limits the requests in flight.
const clients = 256

// httpClient pools a connection for each client of a load.
var httpClient = &http.Client{
	Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConns: clients, MaxIdleConnsPerHost: clients},
}

// request returns a request of the tenant to a server.
func (t tenant) request(ctx context.Context, addr, method, path, document string) *http.Request {
	req := must(http.NewRequestWithContext(ctx, method, "http://"+addr+path, strings.NewReader(document)))
	req.SetBasicAuth(t.Token, "x")
	req.Header.Set("Content-Type", "application/json")
	return req
}

// answer sends a request and returns the body of the answer.
func answer(req *http.Request) ([]byte, error) {
	res, err := httpClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s %s", req.Method, req.URL.Path, res.Status, body)
	}
	return body, err
}

// ask sends a request with a document to the API, and decodes the answer, unless into is nil.
func (s *service) ask(ctx context.Context, method, path, document string, into any) {
	body := must(answer(s.request(ctx, s.addr, method, path, document)))
	if into != nil {
		check(json.Unmarshal(body, into))
	}
}

// newDepositAccount creates an empty deposit account of the tenant.
func (s *service) newDepositAccount(ctx context.Context) int64 {
	var made struct {
		DepositAccount struct{ ID int64 } `json:"deposit_account"`
	}
	s.ask(ctx, http.MethodPost, s.path("/deposit_accounts"), `{"deposit_account":{"name":"Banco",`+
		`"deposit_account_type_id":1,"currency_id":1}}`, &made)
	return made.DepositAccount.ID
}

// newSaleAccount creates the consolidated sale account of the tenant, whose id is 1.
func (s *service) newSaleAccount(ctx context.Context) {
	s.ask(ctx, http.MethodPost, "/sale_accounts", fmt.Sprintf(`{"sale_account":{"entity_id":%d,"name":"Cielo",`+
		`"provider":"cielo","payment_methods":"pix","consolidate":true}}`, s.EntityID), nil)
}

// raw returns the bytes of a request with a document, for sendAll.
func (t tenant) raw(addr, method, path, document string) []byte {
	var b bytes.Buffer
	_ = t.request(context.Background(), addr, method, path, document).Write(&b) // a Buffer accepts all writes
	return b.Bytes()
}

// rate sends requests in rotation over each of the connections, one after the other, and measures the
// answers per second.
func rate(addr string, requests ...[]byte) figure {
	return func(ctx context.Context, d time.Duration) sample {
		began := time.Now()
		n := sendAll(ctx, addr, concurrency, requests, func(n int64) bool {
			return n < concurrency || time.Since(began) < d
		})
		return sample{value: float64(n) / time.Since(began).Seconds()}
	}
}

// sendAll sends requests in rotation over each of the connections, one after the other, while more allows
// the one with a number. It returns how many were answered. It does not use http.Client, which would
// cost as much as the server that it measures.
func sendAll(ctx context.Context, addr string, connections int, requests [][]byte, more func(n int64) bool) int64 {
	var sent atomic.Int64
	together(connections, func() {
		conn := must(net.Dial("tcp", addr))
		defer conn.Close()
		r := bufio.NewReaderSize(conn, 64<<10)
		for n := sent.Add(1) - 1; more(n); n = sent.Add(1) - 1 {
			check(ctx.Err())
			request := requests[n%int64(len(requests))]
			must(conn.Write(request))
			res := must(http.ReadResponse(r, nil))
			must(io.Copy(io.Discard, res.Body))
			if res.StatusCode >= 300 {
				check(fmt.Errorf("%s to %.80s", res.Status, request))
			}
		}
	})
	return sent.Load() - int64(connections) // each connection counted one more
}
