package workers

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"bordero/finance"
	"bordero/internal/logging"
	"bordero/internal/messages"
	"bordero/internal/panics"
	"bordero/internal/random"
	"bordero/storage/deliveries"
)

// maxRetryAfter is the longest that an endpoint can delay an attempt.
const maxRetryAfter = 2 * time.Hour

// again returns the wait before the next attempt: the schedule's, plus up to a tenth so that
// deliveries that failed together spread out. A longer wait that the endpoint asked for replaces
// it, up to maxRetryAfter.
func (w deliverWebhook) again(d deliveries.Delivery, asked time.Duration) time.Duration {
	left := d.AttemptsAllowed - d.AttemptsCount
	next := w.Delays[min(max(len(w.Delays)-left, 1), len(w.Delays)-1)]
	next += time.Duration(rand.Float64() * float64(next) / 10)
	return max(next, min(asked, maxRetryAfter))
}

// afterInterruption is again for an attempt that was interrupted: no wait if a redelivery was requested meanwhile,
// which left it all attempts.
func (w deliverWebhook) afterInterruption(d deliveries.Delivery) time.Duration {
	if d.AttemptsAllowed-d.AttemptsCount >= finance.AttemptsPerDelivery {
		return 0
	}
	return w.again(d, 0)
}

// newRequestID returns a random X-Service-RequestId.
func newRequestID() string { return random.Hex(16) }

// wantStatus is the only status that means success (docs/webhooks.md).
const wantStatus = http.StatusOK

// attempt makes one attempt of a delivery, and counts and logs its outcome.
func (w deliverWebhook) attempt(ctx context.Context, log *slog.Logger, endpoint *finance.Webhook,
	d deliveries.Delivery) deliveries.Attempt {
	began := time.Now()
	ctx, span := w.Trace.Delivery(ctx, d.Traceparent)
	d.Traceparent = cmp.Or(span.Traceparent(), d.Traceparent)
	var r reply
	if panics.Caught(log, "delivery attempt panicked", func() error {
		r = send(ctx, w.HTTP, endpoint, d)
		return nil
	}) != nil {
		r = reply{problem: messages.AttemptInterrupted}
	}
	a := deliveries.Attempt{
		AccountID: d.AccountID, DeliveryID: d.ID, Number: d.AttemptsCount, Allowed: d.AttemptsAllowed, Body: d.Body,
		Last: d.AttemptsCount >= d.AttemptsAllowed,
		Code: r.code, Error: r.problem, Excerpt: r.excerpt,
		Delivered: r.code == wantStatus && r.problem == "", Took: time.Since(began), Again: w.again(d, r.retryAfter),
	}
	if a.Error == "" && !a.Delivered {
		a.Error = fmt.Sprintf(messages.AnsweredWithf, r.code)
	}
	outcome := "failed"
	switch {
	case a.Delivered:
		outcome = "delivered"
	case !a.Last:
		outcome = "retried"
	}
	w.count(outcome)
	span.Attempted(outcome, a.Code, a.Number, a.AccountID)
	logAttempt(log, endpoint, a, outcome)
	return a
}

// logAttempt logs an attempt. Of the URL it names the host: the rest may be secret.
func logAttempt(log *slog.Logger, endpoint *finance.Webhook, a deliveries.Attempt, outcome string) {
	host := ""
	if u, err := url.Parse(endpoint.URL); err == nil {
		host = u.Host
	}
	attrs := []slog.Attr{
		slog.Int64("webhook_id", endpoint.ID), slog.String("host", host), slog.Int64("delivery_id", a.DeliveryID),
		slog.Int("attempt", a.Number),
		slog.String("outcome", outcome), logging.Milliseconds("took_ms", a.Took),
	}
	if a.Code != 0 {
		attrs = append(attrs, slog.Int("status", a.Code))
	}
	log.LogAttrs(context.Background(), slog.LevelInfo, "delivery attempt", attrs...)
}

func (w deliverWebhook) count(outcome string) {
	if w.Attempted != nil {
		w.Attempted(outcome)
	}
}
