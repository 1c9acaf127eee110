package storage_test

import (
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"bordero/finance"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/deliveries"
	"bordero/storage/storagetest"
	"bordero/storage/verify"
)

// subscriber is a store with one webhook.
type subscriber struct {
	*storage.Store
	storage.Scope
	webhook int64
	t       *testing.T
	db      *sql.DB
	exec    func(query string, args ...any)
	text    func(query string, args ...any) string
}

func newSubscriber(t *testing.T, offer ...func(...jobs.Ticket)) *subscriber {
	database := storagetest.Borrow(t)
	db := database.Owner
	for _, f := range offer {
		database.Offer(f)
	}
	s := &subscriber{Store: database.Store, t: t, db: db}
	s.Scope = storagetest.NewTenant(t, s.Store).Scope
	s.exec = func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatal(err)
		}
	}
	s.text = func(query string, args ...any) (text string) {
		t.Helper()
		if err := db.QueryRowContext(t.Context(), `SELECT coalesce((`+query+`)::text, '')`, args...).Scan(
			&text); err != nil {
			t.Fatal(err)
		}
		return text
	}
	s.exec(`INSERT INTO webhooks (account_id, entity_id, url, format, secret) VALUES ($1, $2, 'https://example.com/',
		'json', 's')`, s.AccountID, s.EntityID)
	s.webhook = 1
	return s
}

func (s *subscriber) tx(do func(*storage.Tx) error) {
	s.t.Helper()
	if err := s.InTx(s.t.Context(), do); err != nil {
		s.t.Fatal(err)
	}
}

func (s *subscriber) happen(n int) {
	s.t.Helper()
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = int64(i + 1)
	}
	s.tx(func(tx *storage.Tx) error {
		return tx.Emit(s.t.Context(), finance.Event{Family: finance.SalesFamily, Action: finance.Created,
			AccountID: s.AccountID, EntityID: s.EntityID, IDs: ids})
	})
}

func (s *subscriber) agrees(want string) {
	s.t.Helper()
	found, err := verify.Run(s.t.Context(), s.Store, func(string) {})
	if err != nil {
		s.t.Fatal(err)
	}
	got := ""
	for _, f := range found {
		got += f.Check + ": " + f.Found + "; "
	}
	if got != want {
		s.t.Errorf("verify found %q, not %q", got, want)
	}
}

// Each case breaks a delivery or its job; verify reports it.
func TestVerifyKnowsDeliveries(t *testing.T) {
	t.Parallel()
	for broken, want := range map[string]string{
		`DELETE FROM jobs`: "jobs of webhooks: 2 pending since 2026-01-02 00:00:00-03, and none; ",
		`UPDATE jobs SET due_at = now() + interval '1 hour'`: "jobs of webhooks: 2 pending since 2026-01-02 " +
			"00:00:00-03, and none; ",
		`UPDATE jobs SET due_at = now() + interval '1 hour',` +
			` attempts = 1`: "",
		`UPDATE deliveries SET next_at = now() + interval '1 hour';
			UPDATE jobs SET due_at = now() + interval '1 hour'`: "",
		// nothing about its deliveries
		`DELETE FROM jobs; UPDATE webhooks SET deleted_at = now()`: "deletions: none; ",
		`UPDATE deliveries SET status = 'held' WHERE id = 1`: "deliveries that are held: " +
			"1 deliveries held; ",
		`UPDATE deliveries SET attempts_count = 1 WHERE id = 1`: "attempts of deliveries: 0 " +
			"attempts, 0 the last, 0 open; ",
		`UPDATE deliveries SET status = 'delivered', delivered_at = now() WHERE id = 1`: "attempts of deliveries: 0 " +
			"attempts, 0 the last, 0 open; ",
		`UPDATE deliveries SET status = 'failed' WHERE id = 1`: "attempts of deliveries: 0 attempts, 0 the last, 0 " +
			"open; ",
	} {
		t.Run(broken, func(t *testing.T) {
			t.Parallel()
			s := newSubscriber(t)
			s.happen(2)
			s.exec(`UPDATE deliveries SET next_at = '2026-01-02 00:00:00-03'`)
			s.agrees("")
			s.exec(broken)
			s.agrees(want)
		})
	}
}

// The job of a slow webhook that waits for a place is not lost.
func TestVerifyKnowsPostponedWebhooks(t *testing.T) {
	t.Parallel()
	s := newSubscriber(t)
	s.happen(2)
	if err := s.Postpone(t.Context(), *s.claim(time.Minute), 2*time.Second); err != nil {
		t.Fatal(err)
	}
	s.agrees("")
}

// The job that an event inserts equals the one that Enqueue inserts.
func TestAnEventAsksAsEnqueueDoes(t *testing.T) {
	t.Parallel()
	s := newSubscriber(t)
	s.exec(`INSERT INTO webhooks (account_id, entity_id, url, format, secret, status) SELECT $1, $2,
		'https://example.com/', 'json', 's', 'error' FROM generate_series(2, 11)`, s.AccountID, s.EntityID)
	s.exec(`UPDATE webhooks SET status = 'active' WHERE id = 11`)
	ctx := jobs.WithTraceparent(jobs.WithRequestID(t.Context(), "r1"),
		"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	err := s.InTx(ctx, func(tx *storage.Tx) error {
		err := tx.Emit(ctx, finance.Event{Family: finance.SalesFamily, Action: finance.Created, AccountID: s.AccountID,
			EntityID: s.EntityID, IDs: []int64{1, 2}})
		for _, id := range []int64{1, 11} {
			err = errors.Join(err,
				tx.Enqueue(ctx, s.AccountID, jobs.DeliverWebhook{AccountID: s.AccountID, WebhookID: id}))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.text(`SELECT concat(count(*), ' ',
		count(DISTINCT (kind, queue, key, args, account_id, request_id, traceparent,` +
		` due_at))) FROM jobs`); got != "4 2" {
		t.Errorf("jobs and sorts of jobs: %s", got)
	}
}

// An event and a failure or verification of its webhook wait for each other, in either order. No
// delivery of an active webhook becomes held.
func TestAnEventSeesTheCurrentStatus(t *testing.T) {
	t.Parallel()
	s := newSubscriber(t)
	event := func(tx *storage.Tx) error {
		return tx.Emit(t.Context(), finance.Event{Family: finance.PeopleFamily, Action: finance.Created,
			AccountID: s.AccountID, IDs: []int64{1}})
	}
	fail := func(tx *storage.Tx) error {
		_, err := deliveries.FailWebhook(t.Context(), tx, s.AccountID, 1, 1)
		return err
	}
	verify := func(tx *storage.Tx) error { return deliveries.ActivateWebhook(t.Context(), tx, s.AccountID, 1, 200) }
	for _, c := range []struct {
		first, second func(*storage.Tx) error
		want          string
	}{{event, fail, "held"}, {event, verify, "pending"}, {fail, event, "held"}, {verify, event, "pending"}} {
		done, commit, ended := make(chan bool), make(chan bool), make(chan error, 2)
		go func() {
			ended <- s.InTx(t.Context(), func(tx *storage.Tx) error {
				err := c.first(tx)
				done <- true
				<-commit
				return err
			})
		}()
		<-done
		go func() { ended <- s.InTx(t.Context(), c.second) }()
		storagetest.AwaitLock(t, s.db, 1)
		commit <- true
		for range 2 {
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
		}
		if got := s.text(`SELECT string_agg(DISTINCT status, ' ') FROM deliveries`); got != c.want {
			t.Errorf("%s, not %s", got, c.want)
		}
		s.agrees("")
	}
}

func TestOldDeliveriesGo(t *testing.T) {
	t.Parallel()
	s := newSubscriber(t)
	s.happen(10)
	for id, set := range map[int]string{
		1:  `status = 'delivered', delivered_at = now() - interval '2 days'`, // goes
		2:  `status = 'delivered', delivered_at = now()`,                     // stays: delivered now
		3:  `status = 'failed'`,                                              // goes
		4:  `status = 'expired'`,                                             // goes
		5:  `status = 'pending'`,                                             // stays, however old
		6:  `status = 'held', next_at = created_at`,                          // expires
		7:  `status = 'held', created_at = now()`,
		8:  `status = 'failed', created_at = now()`,
		9:  `status = 'delivered', delivered_at = now() - interval '2 days'`, // goes
		10: `status = 'held'`,                                                // stays: redelivered now
	} {
		s.exec(fmt.Sprintf(`UPDATE deliveries SET created_at = now() - interval '2 days' WHERE id = %d`, id))
		s.exec(fmt.Sprintf(`UPDATE deliveries SET attempts_count = 1, %s WHERE id = %d`, set, id))
		s.exec(fmt.Sprintf(`INSERT INTO delivery_attempts (account_id, delivery_id, number, request_id, finished_at)
			VALUES (%d, %d, 1, 'r', now())`, s.AccountID, id))
	}
	for round, want := range []int64{1, 0} {
		if n, err := deliveries.Expire(t.Context(), s.Store, 24*time.Hour); err != nil || n != want {
			t.Errorf("%d expired in round %d, %v", n, round, err)
		}
	}
	s.exec(`UPDATE deliveries SET created_at = now() WHERE id = 6`) // so that it is not removed as well
	for round, want := range []int64{4, 0} {
		if n, err := deliveries.Remove(t.Context(), s.Store, 24*time.Hour); err != nil || n != want {
			t.Errorf("%d removed in round %d, %v", n, round, err)
		}
	}
	s.exec(`UPDATE deliveries SET created_at = now() - interval '2 days' WHERE id = 8`)
	s.whileRedelivered(8, func() {
		if n, err := deliveries.Remove(t.Context(), s.Store, 24*time.Hour); err != nil || n != 0 {
			t.Errorf("%d removed beside a redelivery, %v", n, err)
		}
	})
	if got := s.text(`SELECT string_agg(concat_ws(' ', d.id, status, a.number), ', ' ORDER BY d.id) FROM deliveries d
		LEFT JOIN delivery_attempts a ON delivery_id = d.id`); got != "2 delivered 1, 5 pending 1, 6 expired 1, 7 "+
		"held 1, 8 pending 1, 10 held 1" {
		t.Error(got)
	}
	if n := s.text(`SELECT count(*) FROM delivery_attempts`); n != "6" {
		t.Errorf("%s attempts", n)
	}
}

// whileRedelivered runs remove, and makes a delivery pending after remove has read it and before it locks anything.
func (s *subscriber) whileRedelivered(id int64, remove func()) {
	s.t.Helper()
	tx, err := s.db.BeginTx(s.t.Context(), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	exec := func(query string, args ...any) {
		s.t.Helper()
		if _, err := tx.ExecContext(s.t.Context(), query, args...); err != nil {
			s.t.Fatal(err)
		}
	}
	exec(`LOCK TABLE deliveries IN EXCLUSIVE MODE`) // which reads pass, and locks of rows do not
	var removal sync.WaitGroup
	removal.Go(remove)
	s.t.Cleanup(removal.Wait)
	storagetest.AwaitLock(s.t, s.db, 1)
	exec(`UPDATE deliveries SET status = 'pending' WHERE id = $1`, id)
	if err := tx.Commit(); err != nil {
		s.t.Fatal(err)
	}
	removal.Wait()
}
