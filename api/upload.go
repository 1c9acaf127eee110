package api

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/panics"
	"bordero/internal/wire"
	"bordero/storage"

	"golang.org/x/text/encoding/charmap"
)

// upload describes an upload: one file of a multipart form.
type upload struct {
	part      string          // the name of the form field with the file
	attribute string          // the name of the file in messages
	blank     *messages.Fault // if the file is missing or empty
	unnamed   string          // the name of a file without a usable name
	limit     int64           // bytes of the file
	head      int             // bytes that accept reads
	accept    func(head []byte, all bool) error
	texts     bool     // the other parts of the form are read too
	also      []string // the parts that are read if texts is not set
	statement bool     // its items will be stored

	copyTo io.Writer // receives the file while it is stored; may be nil
}

// received is a file that was stored under a fresh key, with the other fields of the form.
type received struct {
	key, name, contentType string   // name and type are the client's
	refused                error    // why the file was read, but not stored: the account has no room for it
	copies                 []string // keys of further copies of the file
	size                   int64    // 0 until the file came
	head                   []byte
	texts                  url.Values
	texted                 int64    // bytes of the texts
	statement              bool     // its items will be stored
	others                 []string // names of parts that are not the file's
}

// receive streams the file of the request to object storage. A request that is refused or breaks
// off stores nothing; the scheduler removes the file that a crash leaves. An account without room for the file is
// refused before it is read, if the request has no Idempotency-Key.
func (a *API) receive(c *call, u upload) (*received, error) {
	r := received{statement: u.statement}
	c.uploads = u.part
	err := a.refuseFull(c, &r)
	if err == nil {
		err = a.readForm(c, u, &r)
	}
	if err == nil && r.size == 0 {
		err = finance.Refuse(u.attribute, c.missingFile(u, r.others))
	}
	if err == nil && c.strict {
		err = strangeParts(u, r.others)
	}
	if err != nil {
		a.discard(c, &r)
	}
	return &r, err
}

// refuseFull refuses a file that is beyond the quotas of the account whatever its size or, by the length of the
// request, at its least size. With an Idempotency-Key the answer may have to be repeated, which takes the whole
// request: r.refused is then the refusal.
func (a *API) refuseFull(c *call, r *received) error {
	least := max(1, c.Request.ContentLength-a.MaxDocument) // the rest of the form is no larger than a document
	refused, err := c.refusedFile(c.ctx(), a.Store.Queries, least, r.statement)
	if err == nil && c.keyed == nil {
		return refused
	}
	r.refused = refused
	return err
}

// strangeParts refuses unknown parts of a form.
func strangeParts(u upload, others []string) error {
	known := append([]string{u.part}, u.also...)
	var strange finance.Invalid
	for _, name := range others {
		strange.AddAt("/"+pointerOf(name), name, messages.UnknownAttribute.Named(name, known))
	}
	return strange.Err()
}

// pointerOf returns the pointer to a part without its slash: bank_statement/file of bank_statement[file].
func pointerOf(part string) string { return strings.NewReplacer("[", "/", "]", "").Replace(part) }

// missingFile returns the fault of an upload without its file: the part has another name, or the
// request is no form. Where clients rely on the words of u.blank, that is the fault.
func (c *call) missingFile(u upload, others []string) *messages.Fault {
	fault := u.blank
	switch {
	case fault != messages.Blank:
	case len(others) > 0:
		fault = messages.PartMissing.With(u.part, strings.Join(others, ", "))
	case c.document != nil && !c.document.Empty():
		fault = messages.FormMissing.With(u.part)
	}
	return fault.Hinted(fmt.Sprintf(messages.SendFilef, u.part))
}

// formBuffer is the size in bytes of the buffer through which a form is read.
const formBuffer = 64 << 10

func (a *API) readForm(c *call, u upload, r *received) error {
	media, parameters, err := mime.ParseMediaType(c.GetHeader("Content-Type"))
	if err != nil || media != "multipart/form-data" {
		// A document, or a form without a file: it is read to report its own errors.
		_, err := c.input()
		if errors.Is(err, messages.BodyOfType) {
			return messages.FormOfType.With(u.part).Hinted(fmt.Sprintf(messages.SendFilef, u.part))
		}
		return err
	}
	if err := c.checkEncoding(); err != nil {
		return err
	}
	if parameters["boundary"] == "" {
		return messages.NoBoundary
	}
	if err := c.holding.Take(formBuffer); err != nil {
		return err
	}
	// The rest of the form may be as large as a document.
	body := sent{http.MaxBytesReader(c.Writer, c.Request.Body, u.limit+a.MaxDocument), u.limit}
	parts := wire.NewParts(bufio.NewReaderSize(body, formBuffer), parameters["boundary"])
	r.texts = url.Values{}
	for {
		part, err := parts.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return unread(err, u.limit)
		}
		if h := part.Header; latin1Name.MatchString(h.Get("Content-Disposition")) {
			h.Set("Content-Disposition", latin1Name.ReplaceAllString(h.Get("Content-Disposition"), "$1=utf-8'"))
		}
		switch {
		case part.FormName() == u.part:
			err = a.putPart(c, u, part, r)
		case (u.texts || slices.Contains(u.also, part.FormName())) && part.FileName() == "":
			err = a.readText(c, u, part, r)
		case len(r.others) < 3: // enough to recognise a misspelt name
			r.others = append(r.others, shortened(part.FormName(), "?"))
		}
		if err != nil {
			return err
		}
	}
}

// putPart checks the head of the file, whatever its name, and streams it.
func (a *API) putPart(c *call, u upload, part *multipart.Part, r *received) error {
	if r.size != 0 {
		return finance.Refuse(u.attribute, messages.TwoFiles)
	}
	sum := sha256.New() // of fixed length, so that no file can pass for a file and the texts after it
	var content io.Reader = part
	if c.keyed != nil {
		content = io.TeeReader(part, sum)
	}
	file := bufio.NewReaderSize(sent{content, u.limit}, u.head)
	head, err := file.Peek(u.head)
	if err != nil && err != io.EOF {
		return err
	}
	if part.FileName() == "" && len(head) > 0 {
		return finance.Refuse(u.attribute, messages.NotFile)
	}
	if len(head) == 0 {
		return finance.Refuse(u.attribute, u.blank.Hinted(messages.EmptyFile))
	}
	if err := u.accept(head, err == io.EOF); err != nil {
		return err
	}
	r.head = bytes.Clone(head)
	r.name, r.contentType = fileName(part.FileName(), u.unnamed), contentType(part.Header.Get("Content-Type"))
	var stored io.Reader = &limited{file, u.limit}
	if u.copyTo != nil {
		stored = io.TeeReader(stored, u.copyTo)
	}
	if r.refused == nil {
		if err := c.holding.Take(a.Files.UploadMemory()); err != nil { // for as long as a slow client sends
			return err
		}
		r.key, r.size, err = a.Files.Put(c.ctx(), c.access.AccountID, stored)
	} else {
		r.size, err = io.Copy(io.Discard, stored)
	}
	if errors.Is(err, errOverLimit) {
		return messages.BodyTooLarge.With(u.limit)
	}
	// Writing to a hash never fails.
	_, _ = fmt.Fprintf(c.digest(), "file %q %q %x\n", part.FileName(), part.Header.Get("Content-Type"), sum.Sum(nil))
	return err
}

// textSize is the memory of a text part beside its name and text, in bytes.
const textSize = 200

// readText reads a text part. All text parts together may be as large as a document.
func (a *API) readText(c *call, u upload, part *multipart.Part, r *received) error {
	text, err := io.ReadAll(heldReader{&limited{sent{part, u.limit}, a.MaxDocument - r.texted}, c.holding})
	if errors.Is(err, errOverLimit) {
		return messages.BodyTooLarge.With(a.MaxDocument)
	}
	if err != nil {
		return err
	}
	name := int64(len(part.FormName()))
	r.texted += name + int64(len(text)) + 1 // a part counts, however empty
	if err := c.holding.Take(name + textSize); err != nil {
		return err
	}
	r.texts.Add(part.FormName(), string(text))
	_, _ = fmt.Fprintf(c.digest(), "text %q %q\n", part.FormName(), text) // never fails
	return nil
}

// storeUpload runs do, which stores the rows of a received file and its copies. It deletes them if no row was stored:
// after an error, or when the answer of an Idempotency-Key is repeated. It keeps them if that is unknown. A file beyond
// the quotas of the account is refused: what receive has read of them may have changed.
func (a *API) storeUpload(c *call, r *received, do func(context.Context, *storage.Tx) (answer, error)) error {
	named, err := a.writeOrRepeat(c, func(ctx context.Context, tx *storage.Tx) (answer, error) {
		refused, err := c.refusedFile(ctx, tx.Queries, r.size*int64(1+len(r.copies)), r.statement)
		if err := cmp.Or(err, r.refused, refused); err != nil {
			return answer{}, err
		}
		return do(ctx, tx)
	})
	// If the database or the client is gone after do, the commit may have succeeded and the row needs its
	// file. If not, the scheduler removes the file.
	if !named || err != nil && !storage.Unavailable(err) && c.ctx().Err() == nil {
		a.discard(c, r)
	}
	return err
}

// discard removes a received file, if there is one, and its copies.
func (a *API) discard(c *call, r *received) {
	if r.key != "" {
		a.removeFiles(c, append(r.copies, r.key)...)
	}
}

const (
	// removalPatience is how long a request waits for the removal of its files, which takes milliseconds in a store
	// that works.
	removalPatience = time.Second
	// mostRemovals is how many removals go on at once. In a directory of NFS that hangs they do not end.
	mostRemovals = 64
)

// removeFiles removes files that no row names. It gives back the place of the call and, if the store hangs, leaves the
// removal to the background. The sweep removes the files that are left.
func (a *API) removeFiles(c *call, keys ...string) {
	c.leave()
	ctx, request := context.WithoutCancel(c.ctx()), c.requestID // gin reuses its context after the request
	patience, end := context.WithTimeout(ctx, removalPatience)
	defer end()
	if a.removals.Acquire(patience, 1) != nil {
		a.Log.WarnContext(ctx, "files not removed, the sweep will remove them: too many other removals go on",
			"request_id", request)
		return
	}
	removed := make(chan struct{})
	go func() {
		defer a.removals.Release(1)
		defer close(removed)
		for _, key := range keys {
			err := panics.Caught(a.Log, "removal of a file panicked", func() error { return a.Files.Delete(ctx, key) })
			if err != nil {
				a.Log.WarnContext(ctx, "file not removed, the sweep will remove it", "request_id", request, "error",
					err)
				return // the others would fail alike
			}
		}
	}()
	select {
	case <-removed:
	case <-patience.Done():
	}
}

// sent is a reader of the request. It reports read errors as faults of the client.
type sent struct {
	r     io.Reader
	limit int64
}

func (s sent) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		err = unread(err, s.limit)
	}
	return n, err
}

// unread returns the error of an incomplete upload.
func unread(err error, limit int64) error {
	switch {
	case errors.As(err, new(*messages.Fault)):
		return err
	case errors.As(err, new(*http.MaxBytesError)):
		return messages.BodyTooLarge.With(limit)
	}
	return messages.BodyEnded
}

var errOverLimit = errors.New("over the limit")

// limited fails if a file is longer than n bytes.
type limited struct {
	r io.Reader
	n int64
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if l.n -= int64(n); l.n < 0 {
		return 0, errOverLimit
	}
	return n, err
}

// latin1Name matches the beginning of a file name in Latin-1 (RFC 8187, RFC 2231), which package
// mime does not decode. With UTF-8 in its place, mime only unescapes the name, and fileName decodes
// it.
var latin1Name = regexp.MustCompile(`(?i)(filename\*(?:0\*)?)\s*=\s*(?:iso-8859-1|windows-1252)'`)

// fileName returns the last part of the name that was sent, in one line; blank if the last part is
// empty or only dots. A name that is not UTF-8 is read as CP1252.
func fileName(sent, blank string) string {
	if !utf8.ValidString(sent) {
		sent, _ = charmap.Windows1252.NewDecoder().String(sent) // never fails
	}
	name := path.Base(strings.ReplaceAll(sent, `\`, "/"))
	if strings.Trim(name, "./") == "" {
		name = ""
	}
	return shortened(name, blank)
}

func contentType(sent string) string {
	media, _, _ := mime.ParseMediaType(sent)
	if len(media) > 255 {
		media = ""
	}
	return cmp.Or(media, "application/octet-stream")
}

// shortened returns a text without control characters, direction marks and line separators, at
// most 255 characters long; blank if nothing remains.
func shortened(text, blank string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) ||
			r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > 255 {
		text = string(runes[:255])
	}
	return cmp.Or(strings.TrimSpace(text), blank)
}
