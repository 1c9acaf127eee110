// Package otlptest has a collector of spans for tests.
package otlptest

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	traces "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Collector is a server that keeps the spans which it receives.
type Collector struct {
	*httptest.Server
	Answer func(http.ResponseWriter) // instead of 200, once a request has been read; may be nil

	mu    sync.Mutex
	spans []Span
	raw   []byte
}

// Span is a span as it was exported. Ids are in hexadecimal, as in a traceparent.
type Span struct {
	Service, Name, Kind string
	Trace, ID, Parent   string
	Link                string // the id of a linked span, or ""
	Failed              bool
	Attributes          map[string]string // as texts
}

// New starts a collector that ends with the test.
func New(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{}
	c.Server = httptest.NewServer(c)
	t.Cleanup(func() { c.CloseClientConnections(); c.Close() })
	return c
}

// ServeHTTP receives an export: a POST of /v1/traces.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var request collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &request)
	}
	if err != nil || r.URL.Path != "/v1/traces" {
		http.Error(w, "no export of spans", http.StatusBadRequest)
		return
	}
	if c.Answer != nil {
		c.Answer(w)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw = append(c.raw, body...)
	c.add(&request)
}

func (c *Collector) add(request *collector.ExportTraceServiceRequest) {
	for _, resource := range request.GetResourceSpans() {
		service := attributes(resource.GetResource().GetAttributes())
		for _, scope := range resource.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				span := Span{
					Service: service["service.name"],
					Name:    s.GetName(), Kind: strings.ToLower(strings.TrimPrefix(s.GetKind().String(), "SPAN_KIND_")),
					Trace: hex.EncodeToString(s.GetTraceId()), ID: hex.EncodeToString(s.GetSpanId()),
					Parent: hex.EncodeToString(s.GetParentSpanId()), Attributes: attributes(s.GetAttributes()),
					Failed: s.GetStatus().GetCode() == traces.Status_STATUS_CODE_ERROR,
				}
				for _, link := range s.GetLinks() {
					span.Link = hex.EncodeToString(link.GetSpanId())
				}
				c.spans = append(c.spans, span)
			}
		}
	}
}

// Spans returns what was received so far, and the bytes of it.
func (c *Collector) Spans() (spans []Span, raw []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Span{}, c.spans...), append([]byte{}, c.raw...)
}

// attributes returns attributes as texts.
func attributes(all []*common.KeyValue) map[string]string {
	texts := make(map[string]string, len(all))
	for _, a := range all {
		switch v := a.GetValue().GetValue().(type) {
		case *common.AnyValue_StringValue:
			texts[a.GetKey()] = v.StringValue
		case *common.AnyValue_IntValue:
			texts[a.GetKey()] = fmt.Sprint(v.IntValue)
		case *common.AnyValue_DoubleValue:
			texts[a.GetKey()] = fmt.Sprint(v.DoubleValue)
		default:
			texts[a.GetKey()] = fmt.Sprint(v)
		}
	}
	return texts
}
