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
	"strings"
	"sync/atomic"
	"time"
)

// webhooks is how many receive the deliveries.
const webhooks = 16

// receiver accepts every notification. It runs in this process, so its time is part of "load".
type receiver struct {
	*httptest.Server
	taken atomic.Int64
	// people receives when people.created arrived at peoplePath, if something waits for it.
	people chan moment
}

// peoplePath is the path of the webhook whose notifications are timed.
const peoplePath = "/people"

func (h *harness) newReceiver() *receiver {
	r := &receiver{people: make(chan moment, 1)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		if request.URL.Path == peoplePath && bytes.Contains(body, []byte(`"people.created"`)) {
			select {
			case r.people <- moment{at: time.Now()}:
			default: // nothing waits any more
			}
		}
		r.taken.Add(1)
	}))
	h.atEnd(r.Close)
	return r
}

// subscribe creates webhooks of a tenant's entity.
func (s *service) subscribe(ctx context.Context, t tenant, url string, count int) {
	s.exec(ctx, `INSERT INTO webhooks (account_id, entity_id, url, format, secret)
		SELECT $1, $2, $3, 'json', '0123456789abcdef01234567' FROM generate_series(1, $4)`, t.AccountID, t.EntityID,
		url, count)
}

// measureReceipt measures the time from a request and from its answer until the notification of its change arrives, on
// a `bordero up` that rests for a random time from least to most before each request. The attempt of an event and its
// change are stored up to 60 ms after its notification: a shorter rest measures events in close succession.
func measureReceipt(least, most time.Duration) preparation {
	return func(ctx context.Context, h *harness) (ours, floor figure) {
		s, r, n := h.up(ctx), h.newReceiver(), h.samples
		if least > 0 { // each sample takes ten times as long
			h.few(3)
			n /= 5
		}
		s.ask(ctx, http.MethodPost, "/integrations/webhooks", fmt.Sprintf(`{"webhook":{"entity_id":%d,"url":%q,`+
			`"format":"json","secret":"0123456789abcdef01234567"}}`, s.EntityID, r.URL+peoplePath), nil)
		return func(ctx context.Context, _ time.Duration) sample {
			whole, accepted := make([]time.Duration, n), make([]time.Duration, n)
			for i := range whole {
				time.Sleep(least + rand.N(most-least))
				sent := time.Now()
				_, answered := s.createPerson(ctx)
				received := await(r.people, "a notification").at
				whole[i], accepted[i] = received.Sub(sent), received.Sub(answered)
			}
			return sample{milliseconds(percentile(whole, 50)), map[string]float64{
				"accepted":     milliseconds(percentile(accepted, 50)),
				"accepted.p99": milliseconds(percentile(accepted, 99))}}
		}, nil
	}
}

// receipt creates a person and returns how long after the answer its notification arrived.
func (s *service) receipt(ctx context.Context, r *receiver) time.Duration {
	_, accepted := s.createPerson(ctx)
	return await(r.people, "a notification").at.Sub(accepted)
}

// stream is the service as its users drive it. Each event is a POST of its own, over one of 16
// connections, and each delivery goes to an endpoint that responds at once.
type stream struct {
	*service
	receiver *receiver
	events   int64
	fan      int64 // deliveries of an event
	keep     bool  // the deliveries of a run for the next ones
}

// measureStreamed measures events of the given number of accounts with fan webhooks each. As many
// accounts have no webhooks. The floor sends the same POSTs without webhooks, and then the deliveries by
// a bare client.
func measureStreamed(accounts, fan int) preparation {
	return func(ctx context.Context, h *harness) (ours, floor figure) {
		h.few(3)
		s := &stream{service: h.service(ctx, "work webhooks", "scheduler", "api"), receiver: h.newReceiver(),
			events: int64(h.events / fan), fan: int64(fan)}
		var posts [2][][]byte // of the accounts without webhooks, and with webhooks
		for i := range 2 * accounts {
			side := i % 2
			t := s.newTenant(ctx, fmt.Sprintf("%d@example.com", i))
			posts[side] = append(posts[side], t.raw(s.addr, http.MethodPost, "/people", newPerson))
			s.subscribe(ctx, t, s.receiver.URL, side*fan)
		}
		return s.side(posts[1], s.delivered), s.side(posts[0], s.bareDeliveries)
	}
}

// side posts the events and waits for their deliveries. It measures the deliveries a second, and the
// POSTs a second.
func (s *stream) side(posts [][]byte, deliver func(context.Context)) figure {
	return func(ctx context.Context, _ time.Duration) sample {
		s.receiver.taken.Store(0)
		began := time.Now()
		sendAll(ctx, s.addr, concurrency, posts, func(n int64) bool { return n < s.events })
		posted := time.Since(began)
		deliver(ctx)
		took := time.Since(began)
		if s.receiver.taken.Load() != s.events*s.fan {
			check(errors.New("a notification came twice"))
		}
		s.rest(ctx)
		if !s.keep {
			s.exec(ctx, `TRUNCATE delivery_attempts, deliveries`)
		}
		return sample{float64(s.events*s.fan) / took.Seconds(), map[string]float64{
			"accept": float64(s.events) / posted.Seconds()}}
	}
}

// delivered waits until each delivery is recorded.
func (s *stream) delivered(ctx context.Context) {
	until(ctx, 2*time.Millisecond, func() bool {
		return s.receiver.taken.Load() >= s.events*s.fan &&
			one[bool](ctx, s.db, `SELECT NOT EXISTS (SELECT FROM deliveries WHERE status = 'pending')`)
	})
}

// bareDeliveries stores a row of each delivery, posts it, and updates the row.
func (s *stream) bareDeliveries(ctx context.Context) {
	insert := must(s.db.PrepareContext(ctx, `
		INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id)
		SELECT account_id, id, 'people', 'created', 1, entity_id FROM webhooks ORDER BY id LIMIT 1 RETURNING id,
			account_id`))
	defer insert.Close()
	update := must(s.db.PrepareContext(ctx, `
		UPDATE deliveries SET status = 'delivered', delivered_at = now(), attempts_count = 1, body = $3
			WHERE account_id = $1 AND id = $2`))
	defer update.Close()
	var next atomic.Int64
	together(concurrency, func() {
		for next.Add(1) <= s.events*s.fan {
			var id, account int64
			check(insert.QueryRowContext(ctx).Scan(&id, &account))
			body := strings.NewReader(newPerson)
			must(answer(must(http.NewRequestWithContext(ctx, http.MethodPost, s.receiver.URL, body))))
			must(update.ExecContext(ctx, account, id, newPerson))
		}
	})
}

// measureLag measures the time from the answer to a change, which is after its commit, until a
// request that waits for it is answered.
func measureLag(ctx context.Context, h *harness) (ours, floor figure) {
	s := h.service(ctx, "api", "scheduler")
	seen := make(chan moment, 1000)
	stop := inBackground(ctx, func(ctx context.Context) { s.follow(ctx, seen) })
	h.atEnd(func() { _ = stop() })
	return h.latency(func(ctx context.Context) time.Duration {
		person, accepted := s.createPerson(ctx)
		for {
			if change := await(seen, "a change"); change.id == person {
				return max(0, change.at.Sub(accepted))
			}
		}
	}), nil
}

// follow reads the changes of people as they come, until ctx ends.
func (s *service) follow(ctx context.Context, seen chan<- moment) {
	var page struct {
		Changes []struct {
			Change struct {
				RecordIDs []int64 `json:"record_ids"`
			}
		}
		Next int64
	}
	for {
		page.Changes = nil
		s.ask(ctx, http.MethodGet, fmt.Sprintf("/changes?event=people.*&wait=20&after=%d", page.Next), "", &page)
		at := time.Now()
		for _, c := range page.Changes {
			for _, id := range c.Change.RecordIDs {
				seen <- moment{at, id}
			}
		}
	}
}

// newPerson is the request that changes something: the usual data of a customer.
const newPerson = `{"person":{"name":"Padaria São João Ltda","person_type":"JuridicalPerson","customer":true,` +
	`"supplier":false,"federation_subscription_number":"42.308.611/0001-41","email":"contato@padaria.example",` +
	`"phone":"(11) 5555-0101","address":"Rua das Flores","address_number":"12","city":"São Paulo","state":"SP",` +
	`"zip_code":"01000-000","country":"Brasil"}}`

// createPerson returns the id of a new person and when the answer had come.
func (s *service) createPerson(ctx context.Context) (id int64, accepted time.Time) {
	var created struct{ Person struct{ ID int64 } }
	s.ask(ctx, http.MethodPost, "/people", newPerson, &created)
	return created.Person.ID, time.Now()
}
