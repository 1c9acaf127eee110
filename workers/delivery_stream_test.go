package workers

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/testkit"
	"bordero/jobs/broker"
	"bordero/storage"
	"bordero/storage/deliveries"
)

// A run stays with its webhook: the next events need no job.
func TestARunThatStaysIsWokenByEvents(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	c.webhook("/")
	stop := c.work(func(d *deliverWebhook) { d.slice, d.stay = time.Hour, time.Hour })
	c.awaitHearing()
	const events = 20
	for id := range events {
		c.happen(int64(id + 1))
		c.relayUntil("the notification", func() bool {
			return c.Count(`SELECT count(*) FROM deliveries WHERE status = 'delivered'`) == id+1
		})
	}
	c.equal(c.text(`SELECT concat(count(*), ' ', max(id), ' ', max(attempts)) FROM jobs`), "1 1 1")
	stop() // ends the run at once
	c.equal(c.text(`SELECT count(*) FROM jobs`), "0")
	c.agrees()
}

// A run that stays finds what falls due, and whatever is committed without knowing that the run stays.
func TestARunThatStaysMissesNothing(t *testing.T) {
	t.Parallel()
	delivered := `SELECT count(*) FROM deliveries WHERE status = 'delivered'`
	for name, cause := range map[string]func(c *deliveryHarness, work func()){
		"an event before the claim, committed after the round": func(c *deliveryHarness, work func()) {
			c.InTx(func(ctx context.Context, tx *storage.Tx) error {
				defer work()
				return tx.Emit(ctx, finance.Event{Family: finance.SalesFamily, Action: finance.Created,
					AccountID: c.AccountID, EntityID: c.EntityID, IDs: []int64{2}})
			})
		},
		"a redelivery": func(c *deliveryHarness, work func()) {
			c.fail(1, 1)
			work()
			c.InTx(func(ctx context.Context, tx *storage.Tx) error {
				w, err := deliveries.LockWebhook(ctx, tx, c.AccountID, 1)
				if err == nil {
					_, err = deliveries.Redeliver(ctx, tx, w, 2)
				}
				return err
			})
		},
		"a later attempt": func(c *deliveryHarness, work func()) {
			c.Exec(`INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id, next_at)
				VALUES ($1, 1, 'sales', 'created', 2, $2, now() + interval '300 ms')`, c.AccountID, c.EntityID)
			work()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newDeliveryHarness(t)
			c.webhook("/")
			c.happen(1)
			cause(c, func() {
				c.work(func(d *deliverWebhook) { d.slice, d.stay = time.Hour, time.Hour })
				testkit.Eventually(t, "the first", func() bool { return c.Count(delivered) >= 1 })
				c.awaitHearing()
			})
			testkit.Eventually(t, "the second", func() bool { return c.Count(delivered) == 2 })
		})
	}
}

// awaitHearing waits until the worker hears hints. A hint before that is lost, and costs as much as a run stays.
func (c *deliveryHarness) awaitHearing() {
	c.T.Helper()
	client, err := broker.OpenRedis(c.RedisURL)
	if err != nil {
		c.T.Fatal(err)
	}
	defer client.Close()
	channel, err := c.Client.Key(c.T.Context(), "wake", c.Queue)
	if err != nil {
		c.T.Fatal(err)
	}
	testkit.Eventually(c.T, "the worker hears hints", func() bool {
		listeners, err := client.PubSubNumSub(c.T.Context(), channel).Result()
		return err == nil && listeners[channel] > 0
	})
}

// With half of the places taken no run stays, so that other webhooks find one.
func TestNoRunStaysWhereOthersWantItsPlace(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	for range 2 * c.webhooks.MaxEndpoints {
		c.webhook("/")
	}
	c.work(func(d *deliverWebhook) { d.slice, d.stay = time.Hour, time.Hour })
	c.happen(1)
	c.relayUntil("all notifications", func() bool { return len(c.received("/")) == 2*c.webhooks.MaxEndpoints })
	c.relayUntil("the end of most runs", func() bool {
		return c.Count(`SELECT count(*) FROM jobs`) <= c.webhooks.MaxEndpoints/2
	})
}

// Events arrive while runs begin, stay and end, and no wake-up reaches the runs. Each event
// is delivered once.
func TestNoEventIsStrandedAtTheEndOfARun(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	for range 3 {
		c.webhook("/")
	}
	for range 2 { // workers
		c.work(func(d *deliverWebhook) { d.stay, d.slice = time.Millisecond, 5*time.Millisecond })
	}
	const writers, each = 4, 40
	var happening sync.WaitGroup
	for n := range writers {
		happening.Go(func() {
			for i := range each {
				c.happen(int64(n*each + i + 1))
			}
		})
	}
	happening.Wait()
	c.over()
	c.equal(c.text(`SELECT concat(count(*), ' ', sum(attempts_count), ' ',
		count(*) FILTER (WHERE status = 'delivered')) FROM deliveries`), "480 480 480")
}

// Transactions that overlap without a gap always have the run's job locked. The run ends
// nonetheless, and another continues.
func TestEventsWithoutAGapDoNotDelayARun(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	c.webhook("/")
	c.work(func(d *deliverWebhook) { d.slice, d.stay = 20*time.Millisecond, time.Millisecond })
	over := make(chan struct{})
	var writers sync.WaitGroup
	defer writers.Wait()
	defer close(over)
	for n := range 8 {
		writers.Go(func() {
			for id := int64(n + 1); ; id += 8 {
				select {
				case <-over:
					return
				default:
				}
				c.InTx(func(ctx context.Context, tx *storage.Tx) error {
					err := tx.Emit(ctx, finance.Event{Family: finance.SalesFamily, Action: finance.Created,
						AccountID: c.AccountID, EntityID: c.EntityID, IDs: []int64{id}})
					_, _ = db.Exec(ctx, tx.DB, `SELECT pg_sleep(0.02)`)
					return err
				})
			}
		})
	}
	c.relayUntil("many notifications of these", func() bool { return len(c.received("/")) > 300 })
}

// A notification that cannot be built fails its own job only.
func TestANotificationThatCannotBeMadeHarmsNoOther(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	bad := c.webhook("/bad")
	c.webhook("/")
	c.happen(1)
	c.Exec(`UPDATE deliveries SET family = 'of a later release' WHERE webhook_id = $1`, bad)
	c.work()
	c.relayUntil("the other's", func() bool { return len(c.received("/")) == 1 })
	c.relayUntil("the failure", func() bool {
		return c.Count(`SELECT count(*) FROM jobs WHERE error LIKE '%does not know%'`) == 1
	})
	c.happen(2)
	c.relayUntil("the other's next", func() bool { return len(c.received("/")) == 2 })
}

// A transaction that has a webhook locked delays its notifications, but not those of other
// webhooks in the same round.
func TestALockedWebhookDelaysNoOther(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	locked := c.webhook("/locked")
	c.webhook("/")
	c.work(func(d *deliverWebhook) { d.slice, d.stay = time.Hour, time.Hour })
	c.awaitHearing()
	c.happen(1)
	c.relayUntil("both notifications", func() bool {
		return len(c.received("/")) == 1 &&
			len(c.received("/locked")) == 1
	})
	c.InTx(func(ctx context.Context, tx *storage.Tx) error {
		if _, err := deliveries.LockWebhook(ctx, tx, c.AccountID, locked); err != nil {
			return err
		}
		for id := range 5 {
			c.happen(int64(id + 2))
			c.relayUntil("the other's", func() bool { return len(c.received("/")) == id+2 })
		}
		if n := len(c.received("/locked")); n > 1 {
			t.Errorf("%d went to the locked one", n)
		}
		return nil
	})
	c.relayUntil("the locked one's", func() bool { return len(c.received("/locked")) == 6 })
}

// A round that fails loses no answer: the run stores it alone.
func TestARoundThatFailsLosesNoAnswer(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	posted, goOn := make(chan bool, 2), make(chan bool)
	c.answers(func(http.ResponseWriter, *http.Request) {
		posted <- true
		<-goOn
	})
	c.webhook("/")
	c.happen(1)
	c.work(func(w *deliverWebhook) {
		take, first := w.rounds.take, true
		w.rounds.take = func(ctx context.Context, turns []*deliveries.Turn) error {
			if slices.ContainsFunc(turns, func(t *deliveries.Turn) bool { return len(t.Ended) > 0 }) && first {
				first = false
				panic("a round fails")
			}
			return take(ctx, turns)
		}
	})
	<-posted
	c.happen(2) // for the round that closes the first attempt
	close(goOn)
	c.over()
	c.equal(c.text(attemptLog), "1 1 200 closed, 2 1 200 closed")
	if n := len(c.received("/")); n != 2 {
		t.Errorf("%d POSTs", n)
	}
}

// An answer that takes its time delays no other notification of the webhook, and one that ends alone does not make
// its endpoint slow.
func TestASlowAnswerDelaysNoOther(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	slow, first, second := make(chan bool, 2), make(chan bool), make(chan bool)
	c.answers(func(_ http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("webhook-id") {
		case "msg_1":
			slow <- true
			<-first
		case "msg_7":
			slow <- true
			<-second
		}
	})
	c.webhook("/")
	c.work(func(d *deliverWebhook) { d.slice, d.stay = time.Second, time.Hour })
	c.awaitHearing()
	delivered := 0
	deliver := func(what string, n int) {
		t.Helper()
		delivered += n
		c.relayUntil(what, func() bool {
			return c.Count(`SELECT count(*) FROM deliveries WHERE status = 'delivered'`) == delivered
		})
	}
	c.happen(1)
	<-slow
	c.happen(2) // wakes the run
	deliver("the next", 1)
	c.InTx(func(ctx context.Context, tx *storage.Tx) error { // more than one turn may open
		return tx.Emit(ctx, finance.Event{Family: finance.SalesFamily, Action: finance.Created, AccountID: c.AccountID,
			EntityID: c.EntityID, IDs: []int64{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}})
	})
	<-slow
	deliver("all others", 11)
	began := time.Now()
	for id := int64(15); time.Since(began) < 1500*time.Millisecond; id++ { // so the slow ones take more than a slice
		c.happen(id)
		deliver("one meanwhile", 1)
	}
	close(first)
	deliver("the first slow one", 1)
	c.happen(1000)
	deliver("one beside the second", 1)
	close(second)
	deliver("the second slow one", 1)
	c.equal(c.text(`SELECT max(number) FROM delivery_attempts`), "1")
}

// While an attempt goes on, a lock keeps rounds from the turn of its run. The run tries again, and does not await the
// attempt.
func TestATurnThatIsLeftDelaysNothing(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	posted, released := c.holdsFirst()
	c.webhook("/")
	c.work(func(w *deliverWebhook) {
		w.stay = time.Hour
		take, left := w.rounds.take, 0
		w.rounds.take = func(ctx context.Context, turns []*deliveries.Turn) error {
			if len(turns[0].Posting) > 0 && left < mostLeft {
				left++
				return nil
			}
			return take(ctx, turns)
		}
	})
	c.awaitHearing()
	c.happen(1)
	<-posted
	c.happen(2)
	delivered := `SELECT count(*) FROM deliveries WHERE status = 'delivered'`
	c.relayUntil("the second", func() bool { return c.Count(delivered) == 1 })
	close(released)
	c.relayUntil("the first", func() bool { return c.Count(delivered) == 2 })
	c.equal(c.text(attemptLog), "1 1 200 closed, 2 1 200 closed") // the first POST did not wait for its timeout
}

// holdsFirst makes the receiver announce the POST of the first notification in posted, and answer it when released is
// closed.
func (c *deliveryHarness) holdsFirst() (posted, released chan bool) {
	posted, released = make(chan bool, 1), make(chan bool)
	c.answers(func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("webhook-id") == "msg_1" {
			posted <- true
			<-released
		}
	})
	return posted, released
}

// While an attempt goes on, the run fails. It awaits the answer and stores it.
func TestARunThatFailsLosesNoAnswer(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	posted, released := c.holdsFirst()
	c.webhook("/")
	c.work(func(w *deliverWebhook) {
		w.slice, w.stay = time.Hour, time.Hour
		take, release := w.rounds.take, sync.OnceFunc(func() { close(released) })
		w.rounds.take = func(ctx context.Context, turns []*deliveries.Turn) error {
			err := take(ctx, turns)
			if turns[0].Obstructed {
				release()
			}
			return err
		}
	})
	c.awaitHearing()
	c.happen(1)
	<-posted
	c.InTx(func(ctx context.Context, tx *storage.Tx) error {
		err := tx.Emit(ctx, finance.Event{Family: finance.SalesFamily, Action: finance.Created,
			AccountID: c.AccountID, EntityID: c.EntityID, IDs: []int64{2}})
		_, _ = db.Exec(ctx, tx.DB, `UPDATE deliveries SET family = 'of a later release' WHERE record_id = 2`)
		return err
	})
	c.relayUntil("the failure", func() bool {
		return c.Count(`SELECT count(*) FROM jobs WHERE error LIKE '%does not know%'`) == 1
	})
	c.equal(c.text(attemptLog), "1 1 200 closed")
}

// PostgreSQL is away when a run stores its last answers. It stores them afterwards, and nothing is sent again.
func TestAnswersOutlastAFailover(t *testing.T) {
	t.Parallel()
	for name, slice := range map[string]time.Duration{"in a round": time.Hour, "at the end of the run": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newDeliveryHarness(t)
			c.Exec(`CREATE SEQUENCE refused`)
			c.Exec(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
				IF nextval('refused') <= 5 THEN
					RAISE 'terminating connection due to administrator command' USING ERRCODE = '57P01';
				END IF;
				RETURN new;
			END $$`)
			c.Exec(`CREATE TRIGGER refuse BEFORE UPDATE ON delivery_attempts FOR EACH ROW EXECUTE FUNCTION refuse()`)
			c.webhook("/")
			c.happen(1)
			c.Exec(`UPDATE jobs SET attempts = 9`) // after the tenth, the job would rest for minutes
			c.work(func(w *deliverWebhook) { w.slice, w.stay = slice, 50*time.Millisecond })
			c.relayUntil("the attempt is closed", func() bool {
				return c.Count(`SELECT count(finished_at) FROM delivery_attempts`) > 0
			})
			c.equal(c.text(attemptLog), "1 1 200 closed")
			c.over()
			if n := len(c.received("/")); n != 1 {
				t.Errorf("%d POSTs", n)
			}
		})
	}
}

// While an attempt goes on, another delivery fails. The webhook is in error once the attempt has ended: a delivery
// that was held meanwhile would be sent again.
func TestAFailureAwaitsTheOtherAnswers(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	c.webhooks.Delays = make([]time.Duration, 5)
	c.answers(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("webhook-id") == "msg_1" {
			time.Sleep(10 * gathering) // the other fails meanwhile
			return
		}
		w.WriteHeader(http.StatusInternalServerError)
	})
	id := c.webhook("/")
	c.happen(1, 2)
	c.work()
	c.relayUntil("the error", func() bool { return c.text(`SELECT status FROM webhooks WHERE id = $1`, id) == "error" })
	c.over()
	c.equal(c.text(`SELECT string_agg(concat_ws(' ', status, attempts_count), ', ' ORDER BY id) FROM deliveries`),
		"delivered 1, failed 5")
}
