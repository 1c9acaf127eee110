package jobs

import "context"

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

// WithTraceparent notes the W3C trace context that all work under ctx belongs to.
func WithTraceparent(ctx context.Context, header string) context.Context {
	return context.WithValue(ctx, traceparent, header)
}

// Traceparent is the header that WithTraceparent noted, or empty.
func Traceparent(ctx context.Context) string {
	header, _ := ctx.Value(traceparent).(string)
	return header
}
