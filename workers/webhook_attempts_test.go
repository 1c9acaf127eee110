package workers

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"bordero/internal/messages"
	"bordero/jobs"
	"bordero/storage"
	"bordero/storage/deliveries"
	"bordero/storage/queue"

	"pgregory.net/rapid"
)

func TestAnEndpointPutsOffItsNextAttempt(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]time.Duration{
		"60": time.Minute, "7200": 2 * time.Hour, "86400": 2 * time.Hour, "0": 0, "-5": 0, "soon": 0, "": 0,
		"in an hour": time.Hour,
	} {
		t.Run(sent, func(t *testing.T) {
			t.Parallel()
			c := newDeliveryHarness(t)
			c.answers(func(w http.ResponseWriter, _ *http.Request) {
				if sent == "in an hour" {
					w.Header().Set("Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
				} else {
					w.Header().Set("Retry-After", sent)
				}
				w.WriteHeader(http.StatusTooManyRequests)
			})
			c.webhook("/")
			c.work()
			c.happen(1)
			c.relayUntil("an attempt", func() bool {
				return c.Count(`SELECT count(*) FROM delivery_attempts WHERE response_code = 429`) > 0
			})
			if want == 0 {
				c.relayUntil("the error", func() bool { return c.Count(`SELECT attempts_count FROM deliveries`) == 5 })
				return
			}
			var wait float64
			if err := c.DB.QueryRowContext(t.Context(), `SELECT extract(epoch FROM next_at - now()) FROM deliveries
				WHERE attempts_count = 1`).Scan(&wait); err != nil {
				t.Fatal(err)
			}
			if d := want - time.Duration(wait*float64(time.Second)); d < -time.Minute || d > time.Minute {
				t.Errorf("the next attempt is in %.0f s", wait)
			}
		})
	}
}

func TestWaitsFollowTheSchedule(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := deliverWebhook{
			Webhooks: Webhooks{Delays: []time.Duration{0, 30 * time.Second, 10 * time.Minute, 2 * time.Hour,
				12 * time.Hour}}}
		redeliveries := rapid.IntRange(0, 3).Draw(t, "redeliveries")
		made := rapid.IntRange(1, 4).Draw(t, "attempts made of five")
		asked := time.Duration(rapid.Int64Range(0, int64(30*24*time.Hour)).Draw(t, "asked"))
		d := deliveries.Delivery{AttemptsCount: 5*redeliveries + made, AttemptsAllowed: 5 * (redeliveries + 1)}
		got, least := w.again(d, asked), w.Delays[made]
		if most := max(least+least/10, min(asked, 2*time.Hour)); got < least || got < min(asked, 2*time.Hour) ||
			got > most {
			t.Fatalf("%v, not %v to %v", got, least, most)
		}
	})
}

// An attempt that a dead worker opened counts, and is closed before the next one.
func TestAnInterruptedAttemptCounts(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	id := c.webhook("/")
	c.happen(1)
	dead, err := c.Store.ClaimKey(t.Context(), time.Millisecond, jobs.Ticket{ID: int64(c.Count(`SELECT id FROM jobs`)),
		Kind: jobs.DeliverWebhookKind.Name})
	if err != nil || dead == nil {
		t.Fatal(dead, err)
	}
	args := jobs.DeliverWebhook{AccountID: c.AccountID, WebhookID: id}
	w := newDeliverWebhook(c.Store, c.webhooks)
	turn := &deliveries.Turn{Job: dead, Subscriber: deliveries.Subscriber(args)}
	if err := w.rounds.take(t.Context(), []*deliveries.Turn{turn}); err != nil || len(turn.Opened) != 1 {
		t.Fatal(turn, err)
	}
	c.work()
	c.over()
	c.equal(c.text(attemptLog), "1 1 closed "+messages.AttemptInterrupted+", 1 2 200 closed")
	if posts := c.received("/"); len(posts) != 1 || !strings.Contains(posts[0].body, `"sale":{"id":1`) {
		t.Errorf("POSTs: %+v", posts)
	}
	// If the dead worker wakes up, it changes nothing.
	b := w.batch(turn)
	late := w.attempt(t.Context(), slog.New(slog.DiscardHandler), b.endpoint, b.deliveries[0])
	err = c.Store.Complete(t.Context(), *dead, func(tx *storage.Tx) error {
		_, err := w.close(t.Context(), tx, args, []deliveries.Attempt{late})
		return err
	})
	if !errors.Is(err, queue.ErrFenced) {
		t.Error(err)
	}
	c.equal(c.text(attemptLog), "1 1 closed "+messages.AttemptInterrupted+", 1 2 200 closed")
}

// The worker dies five times between the POST and the end. No sixth attempt follows.
func TestFiveInterruptionsAreFiveAttempts(t *testing.T) {
	t.Parallel()
	c := newDeliveryHarness(t)
	id := c.webhook("/")
	c.happen(1, 2)
	c.Exec(`UPDATE deliveries SET attempts_count = 5 WHERE id = 1`)
	c.Exec(`INSERT INTO delivery_attempts (account_id, delivery_id, number, request_id, finished_at) SELECT $1, 1, n,
		'', CASE WHEN n < 5 THEN now() END FROM generate_series(1, 5) n`, c.AccountID)
	c.work()
	c.over()
	c.equal(c.text(`SELECT status FROM webhooks WHERE id = $1`, id), "error")
	c.equal(c.text(`SELECT string_agg(concat_ws(' ', status, attempts_count), ', ' ORDER BY id) FROM deliveries`),
		"failed 5, held 0")
	if n := len(c.received("/")); n != 0 {
		t.Errorf("%d POSTs", n)
	}
}

// Of a webhook in error, the code is never the 200 of an earlier test.
func TestTheCodeIsThatOfTheLastAttempt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"refused": {status(http.StatusServiceUnavailable), "503"},
		"cut off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			panic(http.ErrAbortHandler)
		}, ""},
		"a part": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			_, _ = w.Write([]byte("ok"))
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newDeliveryHarness(t)
			h.answers(c.answer)
			id := h.webhook("/", `healthy_check_code = 200`)
			h.work()
			h.happen(1)
			h.relayUntil("the error", func() bool {
				return h.text(`SELECT status FROM webhooks WHERE id = $1`, id) == "error"
			})
			h.equal(h.text(`SELECT healthy_check_code FROM webhooks WHERE id = $1`, id), c.want)
		})
	}
}
