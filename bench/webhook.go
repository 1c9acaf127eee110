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
	"sync"
	"sync/atomic"
	"time"

	"bordero/finance"
	"bordero/finance/statement/statementtest"
	"bordero/storage"
)

// What is delivered: to so many webhooks, each by as many POSTs at once as the
// worker's default.
const (
	webhooks  = 16
	perURL    = 16
	delivered = 10_000
	secret    = "0123456789abcdef01234567"
)

// notified is the service with a receiver that takes every notification.
type notified struct {
	imports
	receiver *httptest.Server
	taken    atomic.Int64
	arrived  func(at time.Time) // asked for each notification
	told     int                // notifications that are drained
	to       int                // webhooks
	pause    time.Duration      // of the receiver, before it answers
	begun    bool               // a drain is timed from its first POST on
	posted   atomic.Int64       // when that came, in Unix nanoseconds
}

// newNotified starts the processes, and a receiver in this one: its time is nobody's.
func newNotified(ctx context.Context, h *house, processes ...[]string) (n *notified, err error) {
	n = &notified{arrived: func(time.Time) {}, told: delivered}
	n.house = h
	if n.lease, err = h.lease(ctx); err != nil {
		return nil, err
	}
	if n.store, err = storage.Open(n.databaseURL, storage.Options{Timezone: zone}); err != nil {
		return nil, err
	}
	store := n.store // what is returned may be nil
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

// subscribe makes webhooks of the tenant's entity.
func (n *notified) subscribe(ctx context.Context, count int) error {
	n.to = count
	_, err := n.db.ExecContext(ctx, `INSERT INTO webhooks (account_id, entity_id, url, format, secret) SELECT $1, $2, $3, 'json', $4 FROM generate_series(1, $5)`,
		n.AccountID, n.EntityID, n.receiver.URL, secret, count)
	return err
}

// measureDeliver compares draining deliveries that wait with a client that posts
// the same signed bodies side by side and notes each by an UPDATE.
func measureDeliver(ctx context.Context, h *house) (ours, floor figure, err error) {
	n, err := newNotified(ctx, h, []string{"work", "webhooks"}, []string{"scheduler"})
	if err != nil {
		return nil, nil, err
	}
	return n.drain, n.bare, n.subscribe(ctx, webhooks)
}

// measureDeliverCPU takes the processor time of one of these.
func measureDeliverCPU(ctx context.Context, h *house) (ours, floor figure, err error) {
	drain, _, err := measureDeliver(ctx, h)
	return cpuOf(drain), bound(1.5), err
}

// measureScale compares two workers with one, both with few places, on a receiver
// that takes its time: what is measured is waiting, which needs no core. Many
// webhooks have little each, so that what the last of them take alone is little,
// too; and what is measured is work, not the scheduler's look at what waits.
func measureScale(ctx context.Context, h *house) (ours, floor figure, err error) {
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

// wait keeps deliveries, with what asks for their drain where it is to be.
func (n *notified) wait(ctx context.Context, jobs bool) error {
	_, err := n.db.ExecContext(ctx, `
		WITH told AS (
			INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id)
			SELECT account_id, id, 'sales', 'created', r, entity_id FROM webhooks, generate_series(1, $1) r RETURNING webhook_id)
		INSERT INTO jobs (kind, queue, key, args, account_id)
		SELECT 'deliver_webhook', 'webhooks', 'webhook:' || webhook_id, format('{"account_id":%s,"webhook_id":%s}', $2::text, webhook_id), $2::bigint
		FROM (SELECT DISTINCT webhook_id FROM told) t WHERE $3`, n.told/n.to, n.AccountID, jobs)
	return err
}

func (n *notified) drain(ctx context.Context, _ time.Duration) (sample, error) {
	n.taken.Store(0)
	n.posted.Store(0)
	before := n.house.cpu(false)
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
	took, cpu := time.Since(began), n.house.cpu(false)-before
	if err == nil && n.taken.Load() != int64(n.told) {
		err = errors.New("a notification came twice")
	}
	return sample{float64(n.told) / took.Seconds(), cpu / time.Duration(n.told)}, errors.Join(err, n.forget(ctx))
}

func (n *notified) forget(ctx context.Context) error {
	_, err := n.db.ExecContext(ctx, `TRUNCATE delivery_attempts, deliveries`)
	return err
}

// bareBody is what a notification looks like.
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

// measureReceipt takes the time from the answer to a change until its notification
// arrives, on a system that does nothing else.
func measureReceipt(percent float64) measurement {
	return func(ctx context.Context, h *house) (ours, floor figure, err error) {
		n, err := newNotified(ctx, h, []string{"work", "webhooks"}, []string{"scheduler"}, []string{"api"})
		if err != nil {
			return nil, nil, err
		}
		arrived := make(chan time.Time, 1)
		n.arrived = func(at time.Time) { arrived <- at }
		if err := n.subscribe(ctx, 1); err != nil {
			return nil, nil, err
		}
		floor, err = barePickup(ctx, h, n.lease, percent)
		return h.latency(percent, func(ctx context.Context, _ int) (time.Duration, error) {
			res, err := n.do(ctx, http.MethodPost, n.url+"/people", bytes.NewReader([]byte(newPerson)), "application/json")
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
}

// measureEmit compares what a change costs with three webhooks with what it costs
// with none.
func measureEmit(ctx context.Context, h *house) (ours, floor figure, err error) {
	n, err := newNotified(ctx, h, []string{"api"})
	if err != nil {
		return nil, nil, err
	}
	quiet, err := newTenant(ctx, n.store, "fedcba9876543210")
	if err != nil {
		return nil, nil, err
	}
	addr := n.url[len("http://"):]
	var figures [2]figure
	for i, t := range []tenant{n.tenant, quiet} {
		s := servers{house: h, lease: n.lease, tenant: t}
		figures[i] = cost(s.send(addr, s.request(http.MethodPost, addr, "/people", newPerson)))
	}
	return figures[0], figures[1], n.subscribe(ctx, 3)
}

// measureNotifiedImport compares an import that a webhook is told of with one that
// nobody is.
func measureNotifiedImport(ctx context.Context, h *house) (ours, floor figure, err error) {
	n, err := newNotified(ctx, h, []string{"api"}, []string{"work", "statements"}, []string{"scheduler"})
	if err != nil {
		return nil, nil, err
	}
	quiet := n.imports
	if quiet.tenant, err = newTenant(ctx, n.store, "fedcba9876543210"); err != nil {
		return nil, nil, err
	}
	quiet.tenant.url = n.url
	file := statementtest.OFX(h.items)
	return cost(n.first(file, h.items)), cost(quiet.first(file, h.items)), n.subscribe(ctx, 1)
}
