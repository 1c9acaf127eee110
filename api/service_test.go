package api_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"bordero/api"
	"bordero/internal/blobs"
	"bordero/internal/download"
	"bordero/internal/ratelimit"
	"bordero/jobs/broker"
	"bordero/storage"
	"bordero/storage/storagetest"
	"bordero/workers"

	"github.com/google/go-cmp/cmp"
)

// publicURL is the public URL of the services under test.
const publicURL = "https://api.example.com"

// service is the API over its own store, with its own tenant.
type service struct {
	storagetest.Tenant
	store  *storage.Store
	db     *sql.DB // the same database, for queries that the store lacks
	files  string  // the directory of the files
	url    string
	public string // the URL of the API in its answers
	client *http.Client
}

func newService(t testing.TB) *service {
	t.Helper()
	database := storagetest.Borrow(t)
	s := serve(t, database.Store)
	s.db = database.Owner
	s.Tenant = storagetest.NewTenant(t, s.store)
	return s
}

// serve returns a service over the store, without a tenant.
func serve(t testing.TB, store *storage.Store, change ...func(*api.Config)) *service {
	t.Helper()
	s := &service{store: store, files: t.TempDir()}
	files, err := blobs.Open(t.Context(), "file://"+s.files)
	if err != nil {
		t.Fatal(err)
	}
	zone, err := time.LoadLocation(storagetest.Timezone)
	if err != nil {
		t.Fatal(err)
	}
	c := api.Config{
		Store: s.store, Files: files, PublicURL: publicURL, Zone: zone,
		Log:         slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError})),
		Outgoing:    &http.Client{Transport: healthy{}},
		CountFault:  func(code string) { raised.Store(code, true) },
		MaxDocument: 1 << 20, MaxStatement: 50 << 20, MaxAttachment: 100 << 20, WebhooksPerEntity: 16,
	}
	signing(t, &c)
	for _, f := range change {
		f(&c)
	}
	server := httptest.NewServer(api.New(c))
	t.Cleanup(server.Close)
	s.url, s.client, s.public = server.URL, server.Client(), c.PublicURL
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return s
}

// limiter returns a limiter of requests with a Redis of its own.
func limiter(t testing.TB, now func() time.Time) *ratelimit.Limiter {
	t.Helper()
	r, err := broker.OpenRedis(storagetest.RedisURL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	key := func(_ context.Context, parts ...string) (string, error) { return strings.Join(parts, ":"), nil }
	return ratelimit.New(r, key, time.Minute, now)
}

// signing configures the signing of file URLs as a worker does it.
func signing(t testing.TB, c *api.Config) {
	t.Helper()
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	c.SigningKeys, c.URLLife = []ed25519.PublicKey{public}, time.Hour
	signer := workers.Signer{Store: c.Store, Files: c.Files, Key: key, PublicURL: publicURL, Life: c.URLLife}
	c.SignURL = func(ctx context.Context, file download.SignURL) (string, error) {
		ask, err := json.Marshal(file)
		if err != nil {
			return "", err
		}
		return signer.Answer(ctx, ask)
	}
}

// healthy is a transport that answers every request with 200.
type healthy struct{}

func (healthy) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
}

// option changes a request before it is sent.
type option func(*http.Request)

// with sets a header.
func with(name, value string) option {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// as sends the token instead of the tenant's; "" sends none.
func as(token string) option {
	return func(r *http.Request) {
		if r.Header.Del("Authorization"); token != "" {
			r.SetBasicAuth(token, "x")
		}
	}
}

// body sends a text.
func body(contentType, text string) option {
	return func(r *http.Request) {
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
		r.Header.Set("Content-Type", contentType)
	}
}

// document sends XML if the text begins with <, else JSON.
func document(text string) option {
	if strings.HasPrefix(text, "<") {
		return body("application/xml", text)
	}
	return body("application/json", text)
}

// part is one part of a multipart body.
type part struct{ disposition, contentType, content string }

// file returns the part with a bank statement's file.
func file(name, content string) part {
	return part{fmt.Sprintf(`form-data; name="bank_statement[file]"; filename=%q`, name), "application/octet-stream",
		content}
}

// attachment returns the part with an attachment's file.
func attachment(name, contentType, content string) part {
	return part{fmt.Sprintf(`form-data; name="attachment[attachment]"; filename=%q`, name), contentType, content}
}

func parts(list ...part) option {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range list {
		h := textproto.MIMEHeader{"Content-Disposition": {p.disposition}}
		if p.contentType != "" {
			h.Set("Content-Type", p.contentType)
		}
		inner, _ := w.CreatePart(h) // a buffer never fails
		_, _ = io.WriteString(inner, p.content)
	}
	_ = w.Close()
	return body(w.FormDataContentType(), b.String())
}

// call sends a request with the tenant's token, and checks the answer against the OpenAPI document.
func (s *service) call(t testing.TB, method, path string, options ...option) answer {
	t.Helper()
	a, err := s.send(t.Context(), method, path, options...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	if err := openAPI().check(method, path, a); err != nil {
		t.Errorf("%s %s: %d is not as documented: %v\n%s", method, path, a.status, err, a.body)
	}
	return a
}

// send sends a request with the tenant's token. Unlike call, it may run in any goroutine.
func (s *service) send(ctx context.Context, method, path string, options ...option) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, nil)
	if err != nil {
		return answer{}, err
	}
	r.SetBasicAuth(s.Token, "x")
	for _, o := range options {
		o(r)
	}
	res, err := s.client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	a := answer{method + " " + path, res.StatusCode, res.Header, string(b)}
	return a, errors.Join(err, a.helps(s.public))
}

// misformatted matches what fmt writes for a value that does not suit its verb, or is missing.
var misformatted = regexp.MustCompile(`%![a-zA-Z]?\(`)

// helps returns an error unless a refusal links to the explanation of its code at the public URL, and a success does
// not. Pages that are refusals of the console's own have no code. A refusal whose text and values do not suit is an
// error too.
func (a answer) helps(public string) error {
	code, want := a.header.Get("X-Error-Code"), ""
	if bad := misformatted.FindString(a.body); bad != "" && a.status >= http.StatusBadRequest {
		return fmt.Errorf("a text of the refusal has %s: %s", bad, a.body)
	}
	if a.status >= http.StatusBadRequest && (code != "" || !strings.Contains(a.request, " /console")) {
		want = "<" + public + "/docs/errors#" + code + `>; rel="help"`
	}
	link := a.header.Get("Link")
	if strings.Contains(want+link, `rel="help"`) && (code == "" || link != want) {
		return fmt.Errorf("%s: %d has the code %q and the link %q", a.request, a.status, code, link)
	}
	return nil
}

type answer struct {
	request string
	status  int
	header  http.Header
	body    string
}

// want fails when the status differs.
func (a answer) want(t testing.TB, status int) answer {
	t.Helper()
	if a.status != status {
		t.Fatalf("%s: status %d, want %d: %s", a.request, a.status, status, a.body)
	}
	return a
}

// wantBody fails when the status or the body differs.
func (a answer) wantBody(t testing.TB, status int, body string) answer {
	t.Helper()
	equal(t, a.want(t, status).body, body)
	return a
}

// at returns a value of a JSON answer as text: "entity.name", "0.entity.id".
func (a answer) at(t testing.TB, path string) string {
	t.Helper()
	return within(t, a.value(t), path)
}

// all returns one value of each record of a JSON list: "entity.name".
func (a answer) all(t testing.TB, path string) []string {
	t.Helper()
	list, _ := a.want(t, http.StatusOK).value(t).([]any)
	texts := []string{}
	for _, record := range list {
		texts = append(texts, within(t, record, path))
	}
	return texts
}

func within(t testing.TB, v any, path string) string {
	t.Helper()
	for _, name := range strings.Split(path, ".") {
		switch inner := v.(type) {
		case map[string]any:
			v = inner[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(inner) {
				t.Fatalf("no %s in %v", path, inner)
			}
			v = inner[i]
		default:
			t.Fatalf("no %s in %v", path, inner)
		}
	}
	return fmt.Sprint(v)
}

func (a answer) value(t testing.TB) (v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(a.body))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
	return v
}

func equal[T any](t testing.TB, got, want T) {
	t.Helper()
	if d := cmp.Diff(want, got, cmp.AllowUnexported(answer{})); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// query reads one value from the database, for what no answer contains.
func query[T any](t testing.TB, s *service, statement string, args ...any) (v T) {
	t.Helper()
	if err := s.db.QueryRowContext(t.Context(), statement, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return v
}

// exec changes the database as no request can.
func (s *service) exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	if _, err := s.db.ExecContext(t.Context(), statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// storedFiles lists the files in the service's object storage.
func (s *service) storedFiles(t testing.TB) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(s.files, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		if errors.Is(err, fs.ErrNotExist) { // removed during the walk
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// timeless returns the document with every time replaced by the same one.
func timeless(body string) string {
	return moments.ReplaceAllString(body, "2026-01-02T03:04:05-03:00")
}

var moments = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d-03:00`)
