// Package otlp exports spans to a collector by OTLP over HTTP. It is apart from package tracing, so that the
// packages that make spans do not depend on the SDK.
package otlp

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"bordero/internal/tracing"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"golang.org/x/time/rate"
)

// flushWithin bounds the export of the last spans when a process ends.
const flushWithin = 3 * time.Second

// Options describe the process whose spans are exported.
type Options struct {
	Process, Version string
	Slow             time.Duration // statements that take at least this long get a span
	Log              *slog.Logger
}

// Exporter exports the spans of a process. The nil Exporter exports none.
type Exporter struct {
	tracer   *tracing.Tracer
	provider *sdk.TracerProvider
	queue    *queue
}

// Open returns an Exporter to the collector that the standard variables of OpenTelemetry name (OTEL_…), or nil if
// they name none or forbid it; then nothing is started. The SDK reads them from the environment of the process.
func Open(ctx context.Context, o Options) (*Exporter, error) {
	on, err := enabled()
	if !on || err != nil {
		return nil, err
	}
	logErrors(o.Log) // first of all: the SDK logs on its own to the standard error until then
	client, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("export of spans: %w", err)
	}
	attributes, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithHost(), resource.WithAttributes(
		semconv.ServiceName("bordero-"+strings.ReplaceAll(o.Process, " ", "-")), semconv.ServiceVersion(o.Version),
		semconv.ProcessPID(os.Getpid()),
	), resource.WithFromEnv()) // the last ones win
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	e := &Exporter{queue: &queue{most: queueSize()}}
	e.queue.SpanProcessor = sdk.NewBatchSpanProcessor(counting{client, e.queue},
		sdk.WithMaxQueueSize(int(e.queue.most)))
	e.provider = sdk.NewTracerProvider(sdk.WithSpanProcessor(e.queue), sdk.WithResource(attributes))
	e.tracer = tracing.New(e.provider, o.Slow)
	return e, nil
}

// queueSize is the number of spans that may wait, as the SDK reads it.
func queueSize() int64 {
	size, err := strconv.ParseInt(os.Getenv("OTEL_BSP_MAX_QUEUE_SIZE"), 10, 32)
	if err != nil || size < 1 {
		return sdk.DefaultMaxQueueSize
	}
	return size
}

// logErrors logs at most once a minute that spans are not exported, and what the SDK says about its variables.
func logErrors(log *slog.Logger) {
	sometimes := &rate.Sometimes{Interval: time.Minute}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		sometimes.Do(func() {
			said := err.Error() // which may have the whole answer of a collector
			log.Warn("spans are not exported", "error", said[:min(len(said), 300)])
		})
	}))
	otel.SetLogger(logr.FromSlogHandler(log.Handler()))
}

// Tracer returns the Tracer of the exported spans; nil for the nil Exporter.
func (e *Exporter) Tracer() *tracing.Tracer {
	if e == nil {
		return nil
	}
	return e.tracer
}

// Counts returns the numbers of spans by outcome. Dropped ones found the queue full, failed ones a collector that
// did not take them.
func (e *Exporter) Counts() (exported, failed, dropped int64) {
	return e.queue.exported.Load(), e.queue.failed.Load(), e.queue.dropped.Load()
}

// Close exports the spans that wait, as far as the collector takes them within three seconds.
func (e *Exporter) Close() {
	if e == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushWithin)
	defer cancel()
	if err := e.provider.Shutdown(ctx); err != nil {
		otel.Handle(err)
	}
}

// queue counts what waits in a processor of batches, and drops what exceeds its size. The processor would drop it,
// too, but does not say how much.
type queue struct {
	sdk.SpanProcessor
	most                      int64
	waiting                   atomic.Int64
	exported, failed, dropped atomic.Int64
}

// OnEnd passes a sampled span on.
func (q *queue) OnEnd(s sdk.ReadOnlySpan) {
	if !s.SpanContext().IsSampled() {
		return
	}
	if q.waiting.Add(1) > q.most {
		q.waiting.Add(-1)
		q.dropped.Add(1)
		return
	}
	q.SpanProcessor.OnEnd(s)
}

// counting is an exporter that counts for its queue.
type counting struct {
	sdk.SpanExporter
	queue *queue
}

// ExportSpans exports a batch.
func (c counting) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := c.SpanExporter.ExportSpans(ctx, spans)
	n := int64(len(spans))
	c.queue.waiting.Add(-n)
	if err != nil {
		c.queue.failed.Add(n)
	} else {
		c.queue.exported.Add(n)
	}
	return err
}
