package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// stream is the service as its users drive it. Each event is a POST of its own, over one of 16
// connections, and each delivery goes to an endpoint that responds at once.
type stream struct {
	*notified
	servers servers
	posts   [2][][]byte // requests of the accounts without webhooks, and with webhooks
	events  int
	fan     int // deliveries of an event
}

// newStream creates accounts with told webhooks each, and as many accounts without webhooks.
func newStream(ctx context.Context, h *harness, accounts, told int) (*stream, error) {
	h.few(3)
	n, err := newNotified(ctx, h, []string{"work", "webhooks"}, []string{"scheduler"}, []string{"api"})
	if err != nil {
		return nil, err
	}
	addr := n.url[len("http://"):]
	s := &stream{notified: n, events: h.events / told, fan: told}
	s.servers = servers{harness: h, lease: n.lease, api: addr}
	for i := range 2 * accounts {
		side := i % 2
		if s.servers.tenant, err = newTenant(ctx, n.store, fmt.Sprintf("%024x", i+1)); err != nil {
			return nil, err
		}
		n.tenant = s.servers.tenant
		s.posts[side] = append(s.posts[side], s.servers.request(http.MethodPost, addr, "/people", newPerson))
		if side == 1 {
			if err := n.subscribe(ctx, told); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// send posts the events and returns how long that took.
func (s *stream) send(ctx context.Context, requests [][]byte) (time.Duration, error) {
	var sent atomic.Int64
	began := time.Now()
	err := sendAll(ctx, concurrency, s.servers.api, func() []byte {
		n := sent.Add(1) - 1
		if n >= int64(s.events) {
			return nil
		}
		return requests[n%int64(len(requests))]
	})
	return time.Since(began), err
}

// delivered posts the events and waits until each delivery is recorded. It returns the time of all
// since the first POST, and the time of the POSTs alone.
func (s *stream) delivered(ctx context.Context) (all, posts time.Duration, err error) {
	s.taken.Store(0)
	began := time.Now()
	if posts, err = s.send(ctx, s.posts[1]); err != nil {
		return 0, 0, err
	}
	want := int64(s.events * s.fan)
	err = until(ctx, 2*time.Millisecond, func() (bool, error) { return s.taken.Load() >= want, nil })
	if err == nil {
		err = until(ctx, 2*time.Millisecond, func() (recorded bool, err error) {
			err = s.db.QueryRowContext(ctx, `SELECT NOT EXISTS (SELECT FROM deliveries WHERE status = 'pending')`).Scan(
				&recorded)
			return recorded, err
		})
	}
	all = time.Since(began)
	if err == nil && s.taken.Load() != want {
		err = errors.New("a notification came twice")
	}
	return all, posts, err
}

// clean waits for the end of all jobs and removes the deliveries.
func (s *stream) clean(ctx context.Context) error {
	err := until(ctx, 5*time.Millisecond, func() (done bool, err error) {
		err = s.db.QueryRowContext(ctx, `SELECT NOT EXISTS (SELECT FROM jobs)`).Scan(&done)
		return done, err
	})
	return errors.Join(err, s.forget(ctx))
}

// rate measures the deliveries a second of events that arrive one by one, the CPU time of a
// delivery beyond that of the event's POST, and the POSTs a second.
func (s *stream) rate(ctx context.Context, _ time.Duration) (sample, error) {
	began := s.harness.cpu(false)
	if _, err := s.send(ctx, s.posts[0]); err != nil {
		return sample{}, err
	}
	before := s.harness.cpu(false)
	took, posts, err := s.delivered(ctx)
	n := s.events * s.fan
	made := withCPU(float64(n)/took.Seconds(), (s.harness.cpu(false)-before)-(before-began), n)
	made.more["accept"] = float64(s.events) / posts.Seconds()
	return made, errors.Join(err, s.clean(ctx))
}

// bareRate is the floor of rate: the same POSTs without webhooks, then a bare client that stores
// a row of each delivery, posts it, and updates the row.
func (s *stream) bareRate(ctx context.Context, _ time.Duration) (sample, error) {
	posts, err := s.send(ctx, s.posts[0])
	if err != nil {
		return sample{}, err
	}
	began := time.Now()
	if err := s.bareStream(ctx); err != nil {
		return sample{}, err
	}
	took := posts + time.Since(began)
	return sample{float64(s.events*s.fan) / took.Seconds(), map[string]float64{
		"accept": float64(s.events) / posts.Seconds()}}, s.forget(ctx)
}

func (s *stream) bareStream(ctx context.Context) error {
	insert, err := s.db.PrepareContext(ctx, `
		INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id)
		SELECT account_id, id, 'people', 'created', 1, entity_id FROM webhooks ORDER BY id LIMIT 1 RETURNING id,
			account_id`)
	if err != nil {
		return err
	}
	defer insert.Close()
	update, err := s.db.PrepareContext(ctx, `
		UPDATE deliveries SET status = 'delivered', delivered_at = now(), attempts_count = 1, body = $3
			WHERE account_id = $1 AND id = $2`)
	if err != nil {
		return err
	}
	defer update.Close()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: concurrency}}
	var next atomic.Int64
	var clients sync.WaitGroup
	failed := make([]error, concurrency)
	for i := range failed {
		clients.Go(func() {
			for failed[i] == nil && next.Add(1) <= int64(s.events*s.fan) {
				failed[i] = s.bareDelivery(ctx, client, insert, update)
			}
		})
	}
	clients.Wait()
	return errors.Join(failed...)
}

func (s *stream) bareDelivery(ctx context.Context, client *http.Client, insert, update *sql.Stmt) error {
	var id, account int64
	if err := insert.QueryRowContext(ctx).Scan(&id, &account); err != nil {
		return err
	}
	if err := s.postOne(ctx, client, bareBody, id); err != nil {
		return err
	}
	_, err := update.ExecContext(ctx, account, id, bareBody)
	return err
}

// measureStreamed measures events of the given number of accounts, each with told webhooks.
func measureStreamed(accounts, told int) measurement {
	return func(ctx context.Context, h *harness) (ours, floor figure, err error) {
		s, err := newStream(ctx, h, accounts, told)
		if err != nil {
			return nil, nil, err
		}
		return s.rate, s.bareRate, nil
	}
}
