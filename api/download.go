package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"bordero/internal/blobs"
	"bordero/internal/download"
	"bordero/internal/messages"
	"bordero/internal/wire"
	"bordero/storage"

	"golang.org/x/sync/singleflight"
)

// downloadAttachment and downloadStatement redirect (302) to a URL of the file that works without
// a token for a limited time. Permission is checked first, even if the URL is in memory.
func (a *API) downloadAttachment(c *call) error {
	id := c.id()
	key, err := a.Store.AttachmentFile(c.ctx(), c.scope(), c.access, id)
	if err != nil {
		return found(err, attachments.root, id)
	}
	return a.redirect(c, key)
}

func (a *API) downloadStatement(c *call) error {
	id := c.id()
	b, err := bankStatements.find(c.ctx(), a.Store.Queries, c, id)
	if err != nil {
		return found(err, bankStatements.root, id)
	}
	return a.redirect(c, b.FileKey)
}

// redirect answers with a URL of a file of the account. The signing worker signs it, because this
// process has no signing key (decision 0026).
func (a *API) redirect(c *call, key string) error {
	c.leave() // a worker may take seconds
	address, err := a.addresses.of(c.ctx(), download.SignURL{AccountID: c.access.AccountID, FileKey: key})
	if err != nil {
		if c.ctx().Err() != nil {
			return err
		}
		a.Log.WarnContext(c.ctx(), "download failed, no URL for the file", "request_id", c.requestID, "error", err)
		return messages.NotSigned
	}
	c.Header("Cache-Control", "no-store")
	out := rootless(c, http.StatusFound, showRedirect, &address)
	out.location = address
	return c.send(out)
}

// askAddress asks for a URL of the file and verifies the answer. The answer comes through Redis,
// and a forged one must not redirect users elsewhere.
func (a *API) askAddress(ctx context.Context, file download.SignURL) (string, error) {
	address, err := a.SignURL(ctx, file)
	if err != nil {
		return "", err
	}
	if err := a.checkAddress(ctx, address, file); err != nil {
		return "", err
	}
	return address, nil
}

// checkAddress returns an error, which names the setting to compare, unless a URL was signed for the file. A store
// that serves files itself checks its own signatures, so there only the location is compared.
func (a *API) checkAddress(ctx context.Context, address string, file download.SignURL) error {
	if !a.Files.Local() {
		if !a.Files.IsAddress(ctx, address, file.FileKey) {
			return errors.New("the answer is not an address of the file in BORDERO_FILES_URL")
		}
		return nil
	}
	path, ours := strings.CutPrefix(address, a.PublicURL)
	if !ours || !strings.HasPrefix(path, download.Prefix) {
		return errors.New("the answer is not below the BORDERO_PUBLIC_URL of the API")
	}
	of, err := download.Verify(a.SigningKeys, path)
	if err != nil {
		return errors.New("the answer is signed by a key that BORDERO_SIGNING_PUBLIC_KEYS lacks")
	}
	if of.AccountID != file.AccountID || of.Key != file.FileKey {
		return errors.New("the answer is the address of another file")
	}
	return nil
}

// addresses remembers the newest URL of each file, and reuses a URL for a sixtieth of its life.
type addresses struct {
	ask  func(context.Context, download.SignURL) (string, error)
	keep time.Duration

	asking singleflight.Group // one question per file at a time
	mu     sync.Mutex
	known  map[download.SignURL]address
}

type address struct {
	url   string
	until time.Time
}

// mostKnown limits the remembered URLs; all are dropped when it is reached.
const mostKnown = 10_000

func (l *addresses) of(ctx context.Context, file download.SignURL) (string, error) {
	l.mu.Lock()
	known := l.known[file]
	l.mu.Unlock()
	if time.Now().Before(known.until) {
		return known.url, nil
	}
	// Concurrent requests share one question, and cancelling one does not cancel the others.
	answer := l.asking.DoChan(file.FileKey, func() (any, error) {
		asked := time.Now()
		found, err := l.ask(context.WithoutCancel(ctx), file)
		if err != nil {
			return "", err
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.known == nil || len(l.known) >= mostKnown {
			l.known = map[download.SignURL]address{}
		}
		l.known[file] = address{found, asked.Add(l.keep)}
		return found, nil
	})
	select {
	case r := <-answer:
		return r.Val.(string), r.Err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// serveFile serves the file of a signed URL, whole or in ranges, without authentication. A changed
// or expired URL is a 403.
func (a *API) serveFile(c *call) error {
	path := c.Request.URL.Path
	// Only the exact spelling that was signed is accepted.
	asked := c.Request.RequestURI
	if u, err := url.ParseRequestURI(asked); err == nil && u.IsAbs() {
		asked = strings.TrimPrefix(asked, u.Scheme+"://"+u.Host)
	}
	if asked != path {
		return messages.BadAddress
	}
	of, err := download.Verify(a.SigningKeys, path)
	if err != nil {
		return messages.BadAddress
	}
	f, err := a.Store.StoredFile(c.ctx(), of.AccountID, of.Key)
	if errors.Is(err, storage.ErrNotFound) {
		return messages.FileGone
	}
	if err != nil {
		return err
	}
	if !f.Now.Before(of.Expires) {
		return messages.BadAddress
	}
	content, err := a.Files.Open(c.ctx(), f.FileKey)
	if errors.Is(err, blobs.ErrNotFound) {
		// A deletion since the read has taken the row, too. With the row, the file is lost: a failure of ours.
		if _, gone := a.Store.StoredFile(c.ctx(), of.AccountID, of.Key); errors.Is(gone, storage.ErrNotFound) {
			return messages.FileGone
		}
	}
	if err != nil {
		return err
	}
	defer content.Close()
	h := c.Writer.Header()
	h.Set("Content-Disposition", download.Disposition(f.Name))
	h.Set("Content-Type", f.ContentType)
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	// A browser does not show the file after its URL has expired.
	h.Set("Cache-Control", "private, no-cache")
	h.Set("ETag", `"`+f.FileKey+`"`) // the content of a key never changes
	return c.sendContent(content.ModTime(), content)
}

func showRedirect(_ *call, w *wire.Writer, address *string) { w.String("redirect_to", *address) }
