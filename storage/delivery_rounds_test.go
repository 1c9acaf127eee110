package storage_test

import (
	"slices"
	"testing"
	"time"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/deliveries"
	"bordero/storage/queue"
	"bordero/storage/storagetest"
)

// claim claims the job of the webhook.
func (s *subscriber) claim(lease time.Duration) *queue.Job {
	s.t.Helper()
	free, err := s.Free(s.t.Context(), "webhooks", queue.Cursor{}, 1)
	if err != nil || len(free) != 1 {
		s.t.Fatal(free, err)
	}
	job, err := s.ClaimKey(s.t.Context(), lease, free[0].Ticket)
	if err != nil || job == nil {
		s.t.Fatal(job, err)
	}
	return job
}

func (s *subscriber) round(turns ...*deliveries.Turn) {
	s.t.Helper()
	if err := deliveries.NewRounds(s.Store, 2).Take(s.t.Context(), turns); err != nil {
		s.t.Fatal(err)
	}
}

func (s *subscriber) turn(job *queue.Job, ended ...deliveries.Attempt) *deliveries.Turn {
	return &deliveries.Turn{Job: job, Subscriber: deliveries.Subscriber{AccountID: s.AccountID, WebhookID: 1},
		Ended: ended}
}

const attemptsMade = `SELECT string_agg(concat_ws(' ', id, status, attempts_count,
	(SELECT count(finished_at) FROM delivery_attempts WHERE delivery_id = d.id)), ', ' ORDER BY id) FROM deliveries d`

func TestARoundClosesAndOpensAttempts(t *testing.T) {
	t.Parallel()
	s := newSubscriber(t)
	s.happen(3)
	job := s.claim(time.Minute)
	first := s.turn(job)
	s.round(first)
	if !first.Taken || !first.Full || first.Obstructed || len(first.Opened) != 2 ||
		first.Opened[0].AttemptsCount != 1 || len(first.Opened[0].RequestID) != 32 || first.Endpoint.ID != 1 {
		t.Fatalf("%+v", first)
	}
	ended := deliveries.Attempt{AccountID: s.AccountID, DeliveryID: 1, Number: 1, Delivered: true, Code: 200}
	refused := deliveries.Attempt{AccountID: s.AccountID, DeliveryID: 2, Number: 1,
		Allowed: finance.AttemptsPerDelivery,
		Code:    500, Again: time.Hour}
	second := s.turn(job, ended, refused)
	s.round(second)
	if !second.Taken || second.Full || len(second.Opened) != 1 || second.Opened[0].ID != 3 {
		t.Fatalf("%+v", second)
	}
	if got := s.text(attemptsMade); got != "1 delivered 1 1, 2 pending 1 1, 3 pending 1 0" {
		t.Error(got)
	}
}

// The attempts that a run is making obstruct no turn, and leave so many fewer to be opened.
func TestARoundOpensAsManyAsThereIsRoomFor(t *testing.T) {
	t.Parallel()
	s := newSubscriber(t)
	s.happen(4)
	job := s.claim(time.Minute)
	s.round(s.turn(job))
	next := func(delivered int64, posting ...int64) *deliveries.Turn {
		t.Helper()
		turn := s.turn(job)
		if delivered != 0 {
			turn.Ended = []deliveries.Attempt{{AccountID: s.AccountID, DeliveryID: delivered, Number: 1,
				Delivered: true, Code: 200}}
		}
		turn.Posting = posting
		s.round(turn)
		if !turn.Taken || turn.Obstructed {
			t.Fatalf("%+v", turn)
		}
		return turn
	}
	if none := next(0, 1, 2); len(none.Opened) != 0 || none.Full {
		t.Errorf("no room: %+v", none)
	}
	if one := next(1, 2); len(one.Opened) != 1 || one.Opened[0].ID != 3 || !one.Full {
		t.Errorf("room for one: %+v", one)
	}
	if last := next(2, 3); len(last.Opened) != 1 || last.Opened[0].ID != 4 || !last.Full {
		t.Errorf("room for the last: %+v", last)
	}
	if none := next(3, 4); len(none.Opened) != 0 || none.Full {
		t.Errorf("nothing is due: %+v", none)
	}
	if got := s.text(attemptsMade); got != "1 delivered 1 1, 2 delivered 1 1, 3 delivered 1 1, 4 pending 1 0" {
		t.Error(got)
	}
}

// The statement of a round may be sent again while its first execution has not ended: a connection that is cut leaves
// that to PostgreSQL. The second one opens no attempt of a delivery beside the first.
func TestARoundOpensNoAttemptBesideAnother(t *testing.T) {
	t.Parallel()
	s := newSubscriber(t)
	s.happen(1)
	turn := s.turn(s.claim(time.Minute))
	first, err := s.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = first.Rollback() }()
	if _, err := first.ExecContext(t.Context(), `UPDATE deliveries SET attempts_count = 1`); err != nil {
		t.Fatal(err)
	}
	again := make(chan error, 1)
	go func() { again <- deliveries.NewRounds(s.Store, 2).Take(t.Context(), []*deliveries.Turn{turn}) }()
	storagetest.AwaitLock(t, s.db, 1)
	if err := first.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := <-again; err != nil || len(turn.Opened) != 0 {
		t.Errorf("%+v, %v", turn, err)
	}
	if got := s.text(`SELECT concat(attempts_count, ' ', (SELECT count(*) FROM delivery_attempts))
		FROM deliveries`); got != "1 0" {
		t.Error(got)
	}
}

// A round says when the next delivery falls due, also of those with an attempt that it closes.
func TestARoundSaysWhenTheNextIsDue(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile string
		want      time.Duration
	}{
		"by the schedule": {`SELECT`, 20 * time.Minute},
		"another one before": {`UPDATE deliveries SET next_at = now() + interval '10 minutes'
			WHERE id = 2`, 10 * time.Minute},
		"a redelivery was requested meanwhile": {`UPDATE deliveries SET attempts_allowed = 6 WHERE id = 1`, 0},
		"all were delivered":                   {`UPDATE deliveries SET status = 'delivered'`, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSubscriber(t)
			s.happen(2)
			s.exec(`UPDATE deliveries SET next_at = now() + interval '30 minutes' WHERE id = 2`)
			job := s.claim(time.Minute)
			s.round(s.turn(job))
			s.exec(c.meanwhile)
			next := s.turn(job, deliveries.Attempt{AccountID: s.AccountID, DeliveryID: 1, Number: 1,
				Allowed: finance.AttemptsPerDelivery, Code: 500, Again: 20 * time.Minute})
			s.round(next)
			if !next.Taken || (next.Next-c.want).Abs() > time.Minute {
				t.Errorf("%+v, want %v", next, c.want)
			}
		})
	}
}

// A round opens attempts of the deliveries that fell due after Since, and says when the first of them did.
func TestARoundBeginsWhereItIsTold(t *testing.T) {
	t.Parallel()
	s := newSubscriber(t)
	s.happen(2)
	day := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	s.exec(`UPDATE deliveries SET next_at = timestamptz '2026-03-02 12:00Z' + id * interval '1 minute'`)
	job := s.claim(time.Minute)
	later := s.turn(job)
	later.Since = day.Add(time.Minute)
	s.round(later)
	if len(later.Opened) != 1 || later.Opened[0].ID != 2 || !later.First.Equal(day.Add(2*time.Minute)) {
		t.Errorf("since the first: %+v", later)
	}
	ended := deliveries.Attempt{AccountID: s.AccountID, DeliveryID: 2, Number: 1, Delivered: true, Code: 200}
	all := s.turn(job, ended)
	s.round(all)
	if len(all.Opened) != 1 || all.Opened[0].ID != 1 || !all.First.Equal(day.Add(time.Minute)) {
		t.Errorf("since ever: %+v", all)
	}
	ended.DeliveryID = 1
	none := s.turn(job, ended)
	s.round(none)
	if len(none.Opened) != 0 || time.Since(none.First).Abs() > time.Hour {
		t.Errorf("nothing is due: %+v", none)
	}
}

// A round may have turns of a run whose claim is lost and of the run with the current claim.
func TestARoundDistinguishesALostClaimFromTheNewOne(t *testing.T) {
	t.Parallel()
	for name, lostFirst := range map[string]bool{"the lost one comes first": true, "the lost one comes last": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSubscriber(t)
			s.happen(1)
			lost := s.turn(s.claim(time.Minute))
			s.exec(`UPDATE jobs SET leased_until = now() - interval '1 second'`)
			fresh := s.turn(s.claim(time.Minute))
			if lostFirst {
				s.round(lost, fresh)
			} else {
				s.round(fresh, lost)
			}
			if lost.Taken || !fresh.Taken || len(fresh.Opened) != 1 {
				t.Errorf("lost: %+v, fresh: %+v", lost, fresh)
			}
		})
	}
}

// A round leaves what it must not change to the run itself.
func TestARoundLeavesWhatItMustNotTouch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before            string
		taken, obstructed bool
	}{
		"its claim is lost":       {before: `UPDATE jobs SET claims = claims + 1`},
		"its job is done":         {before: `DELETE FROM jobs`},
		"the webhook is gone":     {before: `UPDATE webhooks SET deleted_at = now()`},
		"the webhook is in error": {before: `UPDATE webhooks SET status = 'error'`},
		"a dead worker left an attempt behind": {
			before: `UPDATE deliveries SET attempts_count = 1; INSERT INTO delivery_attempts (account_id, delivery_id,
				number, request_id) SELECT account_id, id, 1, '' FROM deliveries`, taken: true, obstructed: true},
		"the family is of a later release": {before: `UPDATE deliveries SET family = 'later'`, taken: true,
			obstructed: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSubscriber(t)
			s.happen(1)
			turn := s.turn(s.claim(time.Minute))
			s.exec(c.before)
			was := s.text(attemptsMade)
			s.round(turn)
			if turn.Taken != c.taken || turn.Obstructed != c.obstructed || len(turn.Opened) != 0 {
				t.Errorf("%+v", turn)
			}
			if got := s.text(attemptsMade); got != was {
				t.Errorf("%s, and before %s", got, was)
			}
		})
	}
}

// An event enqueues a job unless an existing one will read its delivery.
func TestAnEventReliesOnADueJob(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before string
		jobs   string
		wakes  bool
	}{
		"none":                            {`DELETE FROM jobs`, "1", false},
		"one that waits":                  {`SELECT`, "1", true},
		"one that runs":                   {`UPDATE jobs SET leased_until = now() + interval '1 minute'`, "1", true},
		"one whose lease has lapsed":      {`UPDATE jobs SET leased_until = now() - interval '1 minute'`, "1", false},
		"one that was tried before":       {`UPDATE jobs SET attempts = 2`, "2", false},
		"one that is due later":           {`UPDATE jobs SET due_at = now() + interval '1 minute'`, "2", false},
		"one that has failed":             {`UPDATE jobs SET failed_at = now()`, "2", false},
		"one of another webhook":          {`UPDATE jobs SET key = 'webhook:2'`, "2", false},
		"one of another kind of that key": {`UPDATE jobs SET kind = 'other'`, "2", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var offered []jobs.Ticket
			s := newSubscriber(t, func(all ...jobs.Ticket) {
				offered = append(offered,
					slices.DeleteFunc(all, func(t jobs.Ticket) bool { return t == jobs.Unsealed })...)
			})
			s.happen(1)
			s.exec(c.before)
			offered = nil
			s.happen(1)
			if got := s.text(`SELECT count(*) FROM jobs`); got != c.jobs {
				t.Errorf("%s jobs, not %s", got, c.jobs)
			}
			fresh := c.jobs == "2" || name == "none" || name == "one whose lease has lapsed"
			if len(offered) > 1 || (len(offered) == 1) != (fresh || c.wakes) || c.wakes && !offered[0].Running ||
				fresh && offered[0].ID == 0 {
				t.Errorf("offered: %+v", offered)
			}
		})
	}
}

// A run ends its job only if no event relies on it, without waiting for events. Otherwise the
// job remains, due and offered.
func TestTheEndOfARunWaitsForNoEvent(t *testing.T) {
	t.Parallel()
	var offered []jobs.Ticket
	s := newSubscriber(t, func(all ...jobs.Ticket) { offered = append(offered, all...) })
	s.happen(1)
	job := s.claim(time.Minute)
	finish := func(want bool) {
		t.Helper()
		offered = nil
		err := s.Finish(t.Context(), *job, func(_ *storage.Tx, ended bool) error {
			if ended != want {
				t.Errorf("ended: %v", ended)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	s.tx(func(tx *storage.Tx) error {
		err := tx.Emit(t.Context(), finance.Event{Family: finance.SalesFamily, Action: finance.Created,
			AccountID: s.AccountID, EntityID: s.EntityID, IDs: []int64{2}})
		finish(false)
		if len(offered) != 1 || offered[0].ID != job.ID {
			t.Errorf("offered: %+v", offered)
		}
		return err
	})
	if got := s.text(`SELECT concat(id, ' ', leased_until IS NULL, ' ', attempts) FROM jobs`); got != "1 t 0" {
		t.Errorf("jobs: %s", got)
	}
	job = s.claim(time.Minute)
	finish(true)
	if got := s.text(`SELECT count(*) FROM jobs`); got != "0" {
		t.Errorf("jobs: %s", got)
	}
}

// Merge does not remove jobs that an event relies on, and does not wait for the event.
func TestAMergeWaitsForNoEvent(t *testing.T) {
	t.Parallel()
	s := newSubscriber(t)
	s.happen(1)
	s.exec(`INSERT INTO jobs (kind, queue, key, args, account_id) SELECT kind, queue, key, args, account_id FROM jobs,
		generate_series(1, 2)`)
	job := s.claim(time.Minute)
	s.tx(func(tx *storage.Tx) error {
		_, err := db.Exec(t.Context(), tx.DB, `SELECT FROM jobs WHERE id = 3 FOR KEY SHARE`)
		if err != nil {
			return err
		}
		return s.CollapseClaim(t.Context(), job)
	})
	if got := s.text(
		`SELECT string_agg(concat(id, ' ', leased_until IS NULL), ', ' ORDER BY id) FROM jobs`); got != "1 f, 3 t" {
		t.Errorf("jobs: %s", got)
	}
}

// An event during the end of a run does not wait for it, and enqueues its own job.
func TestAnEventDoesNotWaitForTheEndOfARun(t *testing.T) {
	t.Parallel()
	s := newSubscriber(t)
	s.happen(1)
	job := s.claim(time.Minute)
	err := s.Finish(t.Context(), *job, func(*storage.Tx, bool) error {
		s.happen(1)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.text(`SELECT concat(count(*), ' ', max(id) > $1) FROM jobs`, job.ID); got != "1 t" {
		t.Errorf("jobs: %s", got)
	}
}

// A job is claimed and its lease renewed while an event relies on it.
func TestEventsDoNotBlockJobs(t *testing.T) {
	t.Parallel()
	s := newSubscriber(t)
	s.happen(1)
	s.tx(func(tx *storage.Tx) error {
		err := tx.Emit(t.Context(), finance.Event{Family: finance.SalesFamily, Action: finance.Created,
			AccountID: s.AccountID, EntityID: s.EntityID, IDs: []int64{2}})
		job := s.claim(time.Minute)
		if _, err := s.Renew(t.Context(), time.Hour, []queue.Job{*job}); err != nil {
			t.Error(err)
		}
		turn := s.turn(job)
		s.round(turn)
		if len(turn.Opened) != 1 {
			t.Errorf("%+v", turn)
		}
		return err
	})
	if got := s.text(`SELECT bool_and(leased_until > now() + interval '30 minutes') FROM jobs`); got != "true" &&
		got != "t" {
		t.Errorf("renewed: %s", got)
	}
}
