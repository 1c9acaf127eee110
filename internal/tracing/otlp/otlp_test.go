package otlp

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"bordero/internal/testkit"
	"bordero/internal/tracing"
	"bordero/internal/tracing/otlptest"
)

// The variables are those of the process, so the tests run one after the other.

const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"

// open opens an exporter with the variables, given as names and values.
func open(t testing.TB, variables ...string) (*Exporter, error) {
	t.Helper()
	for i := 0; i < len(variables); i += 2 {
		t.Setenv(variables[i], variables[i+1])
	}
	return Open(t.Context(), Options{Process: "work sales", Version: "1", Log: slog.New(slog.DiscardHandler)})
}

// request makes the spans of a request, and returns the header that its jobs would carry.
func request(tracer *tracing.Tracer) string {
	_, span := tracer.Request(context.Background(), "")
	span.Answered(tracing.Answer{Method: "GET", Route: "/people", Status: 200, AccountID: 1})
	return span.Traceparent()
}

func TestNothingIsStartedWithoutACollector(t *testing.T) {
	for name, variables := range map[string][]string{
		"nothing set":    {},
		"no endpoint":    {endpoint, "", "OTEL_SERVICE_NAME", "bordero"},
		"disabled":       {endpoint, "http://127.0.0.1:4318", "OTEL_SDK_DISABLED", "true"},
		"other exporter": {endpoint, "http://127.0.0.1:4318", "OTEL_TRACES_EXPORTER", "none"},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := open(t, variables...)
			if e != nil || err != nil {
				t.Fatal(e, err)
			}
			var header string
			if n := testing.AllocsPerRun(100, func() { header = request(e.Tracer()) }); n != 0 || header != "" {
				t.Errorf("%v allocations, and the header %q", n, header)
			}
			e.Close()
			var stacks bytes.Buffer
			if err := pprof.Lookup("goroutine").WriteTo(&stacks, 1); err != nil || strings.Contains(stacks.String(),
				"go.opentelemetry.io") {
				t.Errorf("%v; a goroutine runs: %s", err, stacks.String())
			}
		})
	}
}

func TestBadVariablesAreRefused(t *testing.T) {
	const good = "http://127.0.0.1:4318"
	for name, variables := range map[string][]string{
		endpoint:                              {endpoint, "collector:4317"},
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT":  {endpoint, good, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "127.0.0.1:1"},
		"OTEL_TRACES_EXPORTER":                {endpoint, good, "OTEL_TRACES_EXPORTER", "jaeger"},
		"OTEL_EXPORTER_OTLP_PROTOCOL":         {endpoint, good, "OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
		"OTLP_PROTOCOL must be http/protobuf": {endpoint, good, "OTEL_EXPORTER_OTLP_PROTOCOL", "http/xml"},
		endpoint + " must":                    {endpoint, "http://%zz"},
		"OTEL_EXPORTER_OTLP_HEADERS": {endpoint, good, "OTEL_EXPORTER_OTLP_HEADERS",
			"X-Team=7,Authorization: Bearer s3cret"},
		"OTEL_EXPORTER_OTLP_TRACES_HEADERS": {endpoint, good, "OTEL_EXPORTER_OTLP_TRACES_HEADERS", "key=s3cret%"},
		"OTLP_HEADERS must":                 {endpoint, good, "OTEL_EXPORTER_OTLP_HEADERS", "s3cret"},
		"HEADERS must be NAME=VALUE":        {endpoint, good, "OTEL_EXPORTER_OTLP_HEADERS", "key=s3cret%0Aother"},
		"OTEL_EXPORTER_OTLP_CERTIFICATE":    {endpoint, good, "OTEL_EXPORTER_OTLP_CERTIFICATE", "otlp_test.go"},
		"OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY": {endpoint, good, "OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE",
			"otlp_test.go"},
		"OTEL_TRACES_SAMPLER must": {endpoint, good, "OTEL_TRACES_SAMPLER", "parent_based_always_on"},
		"OTEL_TRACES_SAMPLER_ARG": {endpoint, good, "OTEL_TRACES_SAMPLER", "traceidratio", "OTEL_TRACES_SAMPLER_ARG",
			"1%"},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := open(t, variables...)
			if e != nil || err == nil || !strings.Contains(err.Error(), name) ||
				strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%v, %v", e, err)
			}
		})
	}
}

func TestSpansReachTheCollectorAtTheEnd(t *testing.T) {
	c := otlptest.New(t)
	e, err := open(t, endpoint, "collector:4317", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", c.URL+"/v1/traces",
		"OTEL_BSP_SCHEDULE_DELAY", "3600000", "OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20key, X-Team = 7,",
		"OTEL_TRACES_SAMPLER", "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG", "1.0")
	if err != nil {
		t.Fatal(err)
	}
	header := request(e.Tracer())
	e.Close()
	spans, _ := c.Spans()
	if len(spans) != 1 || spans[0].Name != "GET /people" || spans[0].Service != "bordero-work-sales" ||
		header != "00-"+spans[0].Trace+"-"+spans[0].ID+"-01" {
		t.Errorf("after %s: %v", header, spans)
	}
	if exported, failed, dropped := e.Counts(); exported != 1 || failed != 0 || dropped != 0 {
		t.Errorf("%d exported, %d failed, %d dropped", exported, failed, dropped)
	}
}

// Whatever becomes of the spans, nobody waits for the collector, and each span is counted once.
func TestABadCollectorCostsNothing(t *testing.T) {
	for _, name := range []string{"hangs", "refuses"} {
		t.Run(name, func(t *testing.T) {
			c := otlptest.New(t)
			released := make(chan struct{})
			t.Cleanup(func() { close(released) }) // before the collector ends
			c.Answer = func(w http.ResponseWriter) {
				if name == "hangs" {
					<-released
				}
				http.Error(w, "no", http.StatusForbidden)
			}
			e, err := open(t, endpoint, c.URL, "OTEL_BSP_MAX_QUEUE_SIZE", "50", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "10")
			if err != nil {
				t.Fatal(err)
			}
			const made = 1000
			for range made {
				request(e.Tracer())
			}
			_, failed, dropped := e.Counts()
			if name == "hangs" && (dropped != made-50 || failed != 0) {
				t.Errorf("%d dropped, %d failed of %d", dropped, failed, made)
			}
			if name == "refuses" {
				testkit.Eventually(t, "each span is counted", func() bool {
					_, failed, dropped = e.Counts()
					return failed+dropped >= made-10 // the rest waits for a batch
				})
			}
			ended, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			_ = e.provider.Shutdown(ended) // returns although the collector hangs
		})
	}
}

func BenchmarkRequest(b *testing.B) {
	ctx := b.Context()
	run := func(tracer *tracing.Tracer) func(*testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ctx, span := tracer.Request(ctx, "")
				if tracing.Of(ctx).Slow(time.Millisecond) {
					b.Fatal("a statement is slow")
				}
				span.Answered(tracing.Answer{Method: "GET", Route: "/people", Status: 200, AccountID: 1})
			}
		}
	}
	b.Run("off", run(nil))
	c := otlptest.New(b)
	b.Setenv(endpoint, c.URL)
	e, err := Open(ctx, Options{Process: "api", Slow: time.Hour, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("on", run(e.Tracer()))
	e.Close()
	b.Setenv("OTEL_TRACES_SAMPLER", "always_off")
	if e, err = Open(ctx, Options{Process: "api", Slow: time.Hour, Log: slog.New(slog.DiscardHandler)}); err != nil {
		b.Fatal(err)
	}
	b.Run("not sampled", run(e.Tracer()))
	e.Close()
}
