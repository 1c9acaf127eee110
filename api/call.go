package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/share"
	"bordero/internal/wire"
	"bordero/storage"

	"github.com/gin-gonic/gin"
)

// call is the state of one request: its user, account, entity and the format of the answer.
type call struct {
	*gin.Context
	requestedFormat
	api       *API
	requestID string

	route      route
	token      string
	authorized time.Time // when the rights were read
	userID     int64
	accesses   []finance.Access // the accounts that the token opens
	access     finance.Access   // the chosen one
	entityID   int64            // of the path; 0 if absent
	keyed      *keyed           // nil without an Idempotency-Key
	head       bool             // the client wants the headers alone
	problems   bool             // the client accepts problem details
	document   *wire.Input      // of the request, once it was read
	before     []byte           // the record that the request changes, as the API writes it in JSON
	bare       bool             // the parameters of the query are not filters
	unsummed   bool             // the rows of a workbook have no sum: an amount is in several, or of several currencies
	strict     bool             // the client prefers a refusal to anything being ignored
	holding    *share.Holding   // the memory of the request; nil for no limit
	held       bool             // counts among the requests under way
	urgent     bool             // needs no place
	place      func()           // gives back the place among the requests of the account; nil without a place
	ends       []func()         // run when the request ends
	stray      finance.Invalid  // the faults of the query's parameters that no handler reads
	uploads    string           // the form field of the file that the request uploads

	inBody map[string]string // the parameters that a body has instead of the query
}

func (a *API) call(g *gin.Context) *call {
	s := requestMetaFrom(g.Request.Context())
	return &call{
		Context: g, api: a, requestedFormat: s.requestedFormat, head: s.head, problems: s.problems,
		requestID: s.requestID, strict: strictly(g.Request.Header),
	}
}

// ctx returns the request's context; the embedded Gin context has no deadline.
func (c *call) ctx() context.Context { return c.Request.Context() }

// scope returns the account and entity that every SQL statement of the call names.
func (c *call) scope() storage.Scope {
	return storage.Scope{AccountID: c.access.AccountID, EntityID: c.entityID}
}

// checkPath checks the suffix and the ids of the path. A value that is no positive number is
// answered like a missing record: 404.
func (c *call) checkPath() error {
	if err := c.checkSuffix(); err != nil {
		return err
	}
	if !c.isSheet() {
		c.sheet = nil
	}
	for _, p := range c.Params {
		if record, isID := strings.CutSuffix(p.Key, "_id"); isID && c.pathID(p.Key) == 0 {
			return missing(record, p.Value).Hinted(messages.NumberInPath)
		}
	}
	return nil
}

// idDigits is the number of digits of the largest id. A path with many zeros before an id would be too long for the
// index of the answers to keyed requests.
const idDigits = 19

// pathID returns an id of the path, which checkPath has checked; 0 if the path has no parameter of
// this name.
func (c *call) pathID(name string) int64 {
	id, err := strconv.ParseInt(c.Param(name), 10, 64)
	if err != nil || len(c.Param(name)) > idDigits {
		return 0
	}
	return max(id, 0)
}

// id returns the id of the record that the path names: its last parameter.
func (c *call) id() int64 { return c.pathID(c.Params[len(c.Params)-1].Key) }

// input reads the document of the request, and the rights of the token again if that took long.
func (c *call) input() (*wire.Input, error) {
	if err := c.checkEncoding(); err != nil {
		return nil, err
	}
	documents := 1
	if path := c.FullPath(); strings.HasSuffix(path, "/batch") || path == payablesPath+"/pay_many" ||
		path == receivablesPath+"/receive_many" {
		documents = batchDocuments
	}
	c.leave() // a document may take minutes to arrive
	body, err := c.body(c.api.MaxDocument * int64(documents))
	if err != nil {
		return nil, err
	}
	if err := c.enter(); err != nil {
		return nil, err
	}
	if err := c.api.renewRights(c); err != nil {
		return nil, err
	}
	if err := c.holding.Take(wire.Weight(c.ContentType(), body)); err != nil {
		return nil, err
	}
	in, err := wire.ReadBatch(c.ContentType(), body, documents)
	if err != nil {
		return nil, err
	}
	in.Zone, in.Now = c.api.Zone, c.api.now()
	in.Changes, in.Strict = c.Request.Method == http.MethodPut, c.strict
	c.document = in
	return in, nil
}

// body reads the body of the request, up to a limit in bytes.
func (c *call) body(limit int64) ([]byte, error) {
	size := min(max(c.Request.ContentLength, 0), limit)
	if err := c.holding.Reserve(size); err != nil {
		return nil, err
	}
	sent := io.TeeReader(http.MaxBytesReader(c.Writer, c.Request.Body, limit), c.digest())
	body := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	_, err := body.ReadFrom(heldReader{sent, c.holding})
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, messages.BodyTooLarge.With(tooLarge.Limit)
	case errors.Is(err, share.ErrTooLarge), errors.Is(err, share.ErrNoRoom):
		return nil, err
	case err != nil:
		return nil, messages.BodyEnded
	}
	return body.Bytes(), nil
}

// heldReader takes the memory of the bytes that it reads.
type heldReader struct {
	r       io.Reader
	holding *share.Holding
}

func (h heldReader) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	if held := h.holding.Take(int64(n)); held != nil {
		return n, held
	}
	return n, err
}

// checkEncoding refuses a compressed body. Without a body the header means nothing (RFC 9110, 8.4),
// and is ignored.
func (c *call) checkEncoding() error {
	codings := strings.Join(c.Request.Header.Values("Content-Encoding"), ",")
	for coding := range strings.SplitSeq(codings, ",") {
		coding = strings.TrimSpace(coding)
		if coding != "" && !strings.EqualFold(coding, "identity") && c.Request.ContentLength != 0 {
			return messages.EncodedBody.With(shortened(coding, "?"))
		}
	}
	return nil
}

// answer is a rendered answer, which is sent after the transaction has committed.
type answer struct {
	status      int
	location    string
	contentType string
	body        []byte       // nil for an empty body
	bare        []byte       // stored for an Idempotency-Key instead of a body with a secret; nil to store the body
	writer      *wire.Writer // owns the body; may be nil
	unsendable  error        // why the body is incomplete; nil if it is complete
	replayed    bool         // stored earlier for the same Idempotency-Key
}

// answer renders an answer; without a document its body is empty.
func (c *call) answer(status int, document func(*wire.Writer)) answer {
	r := answer{status: status, contentType: c.format.ContentType()}
	if document == nil {
		return r
	}
	r.writer = wire.NewWriter(c.format, c.api.Zone)
	if status < http.StatusBadRequest {
		r.writer.Limit(func(more int) bool {
			r.unsendable = c.hold(len(r.writer.Bytes()), more)
			return r.unsendable == nil
		})
	}
	document(r.writer)
	r.body = r.writer.Bytes()
	return r
}

// largestAnswer bounds the document of one answer, in bytes.
const largestAnswer = 32 << 20

// hold takes memory for more bytes of a document, and refuses a document above largestAnswer.
func (c *call) hold(size, more int) error {
	if size > largestAnswer {
		return share.ErrTooLarge
	}
	return c.holding.Take(int64(more))
}

// rootless renders a record without a root key.
func rootless[T any](c *call, status int, show func(*call, *wire.Writer, *T), t *T) answer {
	return c.answer(status, func(w *wire.Writer) {
		w.Document(func() { show(c, w, t) })
	})
}

// send sends an answer. To a GET it sends 304 if the client already has the document.
func (c *call) send(r answer) error {
	if r.status < http.StatusBadRequest {
		if err := c.withStray(nil); err != nil { // a write has been refused before
			return err
		}
	}
	if r.writer != nil {
		defer r.writer.Free()
	}
	if r.unsendable != nil {
		return r.unsendable
	}
	h := c.Writer.Header()
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "max-age=0, private, must-revalidate")
	}
	if c.Request.Method == http.MethodGet && r.status == http.StatusOK {
		tag := etag(c.format, r.body, h.Get("Links"))
		h.Set("ETag", tag)
		if c.unmodified(tag) {
			r = answer{status: http.StatusNotModified}
		}
	}
	if r.location != "" {
		h.Set("Location", r.location)
	}
	if r.replayed {
		h.Set("Idempotency-Replayed", "true")
	}
	if r.contentType != "" {
		h.Set("Content-Type", r.contentType)
	}
	if len(r.body) == 0 {
		c.Writer.WriteHeader(r.status)
		c.Writer.WriteHeaderNow()
		return nil
	}
	h.Set("Content-Length", strconv.Itoa(len(r.body)))
	c.document, c.before = nil, nil // frees their memory while a slow client reads
	c.leave()
	c.holding.Keep(int64(len(r.body)))
	c.Writer.WriteHeader(r.status)
	if _, err := c.Writer.Write(r.body); err != nil { // the client has gone
		requestMetaFrom(c.ctx()).interrupted = http.StatusServiceUnavailable
	}
	return nil
}

// url returns the absolute URL of a path.
func (c *call) url(path string) string { return c.api.PublicURL + path }

// link is one of a record's links.
type link struct{ rel, method, path string }

// links writes the links of a record, which a sheet does not have. A token that may only read gets no links to changes.
func (c *call) links(w *wire.Writer, links ...link) {
	if c.sheet != nil {
		return
	}
	if c.access.ReadOnly {
		links = slices.DeleteFunc(links, func(l link) bool { return l.method != "get" })
	}
	w.Objects("links", "link", len(links), func(i int) { showLink(c, w, &links[i]) })
}

func showLink(c *call, w *wire.Writer, l *link) {
	w.String("rel", l.rel)
	w.String("href", c.url(l.path))
	w.String("method", l.method)
}

var linkFields = openapi.Fields{
	"rel":  {Doc: "The relation of the link: the record or action that it leads to.", Example: "self"},
	"href": {Doc: "The absolute URL.", Format: "uri"},
	"method": {Doc: "The method of the request.", Enum: openapi.Enum{
		Name: "LinkMethod", Values: []string{"get", "put", "post", "delete"}}},
}
