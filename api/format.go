package api

import (
	"cmp"
	"context"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"bordero/internal/download"
	"bordero/internal/messages"
	"bordero/internal/random"
	"bordero/internal/throttle"
	"bordero/internal/tracing"
	"bordero/internal/wire"
	"bordero/jobs"
	"bordero/storage"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzhttp/writer"
	"github.com/klauspost/compress/gzhttp/writer/gzkp"
	"github.com/klauspost/compress/gzip"
)

// requestMeta has the properties of a request that are known before routing, and its log line.
type requestMeta struct {
	requestedFormat
	head        bool // the client wants the headers alone
	interrupted int  // the status of the error that ended an answer under way, which the client must notice; else 0
	problems    bool // the client accepts problem details
	requestID   string
	logged      requestLine
}

// statusClientGone is the outcome of a request if its client did not wait for the whole answer. It is never sent.
const statusClientGone = 499

// outcome returns the status of a request for the log, the metrics and the trace: the one that was sent, or that of the
// error that interrupted the answer after its 200. A client that has gone has received no 503, and is no failure of
// ours.
func (s *requestMeta) outcome(ctx context.Context, sent int) int {
	status := cmp.Or(s.interrupted, sent)
	if status == http.StatusServiceUnavailable && ctx.Err() != nil {
		return statusClientGone
	}
	return status
}

type requestMetaKey struct{}

// requestMetaFrom returns the requestMeta of a request that has passed withMiddleware.
func requestMetaFrom(ctx context.Context) *requestMeta {
	return ctx.Value(requestMetaKey{}).(*requestMeta)
}

// withMiddleware wraps the router. It normalises slashes and suffixes before routing, so that
// nothing is ever redirected.
func (a *API) withMiddleware(router http.Handler) http.Handler {
	normalising := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		a.warnOfProxy(r)
		s := &requestMeta{requestID: requestID(r.Header.Get("X-Request-Id"))}
		path := r.URL.Path
		routed, requested := normalise(path, r.Header)
		problems := acceptsProblems(strings.Join(r.Header.Values("Accept"), ","))
		if !exempt(path) {
			s.requestedFormat, s.problems = requested, problems && !requested.suffixed
			path = routed
		} else if strings.HasPrefix(path, download.Prefix) {
			s.format, s.problems = requested.format, problems // of a refusal; the file itself has its own type
		}
		h := w.Header()
		h.Set("X-Request-Id", s.requestID)
		a.guard(h)
		h.Set("Vary", "Accept-Encoding, Accept, Origin")

		ctx := jobs.WithRequestID(context.WithValue(r.Context(), requestMetaKey{}, s), s.requestID)
		ctx, span := a.traced(ctx, r.Header.Get("Traceparent"), path)
		inner := r.WithContext(storage.WithSpent(ctx, &s.logged.spent))
		inner.Body = &countedBody{r.Body, &s.logged.received}
		inner.URL = &url.URL{Path: path, RawQuery: r.URL.RawQuery}
		isFile := strings.HasPrefix(path, download.Prefix)
		if r.Method == http.MethodHead && !isFile {
			inner.Method, s.head = http.MethodGet, true // net/http omits the body
		}
		counted := &statusWriter{ResponseWriter: w, status: http.StatusOK, errorPage: a.PublicURL + "/docs/errors#",
			isFile: isFile}
		router.ServeHTTP(counted, inner)
		if isFile {
			path = download.Prefix // the rest is a signature that grants access: do not log it
		}
		line := &s.logged
		line.method, line.path, line.took = r.Method, path, time.Since(began)
		line.status, line.interrupted = s.outcome(ctx, counted.status), s.interrupted != 0
		line.address = throttle.Client(r, a.Trusted)
		if inner.Method == r.Method { // the answer to a HEAD has no body
			line.sent = counted.sent
		}
		if !isProbe(path) {
			a.Observe(r.Method, line.route, line.status, line.took)
		}
		a.logRequest(ctx, line)
		span.Answered(tracing.Answer{Method: line.method, Route: line.route, Status: line.status,
			AccountID: line.accountID, Received: line.received, Sent: line.sent})
		if line.interrupted {
			panic(http.ErrAbortHandler) // ends the connection, and is not logged
		}
	})
	zipping := compressed(normalising)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, download.Prefix) {
			normalising(w, r) // files are sent as they are, with their length
			return
		}
		zipping(w, r)
	})
}

// isProbe reports whether a request of the path asks for the health of the process. Balancers ask each second: these
// requests are no work of users, and have no span, no metrics and a line at the level debug only.
func isProbe(path string) bool { return path == "/healthz" || path == "/readyz" }

// traced returns ctx with the trace that a request belongs to. Requests get spans, except probes.
func (a *API) traced(ctx context.Context, traceparent, path string) (context.Context, *tracing.Span) {
	var span *tracing.Span
	if !isProbe(path) {
		ctx, span = a.Trace.Request(ctx, traceparent)
	}
	return jobs.WithTraceparent(ctx, cmp.Or(span.Traceparent(), traceparent)), span
}

// guard sets headers that restrict the actions of browsers with an answer. The documentation page
// overrides the policy.
func (a *API) guard(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	if strings.HasPrefix(a.PublicURL, "https://") {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// warnOfProxy warns the operator, at most every ten minutes, that an X-Forwarded-For is ignored:
// all clients of an untrusted proxy count as one. The header's value is untrusted and is not
// logged.
func (a *API) warnOfProxy(r *http.Request) {
	if from, is := throttle.Disbelieved(r, a.Trusted); is {
		a.unheard.Do(func() {
			a.Log.Warn("X-Forwarded-For is ignored: it comes from an address that is not in BORDERO_TRUSTED_PROXIES",
				"address", from)
		})
	}
}

// mostZips is how many answers are compressed at once: while its client reads, each holds 0.8 MB that its account does
// not count.
const mostZips = 64

// zips is how many answers are compressed.
var zips atomic.Int64

// zipWriter compresses an answer, and is counted until its client has read it.
type zipWriter struct{ writer.GzipWriter }

func (z zipWriter) Close() error {
	defer zips.Add(-1)
	return z.GzipWriter.Close()
}

// compressed compresses answers of 1 KB and more for clients that accept gzip.
var compressed = func() func(http.Handler) http.HandlerFunc {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(1024), gzhttp.CompressionLevel(gzip.BestSpeed),
		gzhttp.EnableZstd(false), gzhttp.Implementation(writer.GzipWriterFactory{
			Levels: gzkp.Levels,
			New: func(w io.Writer, level int) writer.GzipWriter {
				zips.Add(1)
				return zipWriter{gzkp.NewWriter(w, level)}
			},
		}))
	if err != nil {
		panic(err) // the options are constants
	}
	return wrap
}()

// exempt reports whether a path belongs to no resource, so that its suffix stays.
func exempt(path string) bool {
	switch path {
	case "/openapi.json", "/openapi.yaml", "/docs", "/console", "/healthz", "/readyz", "/metrics":
		return true
	}
	return strings.HasPrefix(path, "/docs/") || strings.HasPrefix(path, "/console/") ||
		strings.HasPrefix(path, download.Prefix)
}

// requestedFormat is the format that a request asks for.
type requestedFormat struct {
	format      wire.Format  // of a document; for a sheet, of its refusal
	suffixed    bool         // the path names the format, which then wins over Accept
	sheet       *sheetFormat // rather a sheet, if the path has one of this format; else nil
	sheetSuffix bool         // the path names the sheet, and is refused if it has none
}

// normalise removes redundant slashes and the suffix from a path. It selects the format of the answer by
// the suffix, else by Accept, else by the type of the body; the default is JSON.
func normalise(path string, h http.Header) (routed string, requested requestedFormat) {
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	if p, ok := strings.CutSuffix(path, ".json"); ok {
		return p, requestedFormat{format: wire.JSON, suffixed: true}
	}
	if p, ok := strings.CutSuffix(path, ".xml"); ok {
		return p, requestedFormat{format: wire.XML, suffixed: true}
	}
	requested, named := accepted(strings.Join(h.Values("Accept"), ","))
	for _, sheet := range sheetFormats {
		if p, ok := strings.CutSuffix(path, sheet.suffix); ok && !strings.HasSuffix(p, "/") {
			path, requested.sheet, requested.sheetSuffix = p, sheet, true
			break
		}
	}
	if named {
		return path, requested
	}
	media, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	if f, _ := formatOf(media); f == wire.XML || strings.HasSuffix(media, "+xml") { // as wire.Read reads the body
		requested.format = wire.XML
	}
	return path, requested
}

// accepted returns the format that an Accept header prefers, and whether the header names a format of documents.
func accepted(accept string) (requested requestedFormat, named bool) {
	best, bestDocument := 0.0, 0.0
	for part := range strings.SplitSeq(accept, ",") {
		media, parameters, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		f, isDocument := formatOf(media)
		sheet := sheetFormatOf(media)
		if !isDocument && sheet == nil {
			continue
		}
		q, err := strconv.ParseFloat(parameters["q"], 64)
		if err != nil {
			q = 1
		}
		if q > best {
			requested.sheet, best = sheet, q
		}
		if isDocument && q > bestDocument {
			requested.format, named, bestDocument = f, true, q
		}
	}
	return requested, named
}

func formatOf(media string) (wire.Format, bool) {
	switch media {
	case "application/json", "text/json":
		return wire.JSON, true
	case "application/xml", "text/xml":
		return wire.XML, true
	}
	return wire.JSON, false
}

// requestID returns the client's id if it is safe to log, else a new one.
func requestID(sent string) string {
	sane := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r)
	}
	if sent != "" && len(sent) <= 100 && strings.IndexFunc(sent, func(r rune) bool { return !sane(r) }) < 0 {
		return sent
	}
	return random.Hex(16)
}

// statusWriter records the status for the log and the metrics, and gives every refusal with a code a
// link to the entry of the code in the page of errors.
type statusWriter struct {
	http.ResponseWriter
	status    int
	sent      int64  // bytes of the body, before compression
	errorPage string // its URL, up to the code
	isFile    bool   // it is never compressed
}

func (w *statusWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.sent += int64(n)
	return n, err
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	h := w.Header()
	if !w.isFile && zips.Load() >= mostZips {
		h.Set(gzhttp.HeaderNoCompression, "1") // which is not sent
	}
	if status == http.StatusServiceUnavailable && h.Get("X-Error-Code") == "" { // of /readyz, or a login
		h.Set("X-Error-Code", messages.Unavailable.Code)
	}
	if status >= http.StatusBadRequest && h.Get("X-Error-Code") != "" { // pages of the console may have none
		h["Link"] = append([]string{"<" + w.errorPage + h.Get("X-Error-Code") + `>; rel="help"`}, h["Link"]...)
	}
	w.ResponseWriter.WriteHeader(status)
}

// Flush sends the bytes that were written so far.
func (w *statusWriter) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
