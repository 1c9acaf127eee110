package cli

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/paths"
)

// uploader is a client for the statements of one deposit account, or of the deposit accounts that the files name.
type uploader struct {
	server  serverFlags
	url     string // of the upload
	entity  int64  // of routed files; 0 for one deposit account
	preview bool   // upload for a preview
	accept  []string
	missing string // the error text of a 404
	label   string // of the file among several, such as "[3/24] "
	reached bool   // the server has responded before, so an outage may be temporary

	timeout time.Duration                              // of the wait for a statement; 0 for no end
	pause   func(context.Context, time.Duration) error // between looks at a statement
	remarks io.Writer
}

// httpClient gives up on a server that accepts a request and does not respond within a minute.
var httpClient = func() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = time.Minute
	return &http.Client{Transport: transport}
}()

// fatalError is an error that every other file would meet, too.
type fatalError struct{ error }

// uploaded is a statement on the server.
type uploaded struct {
	ID                int64
	DepositAccountID  int64  `json:"deposit_account_id"`
	FileAccountNumber string `json:"file_account_number"`
	statementCounts
	Event struct {
		Status, Output string
		Warnings       finance.StatementWarnings
	}
	before bool // an earlier upload of the file made it
}

func (s uploaded) ended() bool {
	return slices.Contains([]string{finance.ImportSuccess, finance.ImportError, finance.ImportPreviewed},
		s.Event.Status)
}

// statementFile is a file to upload, with its identity.
type statementFile struct {
	*os.File
	size int64
	sum  string // SHA-256 of name and content
}

func openStatement(name string) (f statementFile, err error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return f, errors.New("no such file")
	case err != nil:
		return f, err
	case !info.Mode().IsRegular():
		return f, errors.New("not a file")
	}
	if f.File, err = os.Open(name); err != nil {
		return f, err
	}
	sum := sha256.New()
	_, _ = io.WriteString(sum, filepath.Base(name)+"\n") // never fails
	if f.size, err = io.Copy(sum, f.File); err != nil {
		return f, errors.Join(err, f.Close())
	}
	f.sum = hex.EncodeToString(sum.Sum(nil))
	return f, nil
}

// mostRefusedKeys bounds the keys that a file is sent under after refusals: changes of the token's rights in a day.
const mostRefusedKeys = 10

// upload sends a file. The idempotency key is the hash of the file's name and content with the codes of the
// accepted warnings, so sending the file again within a day is the same upload. If a statement of that upload
// has ended in an error or was deleted since, the file is sent again under a key derived from the id of the
// first. Each preview has a key of its own, because an earlier preview may be out of date. A key that another member
// used, or this one with other rights, is refused: the file is then sent under a key of the token, and if that is
// refused too, because the rights of the token have changed since, under the next one.
func (u *uploader) upload(ctx context.Context, f statementFile, bar progress) (all []uploaded, err error) {
	if u.preview {
		f.sum = rand.Text()
	}
	for _, code := range u.accept { // each list of accepted codes is a request of its own
		f.sum += "-" + code
	}
	base, refused, ofToken := f.sum, 0, sha256.Sum256([]byte(f.sum+u.server.Token))
	for key := base; ; key = fmt.Sprintf("%s-%d", base, all[0].ID) {
		answer, err := u.do(ctx, func() (*http.Request, error) { return u.form(ctx, f, key, bar) })
		for ; answer.header.Get("X-Error-Code") == messages.KeyReused.Code && refused < mostRefusedKeys; refused++ {
			base = fmt.Sprintf("%s-%x-%d", f.sum, ofToken[:4], refused)
			answer, err = u.do(ctx, func() (*http.Request, error) { return u.form(ctx, f, base, bar) })
		}
		if err != nil {
			return nil, err
		}
		if all, err = answer.statements(); err != nil || answer.header.Get("Idempotency-Replayed") == "" {
			return all, err
		}
		again := false
		for i := range all {
			now, err := u.statement(ctx, all[i])
			switch {
			case errors.Is(err, errGone), err == nil && now.Event.Status == finance.ImportError:
				again = true
			case err != nil:
				return nil, err
			default:
				all[i] = now
				all[i].before = true
			}
		}
		if !again {
			return all, nil
		}
	}
}

// form builds the request that uploads a file.
func (u *uploader) form(ctx context.Context, f statementFile, key string, bar progress) (*http.Request, error) {
	var around bytes.Buffer
	form := multipart.NewWriter(&around)
	if _, err := form.CreateFormFile("bank_statement[file]", filepath.Base(f.Name())); err != nil {
		return nil, err
	}
	head := around.Len()
	if err := form.Close(); err != nil {
		return nil, err
	}
	content := io.NewSectionReader(f, 0, f.size) // the transport of an earlier request may still be reading
	body := io.MultiReader(bytes.NewReader(around.Bytes()[:head]), &counted{content, 0, f.size, bar},
		bytes.NewReader(around.Bytes()[head:]))
	query := accepting(u.accept)
	if u.preview {
		query.Set("preview", "true")
	}
	address := u.url
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, body)
	if err != nil {
		return nil, err
	}
	r.ContentLength = int64(around.Len()) + f.size
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Idempotency-Key", key)
	return r, nil
}

// accepting returns the query that accepts codes of warnings.
func accepting(codes []string) url.Values {
	query := url.Values{}
	for _, code := range codes {
		query.Add("accept[]", code)
	}
	return query
}

// counted reports the bytes read to a progress bar.
type counted struct {
	io.Reader
	n, size int64
	bar     progress
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	c.bar.show(float64(min(c.n, c.size))/float64(max(c.size, 1)), "uploading")
	return n, err
}

// errGone is the error of a deleted statement.
var errGone = errors.New("the statement was deleted")

// statement fetches a statement as it is now.
func (u *uploader) statement(ctx context.Context, s uploaded) (now uploaded, err error) {
	answer, err := u.ask(ctx, http.MethodGet, u.address(s.DepositAccountID, s.ID))
	if err != nil {
		return now, err
	}
	return now, answer.into(&now)
}

// address returns the URL of a statement.
func (u *uploader) address(depositAccount, id int64) string {
	list := u.url
	if u.entity != 0 {
		list = u.server.URL + paths.BankStatements(u.entity, depositAccount)
	}
	return list + "/" + strconv.FormatInt(id, 10)
}

// ask sends a request about a statement, without a body. Its idempotency key makes it safe to repeat a POST after a
// lost answer. The error of a deleted statement is errGone.
func (u *uploader) ask(ctx context.Context, method, address string) (response, error) {
	key := rand.Text()
	answer, err := u.do(ctx, func() (*http.Request, error) {
		r, err := http.NewRequestWithContext(ctx, method, address, nil)
		if err == nil && method == http.MethodPost {
			r.Header.Set("Idempotency-Key", key)
		}
		return r, err
	})
	if answer.status == http.StatusNotFound {
		return answer, errGone
	}
	return answer, err
}

// place labels the file at index i of n, unless it is the only one.
func (u *uploader) place(i, n int) {
	if n > 1 {
		u.label = fmt.Sprintf("[%d/%d] ", i+1, n)
	}
}

// newProgress returns the progress of a file, whose line fits in a narrow terminal.
func (u *uploader) newProgress(name string) progress {
	const most = 44
	return newProgress(u.label + fitted(filepath.Base(name), most-len(u.label)))
}

// response is a response of the server.
type response struct {
	status int
	header http.Header
	body   []byte
}

// statementDocument is the document of a statement.
type statementDocument struct {
	Statement uploaded `json:"bank_statement"`
}

// errForeign is the error of a response that no bordero server sends.
var errForeign = fatalError{errors.New("the server is not a bordero server")}

// into reads the statement of the response.
func (g response) into(s *uploaded) error {
	var document statementDocument
	if err := json.Unmarshal(g.body, &document); err != nil || document.Statement.ID == 0 {
		return errForeign
	}
	*s = document.Statement
	return nil
}

// statements reads the statements of the answer to an upload: the list of a routed file, or the only one.
func (g response) statements() ([]uploaded, error) {
	if !bytes.HasPrefix(g.body, []byte("[")) {
		var s uploaded
		err := g.into(&s)
		return []uploaded{s}, err
	}
	var list []statementDocument
	if err := json.Unmarshal(g.body, &list); err != nil || len(list) == 0 || list[0].Statement.ID == 0 {
		return nil, errForeign
	}
	return each(list, func(d statementDocument) uploaded { return d.Statement }), nil
}

// patience is how long the server may be unreachable or busy before an upload or an export fails: longer than a standby
// takes to take over (docs/operations/high-availability.md).
const patience = time.Minute

// do repeats a request until its response is final: waiting would not change it.
func (u *uploader) do(ctx context.Context, request func() (*http.Request, error)) (g response, err error) {
	for begun := time.Now(); ; {
		r, err := request()
		if err != nil {
			return g, err
		}
		u.server.authorize(r)
		r.Header.Set("Accept", "application/json")
		g, err = send(r)
		u.reached = u.reached || err == nil
		wait := time.Second
		switch {
		case ctx.Err() != nil:
			return g, errors.New("interrupted")
		case err == nil && g.status < 300:
			return g, nil
		case err != nil:
			err = fatalError{unanswered("bordero API", u.server.URL, err)}
		default:
			seconds, _ := strconv.Atoi(g.header.Get("Retry-After"))
			if err = u.refusal(g); seconds == 0 {
				return g, err
			}
			wait = time.Duration(seconds) * time.Second
		}
		if !u.reached || g.status != http.StatusTooManyRequests && time.Since(begun)+wait > patience {
			return g, err
		}
		if pause(ctx, wait) != nil {
			return g, errors.New("interrupted")
		}
	}
}

func send(r *http.Request) (g response, err error) {
	answer, err := httpClient.Do(r)
	if err != nil {
		return g, err
	}
	defer answer.Body.Close()
	g.status, g.header = answer.StatusCode, answer.Header
	g.body, err = io.ReadAll(answer.Body)
	return g, err
}

// refusal turns an unsuccessful response into an error.
func (u *uploader) refusal(g response) error {
	if err := u.server.refusal(g); err != nil {
		return fatalError{err}
	}
	switch g.status {
	case http.StatusForbidden:
		return fatalError{errors.New("the token may not import statements")}
	case http.StatusNotFound:
		return fatalError{errors.New(u.missing)}
	case http.StatusRequestEntityTooLarge:
		return errors.New("the file is larger than the server allows")
	}
	return errors.New(cmp.Or(errorText(g.body), fmt.Sprintf("the server answers %d %s", g.status,
		http.StatusText(g.status))))
}

// errorText returns the error texts of a response body: one text, or texts by attribute.
func errorText(body []byte) string {
	var document map[string]any
	_ = json.Unmarshal(body, &document) // stays empty if the body is not JSON
	if text, ok := document["error"].(string); ok {
		return text
	}
	var all []string
	for _, attribute := range slices.Sorted(maps.Keys(document)) {
		texts, _ := document[attribute].([]any)
		for _, text := range texts {
			all = append(all, strings.TrimPrefix(fmt.Sprintf("%s %v", attribute, text), finance.Base+" "))
		}
	}
	return strings.Join(all, "; ")
}
