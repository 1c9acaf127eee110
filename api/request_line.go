package api

import (
	"context"
	"io"
	"log/slog"
	"net/netip"
	"time"

	"bordero/finance"
	"bordero/internal/logging"
	"bordero/jobs"
	"bordero/storage"
)

// requestLine is the log line of a request: its user, its outcome and its cost.
type requestLine struct {
	method, path, route string // route is the template; empty if no route matched
	status              int    // see requestMeta.outcome
	interrupted         bool   // the client has only a part of the answer
	accountID, userID   int64  // 0 without a valid token, or before the account is chosen
	token               string // the prefix of a valid token
	address             netip.Addr
	received, sent      int64         // bytes of the bodies: as read, and before compression
	waited, took        time.Duration // waited for a place of the account, which took includes
	spent               storage.Spent
}

// by sets the user and the prefix of the token. A token that opens only one account names it before
// the call chooses one, so that the line of a request over the limit names it, too.
func (l *requestLine) by(author jobs.By, opens []finance.Access) {
	l.userID, l.token = author.UserID, author.Token
	if len(opens) == 1 {
		l.accountID = opens[0].AccountID
	}
}

// logRequest writes the log line of a request; a health check is logged at the level debug. The
// query string is omitted because it may contain sensitive data. Unknown values are omitted, too.
func (a *API) logRequest(ctx context.Context, l *requestLine) {
	level := slog.LevelInfo
	if isProbe(l.path) {
		level = slog.LevelDebug
	}
	attrs := []slog.Attr{slog.String("method", l.method[:min(len(l.method), 32)]),
		slog.String("path", l.path[:min(len(l.path), 1024)])} // a client may send 64 KB of them
	text := func(name, value string) {
		if value != "" {
			attrs = append(attrs, slog.String(name, value))
		}
	}
	id := func(name string, value int64) {
		if value != 0 {
			attrs = append(attrs, slog.Int64(name, value))
		}
	}
	text("route", l.route)
	attrs = append(attrs, slog.Int("status", l.status))
	if l.interrupted {
		attrs = append(attrs, slog.Bool("interrupted", true))
	}
	id("account_id", l.accountID)
	id("user_id", l.userID)
	text("token", l.token)
	if l.address.IsValid() {
		text("address", l.address.String())
	}
	attrs = append(attrs, slog.Int64("received_bytes", l.received), slog.Int64("sent_bytes", l.sent),
		logging.Milliseconds("waited_ms", l.waited), logging.Milliseconds("took_ms", l.took),
		logging.Milliseconds("database_ms", l.spent.Time()),
		slog.Int64("statements", l.spent.Statements()), slog.String("request_id", jobs.RequestID(ctx)))
	text("trace_id", jobs.TraceID(ctx))
	a.Log.LogAttrs(ctx, level, "request", attrs...)
}

// countedBody counts the bytes of a body that are read.
type countedBody struct {
	io.ReadCloser
	read *int64
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	*b.read += int64(n)
	return n, err
}
