package workers

import (
	"context"
	"net/http"
	"testing"
	"time"

	"bordero/finance"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/deliveries"
)

// All failed deliveries get five attempts more, whatever the size of a batch, and only they.
func TestFailedDeliveriesAreDeliveredAgain(t *testing.T) {
	t.Parallel()
	for name, webhook := range map[string]struct{ status, want string }{
		"active":   {"active", "delivered 1 5, delivered 6 10 x7, failed 5 5"},
		"in error": {"error", "delivered 1 5, failed 5 5, held 5 10 x7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newDeliveryHarness(t)
			id := c.webhook("/")
			c.fail(id, 7)
			c.Exec(`UPDATE webhooks SET status = $1`, webhook.status)
			c.Exec(`INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, status, attempts_count,
				delivered_at) VALUES ($1, $2, 'sales', 'created', 8, 'delivered', 1, now())`, c.AccountID, id)
			c.Exec(`INSERT INTO delivery_attempts (account_id, delivery_id, number, request_id, finished_at)
				VALUES ($1, 8, 1, 'r', now())`, c.AccountID)
			c.InTx(func(ctx context.Context, tx *storage.Tx) error {
				w, err := deliveries.LockWebhook(ctx, tx, c.AccountID, id)
				if err != nil {
					return err
				}
				n, err := deliveries.EnqueueRedelivery(ctx, tx, w, map[string]string{
					"status": "failed", "since": time.Now().Add(-time.Hour).Format(time.RFC3339)})
				if n != 7 {
					t.Errorf("%d match", n)
				}
				return err
			})
			c.fail(id, 1) // later than that
			stop := c.Start(nil, redeliverWebhook{store: c.Store, batch: 3}.handler())
			c.relayUntil("the end of the batches", func() bool {
				return c.Count(`SELECT count(*) FROM jobs WHERE kind = 'redeliver_webhook'`) == 0
			})
			stop()
			c.work()
			c.over()
			c.equal(c.text(`SELECT string_agg(concat_ws(' ', status, attempts_count, attempts_allowed, CASE WHEN n > 1
				THEN 'x' || n END), ', ' ORDER BY status, attempts_count, attempts_allowed)
				FROM (SELECT status, attempts_count, attempts_allowed, count(*) AS n FROM deliveries GROUP BY 1, 2,
					3) d`), webhook.want)
		})
	}
}

// A redelivery that is requested during the last attempt does not wait by the schedule of that one.
func TestARedeliveryDuringAnAttemptIsDueAtOnce(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	c.webhooks.Delays = []time.Duration{0, time.Hour, time.Hour, time.Hour, time.Hour}
	began, redelivered := make(chan bool, 1), make(chan bool)
	c.answers(func(w http.ResponseWriter, _ *http.Request) {
		began <- true
		<-redelivered
		w.WriteHeader(http.StatusInternalServerError)
	})
	id := c.webhook("/")
	c.fail(id, 1)
	c.Exec(`DELETE FROM delivery_attempts WHERE number = 5`)
	c.Exec(`UPDATE deliveries SET status = 'pending', attempts_count = 4`)
	c.InTx(func(ctx context.Context, tx *storage.Tx) error {
		return deliveries.Enqueue(ctx, tx, c.AccountID, id)
	})
	c.work()
	<-began
	c.InTx(func(ctx context.Context, tx *storage.Tx) error {
		w, err := deliveries.LockWebhook(ctx, tx, c.AccountID, id)
		if err == nil {
			_, err = deliveries.Redeliver(ctx, tx, w, 1)
		}
		return err
	})
	c.answers(nil)
	close(redelivered)
	c.relayUntil("the end of the fifth attempt", func() bool {
		return c.Count(`SELECT count(finished_at) FROM delivery_attempts`) >= 5
	})
	if wait := c.text(
		`SELECT next_at - now() FROM deliveries WHERE attempts_count = 5 AND next_at > now()`); wait != "" {
		t.Fatalf("the sixth attempt is in %s", wait)
	}
	c.over()
	c.equal(c.text(`SELECT concat_ws(' ', status, attempts_count) FROM deliveries`), "delivered 6")
}

// So is one that is requested during an attempt if the worker then dies.
func TestARedeliveryDuringAnInterruptedAttemptIsDueAtOnce(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	c.webhooks.Delays = []time.Duration{0, time.Hour, time.Hour, time.Hour, time.Hour}
	id := c.webhook("/")
	c.fail(id, 1)
	c.Exec(`UPDATE delivery_attempts SET finished_at = NULL, response_code = NULL WHERE number = 5`)
	c.Exec(`UPDATE deliveries SET status = 'pending', attempts_allowed = 10`)
	c.InTx(func(ctx context.Context, tx *storage.Tx) error {
		return deliveries.Enqueue(ctx, tx, c.AccountID, id)
	})
	c.work()
	c.over()
	c.equal(c.text(`SELECT concat_ws(' ', status, attempts_count) FROM deliveries`), "delivered 6")
}

// fail adds deliveries that have used up their attempts.
func (c *deliveryHarness) fail(webhook int64, n int) {
	c.T.Helper()
	c.Exec(`WITH d AS (
			INSERT INTO deliveries (account_id, webhook_id, family, action, record_id, entity_id, status,
				attempts_count)
			SELECT $1, $2, 'sales', 'created', n, $3, 'failed', 5 FROM generate_series(1, $4::int) n
				RETURNING account_id, id)
		INSERT INTO delivery_attempts (account_id, delivery_id, number, request_id, finished_at, response_code)
		SELECT account_id, id, n, 'r', now(), 503 FROM d, generate_series(1, 5) n`, c.AccountID, webhook, c.EntityID, n)
}

// A run that lost its claim changes nothing, and one whose webhook is gone ends.
func TestARedeliveryRunsOnce(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	id := c.webhook("/")
	c.fail(id, 4)
	ask := jobs.RedeliverWebhook{AccountID: c.AccountID, WebhookID: id, Search: map[string]string{
		"status": string(finance.DeliveryFailed)}, UpTo: 4}
	c.InTx(func(ctx context.Context, tx *storage.Tx) error { return tx.Enqueue(ctx, c.AccountID, ask) })
	ticket := jobs.Ticket{ID: int64(c.Count(`SELECT id FROM jobs`)), Kind: ask.Kind().Name}
	lost, err := c.Store.Claim(t.Context(), time.Millisecond, []jobs.Ticket{ticket})
	if err != nil || len(lost) != 1 {
		t.Fatal(lost, err)
	}
	stop := c.Start(nil, redeliverWebhook{store: c.Store, batch: 3}.handler())
	c.relayUntil("the end of the batches", func() bool {
		return c.Count(`SELECT count(*) FROM jobs WHERE kind = 'redeliver_webhook'`) == 0
	})
	err = c.Store.Complete(t.Context(), lost[0], func(tx *storage.Tx) error {
		t.Error("the lost run has an effect")
		return nil
	})
	if err == nil {
		t.Error("the lost run ended its job")
	}
	c.equal(c.text(`SELECT string_agg(concat_ws(' ', status, attempts_allowed), ', ') FROM deliveries`),
		"pending 10, pending 10, pending 10, pending 10")
	c.Exec(`UPDATE webhooks SET deleted_at = now()`)
	c.InTx(func(ctx context.Context, tx *storage.Tx) error { return tx.Enqueue(ctx, c.AccountID, ask) })
	c.relayUntil("its end", func() bool {
		return c.Count(`SELECT count(*) FROM jobs WHERE kind = 'redeliver_webhook'`) == 0
	})
	stop()
}
