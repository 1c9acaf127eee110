package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"bordero/finance"
	"bordero/storage"
)

// The deliveries go to 16 webhooks, each by as many concurrent POSTs as the worker's default.
const (
	webhooks = 16
	perURL   = 16
	secret   = "0123456789abcdef01234567"
)

// notified is the service with a receiver that accepts every notification.
type notified struct {
	imports
	receiver *httptest.Server
	taken    atomic.Int64
	arrived  func(at time.Time) // called for each notification
}

// newNotified starts the processes, and a receiver in this process, which does not count its time.
func newNotified(ctx context.Context, h *harness, processes ...[]string) (n *notified, err error) {
	n = &notified{arrived: func(time.Time) {}}
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
		n.arrived(time.Now())
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
	_, err := n.db.ExecContext(ctx, `INSERT INTO webhooks (account_id, entity_id, url, format, secret) SELECT $1, $2,
		$3, 'json', $4 FROM generate_series(1, $5)`,
		n.AccountID, n.EntityID, n.receiver.URL, secret, count)
	return err
}

func (n *notified) forget(ctx context.Context) error {
	_, err := n.db.ExecContext(ctx, `TRUNCATE delivery_attempts, deliveries`)
	return err
}

// bareBody is an example of a notification.
var bareBody = []byte(`{"event":"sales.created","timestamp":"2026-08-03T11:00:00Z","sale":{"id":1,` +
	`"_links":[{"rel":"self","method":"GET","url":"https://api.example.com/entities/1/sales/1"}]}}`)

func (n *notified) postOne(ctx context.Context, client *http.Client, body []byte, id int64) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.receiver.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request, name, at := fmt.Sprintf("%032x", rand.Uint64()), "msg_"+strconv.FormatInt(id, 10), time.Now()
	for header, value := range map[string]string{
		"Content-Type": "application/json; charset=utf-8", "X-Service-RequestId": request,
		"X-Service-Signature": finance.SignSHA1(secret, request, body),
		"webhook-id":          name, "webhook-timestamp": strconv.FormatInt(at.Unix(), 10),
		"webhook-signature": finance.SignStandard([]string{secret}, name, at, body),
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
const newPerson = `{"person":{"name":"Padaria São João Ltda","person_type":"JuridicalPerson","customer":true,` +
	`"supplier":false,` +
	`"federation_subscription_number":"42.308.611/0001-41","email":"contato@padaria.example",` +
	`"phone":"(11) 5555-0101",` +
	`"address":"Rua das Flores","address_number":"12","city":"São Paulo","state":"SP","zip_code":"01000-000",` +
	`"country":"Brasil"}}`

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
