package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"bordero/internal/messages"
	"bordero/jobs"
)

// answer is what the API answers to a request of a page.
type answer struct {
	status int
	header http.Header
	body   bytes.Buffer
	take   func(int) error // nil for an answer that takes no memory of an account
	full   error           // why the body is incomplete
}

// Header, WriteHeader and Write implement http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if a.take != nil && a.full == nil {
		a.full = a.take(len(p))
	}
	if a.full != nil {
		return len(p), nil // an error would mean that the client has left
	}
	return a.body.Write(p)
}

// refusal returns the refusal that the answer is.
func (a *answer) refusal() *refusal {
	no := &refusal{}
	_ = json.Unmarshal(a.body.Bytes(), no) // without a document, the status says enough
	no.Status = a.status
	return no
}

// refusal is an answer of the API from 400 on, as problem details.
type refusal struct {
	Status   int
	Code     string
	Title    string
	Instance string // the request id
	Errors   []fault
	Oldest   int64 // change of the feed, if an older one was asked for, and the latest
	Latest   int64
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the API refuses with %d: %s", r.Status, r.Title)
}

// refusedWith returns the refusal that err is, if it has the status; else nil.
func refusedWith(err error, status int) *refusal {
	var no *refusal
	if errors.As(err, &no) && no.Status == status {
		return no
	}
	return nil
}

// fault is one fault of a request.
type fault struct {
	Pointer, Parameter, Code, Message, Hint string
}

// OfHeader reports whether the fault is the unknown header of a table: the form of an upload can name the columns.
func (f fault) OfHeader() bool { return f.Hint == messages.CSV.Hint }

// wrong returns the refusal of a form by the console itself, for the value of a field.
func wrong(field, message string) *refusal {
	return &refusal{Status: http.StatusUnprocessableEntity, Errors: []fault{{Parameter: field, Message: message}}}
}

// field returns the name of the field that a fault is about: "name" of /entity/name, "statement_mapping[date]" of
// /bank_statement/statement_mapping/date; "" if it is about the whole form.
func (f fault) field() string {
	parts := strings.Split(f.Pointer, "/")
	if len(parts) < 3 {
		return f.Parameter
	}
	if parts[2] == mappingField && len(parts) > 3 {
		return mappingField + "[" + parts[3] + "]"
	}
	return parts[2]
}

// ask sends a request to the API with the token of the session. A refusal of the API is a *refusal.
func (v *visit) ask(method, path string, body io.Reader, set func(http.Header)) (*answer, error) {
	r, err := http.NewRequestWithContext(v.r.Context(), method, path, body)
	if err != nil {
		return nil, err
	}
	if r.ContentLength == 0 && body != nil && r.Body != http.NoBody {
		r.ContentLength = -1 // of a file that is still to come: the API takes 0 for no body
	}
	r.Host, r.RemoteAddr, r.RequestURI = v.r.Host, v.r.RemoteAddr, path
	r.Header["X-Forwarded-For"] = v.r.Header["X-Forwarded-For"]
	if trace := jobs.Traceparent(v.r.Context()); trace != "" {
		r.Header.Set("Traceparent", trace)
	}
	r.Header.Set("Authorization", "Bearer "+v.session)
	r.Header.Set("Accept", "application/json, application/problem+json")
	r.Header.Set("X-Request-Id", v.w.Header().Get("X-Request-Id"))
	if id := v.r.PathValue("account"); id != "" {
		r.Header.Set("Account-Id", id)
	}
	if set != nil {
		set(r.Header)
	}
	a := &answer{header: http.Header{}, take: v.take}
	v.console.API.ServeHTTP(a, r)
	if a.full != nil {
		return nil, v.refused(a.full)
	}
	if a.status < http.StatusBadRequest {
		return a, nil
	}
	if wait := a.header.Get("Retry-After"); wait != "" {
		v.w.Header().Set("Retry-After", wait)
	}
	return nil, a.refusal()
}

// get reads a document of the API into a value, and returns the headers.
func (v *visit) get(path string, query url.Values, into any) (http.Header, error) {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	a, err := v.ask(http.MethodGet, path, nil, nil)
	if err != nil {
		return nil, err
	}
	return a.header, json.Unmarshal(a.body.Bytes(), into)
}

// send sends a document to the API, unless it is nil, and reads the answer into a value, unless it is nil. A form that
// is sent twice, as by two clicks, is one request for the API, or with a version a second one that is refused.
func (v *visit) send(method, path string, document, into any) error {
	body, err := json.Marshal(document)
	if err != nil {
		return err
	}
	if document == nil {
		body = nil
	}
	a, err := v.ask(method, path, bytes.NewReader(body), func(h http.Header) {
		if document != nil {
			h.Set("Content-Type", "application/json")
		}
		if key := v.Sent.Get("key"); key != "" && method == http.MethodPost {
			h.Set("Idempotency-Key", key)
		}
		if version := v.Sent.Get("version"); version != "" {
			h.Set("If-Match", version)
		}
	})
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(a.body.Bytes(), into)
}

// filters returns the query that searches by the filters: name, value, name, value, …
func filters(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		q.Set("search["+pairs[i]+"]", pairs[i+1])
	}
	return q
}
