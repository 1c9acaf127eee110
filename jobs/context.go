package jobs

import (
	"context"
	"regexp"
)

type contextKey int

const (
	requestID contextKey = iota
	traceparent
)

// WithRequestID notes the request that all work under ctx belongs to. Jobs
// enqueued under it carry the id, and so do the log lines of their runs.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestID, id)
}

// RequestID is the id that WithRequestID noted, or empty.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestID).(string)
	return id
}

// WithTraceparent notes the W3C trace context that all work under ctx belongs to:
// jobs enqueued under it carry the header, and so do the log lines and the requests
// of their runs. What is no traceparent is ignored, as the standard asks.
func WithTraceparent(ctx context.Context, header string) context.Context {
	if !isTraceparent(header) {
		return ctx
	}
	return context.WithValue(ctx, traceparent, header)
}

// traceparents are version 00, and later ones as far as they begin the same.
var (
	traceparents = regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-[!-~]{1,200})?$`)
	noTrace      = regexp.MustCompile(`^(ff|00-.{52}-|..-0{32}|..-.{32}-0{16})`)
)

func isTraceparent(header string) bool {
	return traceparents.MatchString(header) && !noTrace.MatchString(header)
}

// TraceID is the id of the trace that WithTraceparent noted, or empty.
func TraceID(ctx context.Context) string {
	if header := Traceparent(ctx); header != "" {
		return header[3:35]
	}
	return ""
}

// Traceparent is the header that WithTraceparent noted, or empty.
func Traceparent(ctx context.Context) string {
	header, _ := ctx.Value(traceparent).(string)
	return header
}
