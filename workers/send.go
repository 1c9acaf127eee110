package workers

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/outgoing"
	"bordero/storage/deliveries"
)

const (
	excerptSize = 4 << 10  // bytes stored of an answer's body
	drainSize   = 64 << 10 // bytes read after that, to reuse the connection; a longer answer closes it
)

// reply is the result of a POST.
type reply struct {
	code       int    // 0 without an answer
	problem    string // for users, hiding our network's internals; empty if the exchange was complete
	excerpt    string
	retryAfter time.Duration // requested by a 429 or 503
}

// send posts one notification. The exchange ends within outgoing.Timeout: an answer that has not
// been read by then, whole or up to the limit, counts as no answer.
func send(ctx context.Context, client *http.Client, e *finance.Webhook, d deliveries.Delivery) (r reply) {
	ctx, cancel := context.WithTimeout(ctx, outgoing.Timeout)
	defer cancel()
	request, err := outgoing.Post(ctx, e.URL, d.Body)
	if err != nil {
		return reply{problem: messages.NotConnected.Text}
	}
	sign(request, e, d, time.Now())
	answer, err := client.Do(request)
	if err != nil {
		return reply{problem: outgoing.Cause(err).Text}
	}
	defer answer.Body.Close()
	r.code = answer.StatusCode
	if r.code == http.StatusTooManyRequests || r.code == http.StatusServiceUnavailable {
		r.retryAfter = retryAfter(answer.Header.Get("Retry-After"), time.Now())
	}
	head, err := io.ReadAll(io.LimitReader(answer.Body, excerptSize))
	r.excerpt = strings.ReplaceAll(strings.ToValidUTF8(string(head), "\uFFFD"), "\x00", "\uFFFD")
	if err == nil {
		_, err = io.CopyN(io.Discard, answer.Body, drainSize)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		r.problem = outgoing.Cause(err).Text
	}
	return r
}

// sign sets the headers of a notification (docs/webhooks.md; Standard Webhooks). It writes
// names as receivers know them, not in Go's canonical form.
func sign(request *http.Request, e *finance.Webhook, d deliveries.Delivery, at time.Time) {
	headers := e.Headers(d.RequestID, finance.NotificationID(d.ID), at, d.Body)
	headers["Content-Type"] = formatOf(e).ContentType()
	headers["User-Agent"] = outgoing.UserAgent
	if d.Traceparent != "" {
		headers["traceparent"] = d.Traceparent
	}
	for name, value := range headers {
		request.Header[name] = []string{value}
	}
}

// retryAfter parses the header: seconds or a date. It returns 0 for anything else.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(strings.TrimSpace(header), 10, 32); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// Forward posts to a webhook the notification that a delivery would, once, and returns the status of
// the answer; 0 without one, and why (bordero listen).
func Forward(ctx context.Context, client *http.Client, publicURL string, e *finance.Webhook, d deliveries.Delivery) (
	status int, problem string) {
	d.Body, d.RequestID = notification(formatOf(e), publicURL, d), newRequestID()
	r := send(ctx, client, e, d)
	return r.code, r.problem
}
