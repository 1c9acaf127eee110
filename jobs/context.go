package jobs

import (
	"context"
	"regexp"
)

type contextKey int

const (
	requestID contextKey = iota
	traceparent
	author
)

// WithRequestID stores the id of the request that all work under ctx belongs to. Jobs
// enqueued under ctx and the log lines of their runs carry it.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestID, id)
}

// RequestID returns the id that WithRequestID stored, or "".
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestID).(string)
	return id
}

// By is the author of a change: a user with a token, or a job. The zero value is a command of an
// operator.
type By struct {
	UserID int64
	Token  string // the first six characters of the token
	Job    string // the kind of the job
}

// WithAuthor stores the author of all changes under ctx.
func WithAuthor(ctx context.Context, by By) context.Context {
	return context.WithValue(ctx, author, by)
}

// Author returns the author that WithAuthor stored, or the zero value.
func Author(ctx context.Context) By {
	by, _ := ctx.Value(author).(By)
	return by
}

// WithTraceparent stores the W3C trace context that all work under ctx belongs to. Jobs
// enqueued under ctx carry the header, and so do the log lines and requests of their runs.
// An invalid header is ignored, as the standard requires.
func WithTraceparent(ctx context.Context, header string) context.Context {
	if !isTraceparent(header) {
		return ctx
	}
	return context.WithValue(ctx, traceparent, header)
}

// traceparents matches version 00, and later versions if they begin the same.
var (
	traceparents = regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-[!-~]{1,200})?$`)
	noTrace      = regexp.MustCompile(`^(ff|00-.{52}-|..-0{32}|..-.{32}-0{16})`)
)

func isTraceparent(header string) bool {
	return traceparents.MatchString(header) && !noTrace.MatchString(header)
}

// TraceID returns the id of the trace that WithTraceparent stored, or "".
func TraceID(ctx context.Context) string {
	if header := Traceparent(ctx); header != "" {
		return header[3:35]
	}
	return ""
}

// Traceparent returns the header that WithTraceparent stored, or "".
func Traceparent(ctx context.Context) string {
	header, _ := ctx.Value(traceparent).(string)
	return header
}
