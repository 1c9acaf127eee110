package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"bordero/finance"
	"bordero/jobs"
	"bordero/storage"
)

// The deliveries go to 16 webhooks, each by as many concurrent POSTs as the worker's default.
const (
	webhooks  = 16
	perURL    = 16
	delivered = 10_000
	secret    = "0123456789abcdef01234567"
)

// notified is the service with a receiver that accepts every notification.
type notified struct {
	imports
	receiver *httptest.Server
	taken    atomic.Int64
	arrived  func(at time.Time) // called for each notification
	told     int                // number of notifications to drain
	to       int                // number of webhooks
	pause    time.Duration      // of the receiver, before it responds
	begun    bool               // a drain is timed from its first POST
	posted   atomic.Int64       // time of the first POST, in Unix nanoseconds
}

// newNotified starts the processes, and a receiver in this process, whose time is not counted.
func newNotified(ctx context.Context, h *harness, processes ...[]string) (n *notified, err error) {
	n = &notified{arrived: func(time.Time) {}, told: delivered}
	n.harness = h
	if n.lease, err = h.lease(ctx); err != nil {
		return nil, err
	}
	if n.store, err = storage.Open(n.databaseURL, storage.Options{Timezone: zone}); err != nil {
		return nil, err
	}
	store := n.store // n may be returned as nil
	h.atEnd(func() { _ = store.Close() })
	if n.tenant, err = newTenant(ctx, n.store, "0123456789abcdef"); err != nil {
		return nil, err
	}
	n.receiver = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		now := time.Now()
		n.arrived(now)
		n.posted.CompareAndSwap(0, now.UnixNano())
		time.Sleep(n.pause)
		n.taken.Add(1)
	}))
	h.atEnd(n.receiver.Close)
	addr := freeAddr()
	n.url = "http://" + addr
	for _, words := range processes {
		if err := h.bordero(ctx, n.lease, addr, words...); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// subscribe creates webhooks of the tenant's entity.
func (n *notified) subscribe(ctx context.Context, count int) error {
	n.to = count
	_, err := n.db.ExecContext(ctx, `INSERT INTO webhooks (account_id, entity_id, url, format, secret) SELECT $1, $2, $3, 'json', $4 FROM generate_series(1, $5)`,
		n.AccountID, n.EntityID, n.receiver.URL, secret, count)
	return err
}

// measureDeliver compares draining waiting deliveries with a client that posts the same signed
// bodies concurrently and records each by an UPDATE.
func measureDeliver(ctx context.Context, h *harness) (ours, floor figure, err error) {
	n, err := newNotified(ctx, h, []string{"work", "webhooks"}, []string{"scheduler"})
	if err != nil {
		return nil, nil, err
	}
	return n.drain, n.bare, n.subscribe(ctx, webhooks)
}

// measureScale compares two workers with one, both with few places, on a slow receiver. It
// measures waiting, which needs no core. Each of the many webhooks has few deliveries, so that
// the last ones, which run alone, take little of the time. The timing starts with the first
// POST, because the scheduler's search for waiting jobs is not measured.
func measureScale(ctx context.Context, h *harness) (ours, floor figure, err error) {
	h.few(3)
	h.env = []string{"BORDERO_WEBHOOK_ENDPOINTS=2", "BORDERO_WEBHOOK_CONCURRENCY=4"}
	worker, scheduler := []string{"work", "webhooks"}, []string{"scheduler"}
	var figures [2]figure
	for i, processes := range [][][]string{{worker, worker, scheduler}, {worker, scheduler}} {
		n, err := newNotified(ctx, h, processes...)
		if err != nil {
			return nil, nil, err
		}
		n.told, n.pause, n.begun = 8*4*webhooks, 100*time.Millisecond, true
		if err := n.subscribe(ctx, 4*webhooks); err != nil {
			return nil, nil, err
		}
		figures[i] = n.drain
	}
	return figures[0], figures[1], nil
}

// wait stores deliveries and, if queued is set, the jobs that drain them.
func (n *notified) wait(ctx context.Context, queued bool) error {
	_, err := n.db.ExecContext(ctx, `
		WITH told AS (
			INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id)
			SELECT account_id, id, 'sales', 'created', r, entity_id FROM webhooks, generate_series(1, $1) r RETURNING webhook_id)
		INSERT INTO jobs (kind, queue, key, args, account_id)
		SELECT $4::text, $5::text, 'webhook:' || webhook_id, format('{"account_id":%s,"webhook_id":%s}', $2::text, webhook_id), $2::bigint
		FROM (SELECT DISTINCT webhook_id FROM told) t WHERE $3`, n.told/n.to, n.AccountID, queued, jobs.DeliverWebhookKind.Name, jobs.DeliverWebhookKind.Queue)
	return err
}

func (n *notified) drain(ctx context.Context, _ time.Duration) (sample, error) {
	n.taken.Store(0)
	n.posted.Store(0)
	before := n.harness.cpu(false)
	if err := n.wait(ctx, true); err != nil {
		return sample{}, err
	}
	began := time.Now()
	err := until(ctx, 5*time.Millisecond, func() (bool, error) { return n.taken.Load() >= int64(n.told), nil })
	if err == nil {
		err = until(ctx, 2*time.Millisecond, func() (left bool, err error) {
			err = n.db.QueryRowContext(ctx, `SELECT NOT EXISTS (SELECT FROM deliveries WHERE status <> 'delivered') AND NOT EXISTS (SELECT FROM jobs)`).Scan(&left)
			return left, err
		})
	}
	if n.begun {
		began = time.Unix(0, n.posted.Load())
	}
	took, cpu := time.Since(began), n.harness.cpu(false)-before
	if err == nil && n.taken.Load() != int64(n.told) {
		err = errors.New("a notification came twice")
	}
	return withCPU(float64(n.told)/took.Seconds(), cpu, n.told), errors.Join(err, n.forget(ctx))
}

func (n *notified) forget(ctx context.Context) error {
	_, err := n.db.ExecContext(ctx, `TRUNCATE delivery_attempts, deliveries`)
	return err
}

// bareBody is an example of a notification.
var bareBody = []byte(`{"event":"sales.created","timestamp":"2026-08-03T11:00:00Z","sale":{"id":1,"_links":[{"rel":"self","method":"GET","url":"https://api.example.com/entities/1/sales/1"}]}}`)

func (n *notified) bare(ctx context.Context, _ time.Duration) (sample, error) {
	if err := n.wait(ctx, false); err != nil {
		return sample{}, err
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: webhooks * perURL}}
	var first int64
	if err := n.db.QueryRowContext(ctx, `SELECT min(id) FROM deliveries`).Scan(&first); err != nil {
		return sample{}, err
	}
	update, err := n.db.PrepareContext(ctx, `UPDATE deliveries SET status = 'delivered', delivered_at = now(), attempts_count = 1, body = $3 WHERE account_id = $1 AND id = $2`)
	if err != nil {
		return sample{}, err
	}
	defer update.Close()
	var next atomic.Int64
	var clients sync.WaitGroup
	failed := make([]error, webhooks*perURL)
	began := time.Now()
	for i := range failed {
		clients.Go(func() {
			for failed[i] == nil {
				id := next.Add(1) - 1
				if id >= delivered {
					return
				}
				failed[i] = n.postOne(ctx, client, bareBody, id)
				if failed[i] == nil {
					_, failed[i] = update.ExecContext(ctx, n.AccountID, first+id, bareBody)
				}
			}
		})
	}
	clients.Wait()
	took := time.Since(began)
	return sample{value: delivered / took.Seconds()}, errors.Join(append(failed, n.forget(ctx))...)
}

func (n *notified) postOne(ctx context.Context, client *http.Client, body []byte, id int64) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.receiver.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request, name, at := fmt.Sprintf("%032x", rand.Uint64()), "msg_"+strconv.FormatInt(id, 10), time.Now()
	for header, value := range map[string]string{
		"Content-Type": "application/json; charset=utf-8", "X-Service-RequestId": request, "X-Service-Signature": finance.SignSHA1(secret, request, body),
		"webhook-id": name, "webhook-timestamp": strconv.FormatInt(at.Unix(), 10), "webhook-signature": finance.SignStandard([]string{secret}, name, at, body),
	} {
		req.Header[header] = []string{value}
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return err
}

// newPerson is the request that changes something: the usual data of a customer.
const newPerson = `{"person":{"name":"Padaria São João Ltda","person_type":"JuridicalPerson","customer":true,"supplier":false,` +
	`"federation_subscription_number":"42.308.611/0001-41","email":"contato@padaria.example","phone":"(11) 5555-0101",` +
	`"address":"Rua das Flores","address_number":"12","city":"São Paulo","state":"SP","zip_code":"01000-000","country":"Brasil"}}`

// measureReceipt measures the time from the answer to a change until its notification arrives,
// on an idle system.
func measureReceipt(ctx context.Context, h *harness) (ours, floor figure, err error) {
	n, err := newNotified(ctx, h, []string{"work", "webhooks"}, []string{"scheduler"}, []string{"api"})
	if err != nil {
		return nil, nil, err
	}
	arrived := make(chan time.Time, 1)
	n.arrived = func(at time.Time) { arrived <- at }
	if err := n.subscribe(ctx, 1); err != nil {
		return nil, nil, err
	}
	floor, err = barePickup(ctx, h, n.lease, 50)
	return h.latency(50, func(ctx context.Context, _ int) (time.Duration, error) {
		res, err := n.do(ctx, http.MethodPost, n.url+"/people", strings.NewReader(newPerson), "application/json")
		if err != nil {
			return 0, err
		}
		accepted := time.Now()
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		at, err := await(arrived, "a notification")
		return at.Sub(accepted), err
	}), floor, err
}
