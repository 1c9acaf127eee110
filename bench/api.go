package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"bordero/storage"
)

// listed is the number of transactions of a list: the largest page.
const listed = 500

// servers are the two servers that answer the same requests: the API, and the floor of floor.go.
// The load, PostgreSQL and each server are processes of their own, as in production.
type servers struct {
	harness *harness
	lease
	tenant
	api, floor string // host:port
	account    int64
}

func newServers(ctx context.Context, h *harness) (s servers, err error) {
	s.harness = h
	l, err := h.lease(ctx)
	if err != nil {
		return s, err
	}
	s.lease = l
	store, err := storage.Open(l.databaseURL, storage.Options{Timezone: zone})
	if err != nil {
		return s, err
	}
	defer store.Close()
	if s.tenant, err = newTenant(ctx, store, "0123456789abcdef"); err != nil {
		return s, err
	}
	if s.account, err = newDepositAccount(ctx, store, s.tenant); err != nil {
		return s, err
	}
	if err := l.transactions(ctx, s.tenant, s.account); err != nil {
		return s, err
	}
	s.api, s.floor = freeAddr(), freeAddr()
	if err := h.bordero(ctx, l, s.api, "api"); err != nil {
		return s, err
	}
	self, err := os.Executable()
	if err != nil {
		return s, err
	}
	env := []string{floorAddr + "=" + s.floor, "DATABASE_URL=" + l.databaseURL}
	if h.preparedFloor {
		env = append(env, floorPrepared+"=1")
	}
	return s, h.start(ctx, env, "http://"+s.floor+"/healthz", syscall.SIGTERM, self)
}

// transactions creates ten pages of transactions, as an import leaves them. The times have no
// fraction of a second, which only one side writes, and the amounts have no trailing zero.
func (l lease) transactions(ctx context.Context, t tenant, account int64) error {
	for _, query := range []string{`
		INSERT INTO bank_statements (id, account_id, deposit_account_id, file_key, file_file_name, file_content_type,
			file_file_size)
		VALUES (1, $1, $2, 'key', 'extrato.ofx', 'application/x-ofx', 1)`, `
		INSERT INTO financial_transactions (account_id, deposit_account_id, bank_statement_id, currency_id, amount,
			occurred_at,
			guid, document, original_description, created_at, updated_at)
		SELECT $1, $2, 1, 1, (n * 10 + 1 + n % 9) * (CASE WHEN n % 4 = 0 THEN 1 ELSE -1 END) / 100.0,
			date '2025-01-02' + n / 25,
			'F' || n, n, 'PIX ENVIADO MARIA DA CONCEIÇÃO ' || n, date_trunc('second', now()),
				date_trunc('second', now())
		FROM generate_series(1, 10 * 500) n`, `
		UPDATE deposit_accounts SET transactions_count = 5000, transactions_sum = -1.23,
			last_transaction_date = '2025-07-21',
			initial_balance = 10.55, created_at = date_trunc('second', now()), updated_at = date_trunc('second', now())
		WHERE account_id = $1 AND id = $2`} {
		if _, err := l.db.ExecContext(ctx, query, t.AccountID, account); err != nil {
			return err
		}
	}
	_, err := l.db.ExecContext(ctx, `VACUUM ANALYZE`) // as autovacuum would a minute later
	return err
}

func (s servers) accountPath(suffix string) string {
	return fmt.Sprintf("/entities/%d/deposit_accounts/%d%s", s.EntityID, s.account, suffix)
}

func (s servers) listPath() string {
	return s.accountPath(fmt.Sprintf("/financial_transactions?per_page=%d", listed))
}

func measureGet(ctx context.Context, h *harness) (ours, floor figure, err error) {
	s, err := newServers(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	path := s.accountPath("")
	return s.load(s.api, path), s.load(s.floor, path), s.alike(ctx, path)
}

func measureList(ctx context.Context, h *harness) (ours, floor figure, err error) {
	s, err := newServers(ctx, h)
	if err != nil {
		return nil, nil, err
	}
	path := s.listPath()
	return s.load(s.api, path), s.load(s.floor, path), s.alike(ctx, path)
}

// alike checks that both servers answer with the same document. Without that, comparing their
// speed would be meaningless.
func (s servers) alike(ctx context.Context, path string) error {
	return s.answerAlike(ctx, http.MethodGet, path, "", func(document any) any { return document })
}

// answerAlike is alike for documents after seen, which removes the differences between the servers.
func (s servers) answerAlike(ctx context.Context, method, path, document string, seen func(any) any) error {
	var documents [2]any
	for i, addr := range []string{s.api, s.floor} {
		req, err := http.NewRequestWithContext(ctx, method, "http://"+addr+path, strings.NewReader(document))
		if err != nil {
			return err
		}
		req.SetBasicAuth(s.token, "x")
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil {
			return err
		}
		if err := json.Unmarshal(bytes.ReplaceAll(body, []byte(addr), []byte("HOST")), &documents[i]); err != nil {
			return fmt.Errorf("%s: %w", res.Status, err)
		}
		documents[i] = seen(documents[i])
	}
	if !reflect.DeepEqual(documents[0], documents[1]) {
		return fmt.Errorf("the API and the floor answer differently:\n%v\n%v", documents[0], documents[1])
	}
	return nil
}

// load sends requests over each of the connections, one after the other, and measures the
// answers per second. It does not use http.Client, which would cost as much as the server that
// it measures.
func (s servers) load(addr, path string) figure {
	return s.send(addr, s.request(http.MethodGet, addr, path, ""))
}

// send is load for several requests, sent in rotation.
func (s servers) send(addr string, requests ...[]byte) figure {
	return s.sendBy(concurrency, addr, requests...)
}

// sendBy is send with the given number of connections.
func (s servers) sendBy(connections int, addr string, requests ...[]byte) figure {
	return func(ctx context.Context, d time.Duration) (sample, error) {
		var sent atomic.Int64
		began, before := time.Now(), s.harness.cpu(false)
		err := sendAll(ctx, connections, addr, func() []byte {
			n := sent.Add(1) - 1
			if n >= int64(connections) && time.Since(began) >= d {
				sent.Add(-1)
				return nil
			}
			return requests[n%int64(len(requests))]
		})
		if err != nil {
			return sample{}, err
		}
		n, took := sent.Load(), time.Since(began)
		return withCPU(float64(n)/took.Seconds(), s.harness.cpu(false)-before, int(n)), nil
	}
}

// request returns a request with the document, if any.
func (s servers) request(method, addr, path, document string) []byte {
	var b bytes.Buffer
	req := must(http.NewRequest(method, "http://"+addr+path, strings.NewReader(document)))
	req.SetBasicAuth(s.token, "x")
	req.Header.Set("Content-Type", "application/json")
	_ = req.Write(&b) // a Buffer accepts all writes
	return b.Bytes()
}

// sendAll sends the requests that next returns over each of the connections, one after the
// other, until next returns nil.
func sendAll(ctx context.Context, connections int, addr string, next func() []byte) error {
	var clients sync.WaitGroup
	failed := make([]error, connections)
	for i := range failed {
		clients.Go(func() { failed[i] = client(ctx, addr, next) })
	}
	clients.Wait()
	return errors.Join(failed...)
}

func client(ctx context.Context, addr string, next func() []byte) error {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	r := bufio.NewReaderSize(conn, 64<<10)
	for request := next(); request != nil && ctx.Err() == nil; request = next() {
		if _, err := conn.Write(request); err != nil {
			return err
		}
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			return err
		}
		size, err := io.Copy(io.Discard, res.Body)
		if err != nil {
			return err
		}
		if res.StatusCode >= 400 || size == 0 && bytes.HasPrefix(request, []byte(http.MethodGet)) {
			return fmt.Errorf("%s: %s", strings.SplitN(string(request), "\r\n", 2)[0], res.Status)
		}
	}
	return ctx.Err()
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
