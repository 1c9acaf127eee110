package api

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	"bordero/internal/messages"
	"bordero/storage"
)

const (
	keyHeader = "Idempotency-Key"
	maxKey    = 255 // characters of a key

	// A larger body is not stored: the answer is repeated by its status and Location alone. That of a batch, which
	// has no Location, is stored up to maxStoredBatch.
	maxStoredBody  = 1 << 20
	maxStoredBatch = 8 << 20

	// A keyed request is cancelled after this, so its key is busy for a minute at most.
	defaultKeyedTime = 50 * time.Second
)

// keyed is a request with an Idempotency-Key.
type keyed struct {
	storage.IdempotencyKey
	digest hash.Hash // of the request, updated as it is read
}

// readKey reads the Idempotency-Key of a POST. It must run before the body is read. Keys above maxKey characters are
// refused, and so is an empty one, as of a variable without a value: the client believes that it may repeat the
// request.
func (c *call) readKey() error {
	sent := c.Request.Header[keyHeader]
	if c.Request.Method != http.MethodPost || len(sent) == 0 {
		return nil
	}
	key := sent[0]
	if key == "" || !utf8.ValidString(key) || utf8.RuneCountInString(key) > maxKey {
		return messages.KeyLength
	}
	c.keyed = &keyed{digest: sha256.New(), IdempotencyKey: storage.IdempotencyKey{
		// The path is escaped, because PostgreSQL accepts no text with a NUL or invalid UTF-8.
		AccountID: c.access.AccountID, Path: c.Request.URL.EscapedPath(), Key: key, UserID: c.userID,
	}}
	_, _ = io.WriteString(c.keyed.digest, c.Request.URL.RawQuery+"\n") // never fails
	if a := c.access; !a.Administrator {
		// An answer is repeated only to requests with the same rights: another token of the user
		// may have fewer rights, and the user may have lost some.
		denied, entities := slices.Sorted(slices.Values(a.Denied)), slices.Sorted(slices.Values(a.EntityIDs))
		_, _ = fmt.Fprintln(c.keyed.digest, denied, a.AllEntities, entities)
	}
	return nil
}

// digest returns a writer for the content that distinguishes requests with one key: the document,
// or each part of an upload. The multipart boundaries are left out, because they differ each time.
func (c *call) digest() io.Writer {
	if c.keyed == nil {
		return io.Discard
	}
	return c.keyed.digest
}

// once runs do under the key of the request. It stores the answer in do's transaction, and
// returns it again for the same request (decision 0012). Refusals are not stored, so that a
// corrected request may use the same key. Without a key it only runs do.
func (c *call) once(ctx context.Context, tx *storage.Tx, do func() (answer, error)) (answer, error) {
	if c.keyed == nil {
		return do()
	}
	if kept, err := c.storedAnswer(ctx, tx); err != nil || kept != nil {
		return *cmp.Or(kept, &answer{}), err
	}
	out, err := do()
	if err != nil {
		return answer{}, err
	}
	body := out.body
	if out.bare != nil {
		body = out.bare
	}
	if len(body) > maxStoredBatch || out.location != "" && len(body) > maxStoredBody {
		body = nil
	}
	return out, tx.StoreAnswer(ctx, c.keyed.IdempotencyKey, storage.StoredAnswer{
		Status: out.status, Location: out.location, ContentType: out.contentType, Body: body,
	})
}

// storedAnswer returns the stored answer to the request, or nil if the request is new or has no key.
func (c *call) storedAnswer(ctx context.Context, tx *storage.Tx) (*answer, error) {
	if c.keyed == nil {
		return nil, nil // a request without a key is no error
	}
	c.keyed.Request = c.keyed.digest.Sum(nil)
	kept, err := tx.TakeKey(ctx, c.keyed.IdempotencyKey)
	if err == nil && kept != nil {
		err = c.holding.Take(int64(len(kept.Body)))
	}
	if err != nil || kept == nil {
		return nil, err
	}
	return &answer{status: kept.Status, location: kept.Location, contentType: kept.ContentType, body: kept.Body,
		replayed: true}, nil
}

// bounded returns the request's context, which ends after KeyedTime if the request has a key.
func (c *call) bounded() (context.Context, context.CancelFunc) {
	if c.keyed == nil {
		return c.ctx(), func() {}
	}
	return context.WithTimeout(c.ctx(), cmp.Or(c.api.KeyedTime, defaultKeyedTime))
}
