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
	"sync"
	"sync/atomic"
	"time"

	"bordero/finance/statement/statementtest"
)

// receiver receives the notifications of a load's tenants. It runs in this process, so its time
// is part of "load".
type receiver struct {
	*httptest.Server
	taken  atomic.Int64
	people chan time.Time // when the last tenant's people.created arrived
}

// peoplePath is the path of the last tenant's webhook.
const peoplePath = "/people"

func newReceiver() *receiver {
	r := &receiver{people: make(chan time.Time, 1)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		r.taken.Add(1)
		if request.URL.Path == peoplePath && bytes.Contains(body, []byte(`"people.created"`)) {
			select {
			case r.people <- time.Now():
			default: // nothing waits any more
			}
		}
	}))
	return r
}

// subscribe creates a webhook for each tenant's entity.
func (u *underLoad) subscribe(ctx context.Context) error {
	for i, c := range u.customers {
		url := u.receiver.URL
		if i == len(u.customers)-1 {
			url += peoplePath
		}
		_, err := u.db.ExecContext(ctx, `INSERT INTO webhooks (account_id, entity_id, url, format, secret)
			VALUES ($1, $2, $3, 'json', $4)`,
			c.AccountID, c.EntityID, url, secret)
		if err != nil {
			return err
		}
	}
	return nil
}

const (
	neighbourRate = 20.0                   // requests/s of an account while another works
	personEvery   = 100 * time.Millisecond // interval at which it creates a person and waits for the notification
)

// neighbour sends requests as the last tenant: first alone, then beside crowds of clients of the first tenant, then
// while that imports large statements and receives a notification of each item. The next import begins when all
// notifications of one are delivered.
func (u *underLoad) neighbour(ctx context.Context, e loadEffort, report func(loaded)) error {
	last := u.customers[len(u.customers)-1]
	request := func(ctx context.Context, r *rand.Rand) *http.Request { return last.request(ctx, u.url, r) }
	beside := func(what string) error {
		told := u.timeNotifications(ctx, last, 5*e.step)
		l, err := u.run(ctx, loaded{Load: "neighbour", Beside: what, Rate: neighbourRate}, 5*e.step, request)
		t := <-told
		if err = errors.Join(err, t.err); err == nil {
			l.Receipts, l.ReceiptP50, l.ReceiptP99 = len(t.waits), rounded(percentile(t.waits, 50)),
				rounded(percentile(t.waits, 99))
			report(l)
		}
		return err
	}
	if err := beside("nothing"); err != nil {
		return err
	}
	for _, c := range crowds {
		stop := u.crowd(ctx, c)
		err := beside(c.name)
		stop()
		if err != nil {
			return err
		}
		if err := u.rest(ctx); err != nil {
			return err
		}
	}
	file := statementtest.OFX(e.items)
	busy, stop := context.WithCancel(ctx)
	imported := make(chan error, 1)
	go func() { imported <- u.importing(busy, file) }()
	err := beside(fmt.Sprintf("%d items, told of", e.items))
	stop()
	if failed := <-imported; err == nil && failed != nil && busy.Err() == nil {
		err = failed
	}
	return err // the remaining deliveries are dropped with the database
}

// crowd is a number of clients of one account, each of which sends one request after the other.
type crowd struct {
	name    string
	clients int
	method  string
	path    string // below a deposit account
	body    string
}

var crowds = []crowd{
	{"40 read 500 records each", 40, http.MethodGet, "/financial_transactions?per_page=500", ""},
	{"24 create transactions", 24, http.MethodPost, "/financial_transactions",
		`{"financial_transaction":{"type":"Debit","amount":1,"occurred_at":"2026-03-04"}}`},
}

// crowd starts a crowd of the first tenant. A client that is refused waits as long as the answer asks for.
func (u *underLoad) crowd(ctx context.Context, c crowd) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	first := u.customers[0]
	url := fmt.Sprintf("%s/entities/%d/deposit_accounts/%d%s", u.url, first.EntityID, first.accounts[0], c.path)
	var all sync.WaitGroup
	for range c.clients {
		all.Go(func() {
			for ctx.Err() == nil {
				if err := send(first.ask(ctx, c.method, url, "application/json", []byte(c.body))); err != nil {
					time.Sleep(2 * time.Second)
				}
			}
		})
	}
	return func() { cancel(); all.Wait() }
}

// notifyTimes are the times, in ms, from the answer to a change until its notification arrived.
type notifyTimes struct {
	waits []float64
	err   error
}

// timeNotifications creates people for d, each after the notification of the one before, and times the
// notifications.
func (u *underLoad) timeNotifications(ctx context.Context, c customer, d time.Duration) <-chan notifyTimes {
	all := make(chan notifyTimes, 1)
	go func() {
		var t notifyTimes
		defer func() { all <- t }()
		tick := time.NewTicker(personEvery)
		defer tick.Stop()
		for end := time.Now().Add(d); time.Now().Before(end); <-tick.C {
			if t.err = send(c.ask(ctx, http.MethodPost, u.url+"/people", "application/json",
				[]byte(newPerson))); t.err != nil {
				return
			}
			accepted := time.Now()
			select {
			case at := <-u.receiver.people:
				t.waits = append(t.waits, float64(at.Sub(accepted).Microseconds())/1000)
			case <-time.After(time.Minute):
				t.err = errors.New("a notification did not come within a minute")
				return
			case <-ctx.Done():
				t.err = ctx.Err()
				return
			}
		}
	}()
	return all
}

// importing imports the file into one new account after the other.
func (u *underLoad) importing(ctx context.Context, file []byte) error {
	first := u.customers[0]
	i := imports{harness: u.harness, lease: u.lease, tenant: first.tenant, store: u.store}
	i.url = u.url
	for ctx.Err() == nil {
		account, err := newDepositAccount(ctx, u.store, i.tenant)
		if err != nil {
			return err
		}
		if _, _, err := i.run(ctx, account, file); err != nil {
			return err
		}
		err = until(ctx, 50*time.Millisecond, func() (delivered bool, err error) {
			err = u.db.QueryRowContext(ctx, `
				SELECT NOT EXISTS (SELECT FROM webhooks w JOIN deliveries d ON d.webhook_id = w.id
					WHERE w.account_id = $1 AND d.status = 'pending')`,
				first.AccountID).Scan(&delivered)
			return delivered, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
