// Package tracing makes the spans of requests, jobs, deliveries and slow statements. It is the one place that
// decides what a span says: no secret, no body, no value of a query, and of a tenant its account's id alone. It
// exports nothing; internal/tracing/otlp does.
package tracing

import (
	"context"
	"strconv"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
)

// mostStatements limits the spans of statements below one span: a job may run for hours.
const mostStatements = 100

// Tracer begins spans. The nil Tracer begins none.
type Tracer struct {
	tracer trace.Tracer
	slow   time.Duration
}

// New returns a Tracer of the provider. Statements that take less time than slow get no span.
func New(provider trace.TracerProvider, slow time.Duration) *Tracer {
	return &Tracer{provider.Tracer("bordero"), slow}
}

// Span is a part of a trace. The methods of the nil Span do nothing.
type Span struct {
	tracer     *Tracer
	span       trace.Span
	statements atomic.Int64
}

type spanKey struct{}

// start begins a span below that of a traceparent, or a trace if the traceparent is "" or not valid. Statements
// under the returned context belong to the span.
func (t *Tracer) start(ctx context.Context, kind trace.SpanKind, name, traceparent string, o ...trace.SpanStartOption) (
	context.Context, *Span) {
	parent := propagation.TraceContext{}.Extract(context.Background(),
		propagation.MapCarrier{"traceparent": traceparent})
	_, span := t.tracer.Start(parent, name, append(o, trace.WithSpanKind(kind))...)
	s := &Span{tracer: t, span: span}
	return context.WithValue(ctx, spanKey{}, s), s
}

// Traceparent returns the header that continues the trace below s, or "".
func (s *Span) Traceparent() string {
	if s == nil {
		return ""
	}
	header := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(trace.ContextWithSpan(context.Background(), s.span), header)
	return header["traceparent"]
}

// end ends a span with attributes and the account, unless that is 0, and as an error with its type, unless that is "".
func (s *Span) end(accountID int64, errorType string, attributes ...attribute.KeyValue) {
	if accountID != 0 {
		attributes = append(attributes, attribute.Int64("bordero.account_id", accountID))
	}
	if n := s.statements.Load(); n > mostStatements {
		attributes = append(attributes, attribute.Int64("bordero.slow_statements", n))
	}
	if errorType != "" {
		attributes = append(attributes, semconv.ErrorTypeKey.String(errorType))
		s.span.SetStatus(codes.Error, "")
	}
	s.span.SetAttributes(attributes...)
	s.span.End()
}

// Request begins the span of a request.
func (t *Tracer) Request(ctx context.Context, traceparent string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	return t.start(ctx, trace.SpanKindServer, "HTTP", traceparent)
}

// Answer is how a request was answered. The zero values of Route and AccountID are unknown.
type Answer struct {
	Method, Route  string // the route is a template
	Status         int
	AccountID      int64
	Received, Sent int64 // bytes of the bodies
}

// Answered ends the span of a request.
func (s *Span) Answered(a Answer) {
	if s == nil {
		return
	}
	name, attributes := "HTTP", []attribute.KeyValue{semconv.HTTPRequestMethodOther}
	switch a.Method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		name, attributes[0] = a.Method, semconv.HTTPRequestMethodKey.String(a.Method)
	}
	if a.Route != "" {
		name += " " + a.Route
		attributes = append(attributes, semconv.HTTPRoute(a.Route))
	}
	s.span.SetName(name)
	failed := ""
	if a.Status >= 500 {
		failed = strconv.Itoa(a.Status)
	}
	s.end(a.AccountID, failed, append(attributes, semconv.HTTPResponseStatusCode(a.Status),
		semconv.HTTPRequestBodySize(int(a.Received)), semconv.HTTPResponseBodySize(int(a.Sent)))...)
}

// Run is how a run of a job ended.
type Run struct {
	Kind, Queue, Result string
	ID, AccountID       int64
	Attempt, Jobs       int
	Waited              time.Duration
	Failed              bool
}

// Job begins the span of a run of a job of the kind.
func (t *Tracer) Job(ctx context.Context, kind, traceparent string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	return t.start(ctx, trace.SpanKindConsumer, kind, traceparent)
}

// Ran ends the span of a run of a job.
func (s *Span) Ran(r Run) {
	if s == nil {
		return
	}
	failed := ""
	if r.Failed {
		failed = r.Result
	}
	s.end(r.AccountID, failed, semconv.MessagingSystemKey.String("bordero"), semconv.MessagingOperationTypeProcess,
		semconv.MessagingOperationName("run"), semconv.MessagingDestinationName(r.Queue),
		semconv.MessagingMessageID(strconv.FormatInt(r.ID, 10)), semconv.MessagingBatchMessageCount(r.Jobs),
		attribute.String("bordero.job.kind", r.Kind), attribute.String("bordero.job.result", r.Result),
		attribute.Int("bordero.job.attempt", r.Attempt), attribute.Float64("bordero.job.waited_s", r.Waited.Seconds()))
}

// Delivery begins the span of an attempt to deliver a notification. It belongs to the trace of the event, and
// names the run of ctx that makes the attempt as a link.
func (t *Tracer) Delivery(ctx context.Context, traceparent string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	run, _ := ctx.Value(spanKey{}).(*Span)
	if run == nil {
		return t.start(ctx, trace.SpanKindClient, "POST webhook", traceparent)
	}
	return t.start(ctx, trace.SpanKindClient, "POST webhook", traceparent,
		trace.WithLinks(trace.Link{SpanContext: run.span.SpanContext()}))
}

// Attempted ends the span of an attempt. The status is 0 without an answer.
func (s *Span) Attempted(outcome string, status, attempt int, accountID int64) {
	if s == nil {
		return
	}
	attributes := []attribute.KeyValue{semconv.HTTPRequestMethodPost, semconv.HTTPRequestResendCount(attempt - 1),
		attribute.String("bordero.delivery.outcome", outcome)}
	failed := ""
	if status != 0 {
		attributes = append(attributes, semconv.HTTPResponseStatusCode(status))
	}
	if outcome != "delivered" {
		failed = outcome
	}
	s.end(accountID, failed, attributes...)
}

// Of returns the span that statements under ctx belong to; nil if they get none.
func Of(ctx context.Context) *Span {
	s, _ := ctx.Value(spanKey{}).(*Span)
	if s == nil || !s.span.IsRecording() {
		return nil
	}
	return s
}

// Slow reports whether a statement that took so long gets a span.
func (s *Span) Slow(took time.Duration) bool {
	return s != nil && took >= s.tracer.slow && s.statements.Add(1) <= mostStatements
}

// Statement makes the span of a statement that is slow. The summary has its operation and table; the name is that
// of the program, which may be "". Neither contains a value.
func (s *Span) Statement(began time.Time, took time.Duration, summary, name string) {
	attributes := []attribute.KeyValue{semconv.DBSystemNamePostgreSQL, semconv.DBQuerySummary(summary)}
	if name != "" {
		attributes = append(attributes, attribute.String("bordero.statement", name))
	}
	_, span := s.tracer.tracer.Start(trace.ContextWithSpan(context.Background(), s.span), summary,
		trace.WithSpanKind(trace.SpanKindClient), trace.WithTimestamp(began), trace.WithAttributes(attributes...))
	span.End(trace.WithTimestamp(began.Add(took)))
}
