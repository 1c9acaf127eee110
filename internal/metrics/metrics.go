// Package metrics exports the state of every process to Prometheus. It imports no other package of
// bordero: internal/cli passes in the functions that read values, and gives the other packages the
// functions that count events.
//
// Labels are bounded: routes by their templates, kinds, queues and outcomes by their
// tables, never by client input. Amounts, names and ids are not labels.
package metrics

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics is the registry of one process. Each of its methods but Build adds a family and must be
// called once, before the process serves.
type Metrics struct{ registry *prometheus.Registry }

// Build describes the build of a process; empty fields show as unknown.
type Build struct{ Version, Revision, Go string }

// New returns the metrics of the named process: its build, and the metrics of the Go runtime and
// the operating system.
func New(process string, built Build) *Metrics {
	m := &Metrics{prometheus.NewRegistry()}
	m.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	m.Build(process, built)
	return m
}

// Build adds a name of the process: the worker of several queues has one for each, beside its own.
func (m *Metrics) Build(process string, built Build) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "bordero_build_info", Help: "1, with what the process is and was built from.",
		ConstLabels: prometheus.Labels{
			"process": process, "version": cmp.Or(built.Version, "unknown"),
			"revision": cmp.Or(built.Revision, "unknown"), "goversion": cmp.Or(built.Go, "unknown"),
		},
	}, func() float64 { return 1 }))
}

// Handler serves GET /metrics. Values that cannot be read are omitted and counted as
// errors; the other values are shown.
func (m *Metrics) Handler() http.Handler {
	return promhttp.InstrumentMetricHandler(m.registry,
		promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError,
			MaxRequestsInFlight: 4}))
}

// Requests counts answered requests. The route is a template of the route table, or empty
// if no route matched.
func (m *Metrics) Requests() func(method, route string, status int, took time.Duration) {
	count := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "bordero_http_requests_total", Help: "Requests answered, by route and status.",
	}, []string{"method", "route", "status"})
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "bordero_http_request_duration_seconds", Help: "From the request's head to the end of its answer.",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
	}, []string{"method", "route"})
	m.registry.MustRegister(count, seconds)
	return func(method, route string, status int, took time.Duration) {
		method, route = verb(method), cmp.Or(route, "none")
		count.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
		seconds.WithLabelValues(method, route).Observe(took.Seconds())
	}
}

// Faults counts the faults of refused requests by code (X-Error-Code).
func (m *Metrics) Faults() func(code string) {
	count := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "bordero_http_faults_total", Help: "Faults of refused requests, by code.",
	}, []string{"code"})
	m.registry.MustRegister(count)
	return func(code string) { count.WithLabelValues(code).Inc() }
}

// verb returns the label of a method: the method itself, or "other" for a method that a client invented.
func verb(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method
	}
	return "other"
}

// Jobs counts runs of jobs and measures their duration, by kind and result: done, failed
// (and tried again), dead, released, postponed or fenced.
func (m *Metrics) Jobs() func(kind, result string, took time.Duration) {
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "bordero_job_duration_seconds", Help: "From the claim of a job to its end, by kind and result.",
		Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300},
	}, []string{"kind", "result"})
	m.registry.MustRegister(seconds)
	return func(kind, result string, took time.Duration) {
		seconds.WithLabelValues(kind, result).Observe(took.Seconds())
	}
}

// Imports counts imports of statements that succeeded (success) or were refused (error), and the
// transactions that they added.
func (m *Metrics) Imports() func(result string, transactions int64) {
	count := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "bordero_imports_total", Help: "Imports of statements that succeeded or were refused.",
	}, []string{"result"})
	came := prometheus.NewCounter(prometheus.CounterOpts{
		Name: "bordero_imported_transactions_total", Help: "Transactions that imports brought.",
	})
	m.registry.MustRegister(count, came)
	start(count, "success", "error")
	return func(result string, transactions int64) {
		count.WithLabelValues(result).Inc()
		came.Add(float64(transactions))
	}
}

// Deliveries counts the attempts to deliver to webhooks by their outcome: delivered,
// retried, failed or interrupted.
func (m *Metrics) Deliveries() func(outcome string) {
	count := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "bordero_deliveries_total", Help: "Attempts to deliver to webhooks, by outcome.",
	}, []string{"outcome"})
	m.registry.MustRegister(count)
	start(count, "delivered", "retried", "failed", "interrupted")
	return func(outcome string) { count.WithLabelValues(outcome).Inc() }
}

// Sealed counts the changes that the sealer of this process numbered.
func (m *Metrics) Sealed() func(changes int) {
	count := prometheus.NewCounter(prometheus.CounterOpts{Name: "bordero_changes_sealed_total",
		Help: "Changes that were given a number."})
	m.registry.MustRegister(count)
	return func(changes int) { count.Add(float64(changes)) }
}

// PeriodicTasks exports when each periodic task last succeeded; the task succeeds now. The start of a leadership counts
// as a success, so that a task that never succeeds is noticed. A process that has never led exports nothing.
func (m *Metrics) PeriodicTasks() func(task string) {
	last := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "bordero_periodic_task_last_success_timestamp_seconds",
		Help: "When the periodic task last succeeded in this process, or the process became the leader.",
	}, []string{"task"})
	m.registry.MustRegister(last)
	return func(task string) { last.WithLabelValues(task).SetToCurrentTime() }
}

// Spans counts the spans of traces by outcome.
func (m *Metrics) Spans(read func() (exported, failed, dropped int64)) {
	spans := describe("bordero_trace_spans_total", "Spans of traces: exported, failed (the collector did not take "+
		"them), or dropped because too many waited.", "outcome")
	m.collect(func(c *collection) {
		exported, failed, dropped := read()
		c.counter(spans, float64(exported), "exported")
		c.counter(spans, float64(failed), "failed")
		c.counter(spans, float64(dropped), "dropped")
	}, spans)
}

// start initialises counters to 0, so that the first event shows as a change.
func start(count *prometheus.CounterVec, values ...string) {
	for _, v := range values {
		count.WithLabelValues(v)
	}
}
