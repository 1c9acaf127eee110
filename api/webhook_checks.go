package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/outgoing"
	"bordero/internal/random"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/deliveries"
)

// An endpoint may take ten seconds to answer, so it is called between two transactions. The first
// refuses requests that need no call; the second repeats the checks and stores the result. No
// database connection is in use during the call.

// createWebhook stores a webhook after its endpoint has answered a test with 200: 201 with its
// Location and the webhook. Concurrent requests with one Idempotency-Key may each call the
// endpoint, but only one webhook is stored.
func (a *API) createWebhook(c *call) error {
	in, err := c.input()
	if err != nil {
		return err
	}
	var w *finance.Webhook
	var kept *answer
	err = a.Store.InTx(c.ctx(), func(tx *storage.Tx) (err error) {
		if kept, err = c.storedAnswer(c.ctx(), tx); err != nil || kept != nil {
			return err
		}
		w = webhooks.newRecord(c)
		root, ok := in.Root(webhooks.root)
		if !ok {
			return c.noRoot(webhooks.root)
		}
		assignNewWebhook(root, w)
		return joined(
			func() error { return checked(in, validateWebhook(w)) },
			func() error { return c.limitWebhooks(c.ctx(), tx, w) },
			func() error { return c.withStray(nil) },
		)
	})
	if err != nil {
		return err
	}
	if kept != nil {
		return c.send(*kept)
	}
	c.leave() // meanwhile
	code, refusal := a.check(c.ctx(), w)
	if refusal != nil {
		return refusal
	}
	w.HealthyCheckCode = code
	return a.writeWithoutDocument(c, func(ctx context.Context, tx *storage.Tx) (answer, error) {
		created := *w
		if err := c.limitWebhooks(ctx, tx, &created); err != nil {
			return answer{}, err
		}
		out, err := webhooks.created(ctx, tx, c, &created)
		created.Secret = ""
		out.bare = webhooks.document(c, http.StatusCreated, &created).body
		return out, err
	})
}

// verifyWebhook calls the endpoint again. After a 200 the webhook becomes active and its held
// deliveries are sent: 200 with the webhook. Otherwise the status is stored, and the answer is 422.
func (a *API) verifyWebhook(c *call) error {
	in, err := c.input() // its content is ignored
	if err == nil {
		err = c.withStray(checked(in, nil))
	}
	if err != nil {
		return err
	}
	var w *finance.Webhook
	err = a.Store.InTx(c.ctx(), func(tx *storage.Tx) (err error) {
		w, err = webhooks.lockForUpdate(c.ctx(), tx, c)
		return err
	})
	if err != nil {
		return err
	}
	c.leave() // meanwhile
	code, refusal := a.check(c.ctx(), w)
	// The client is gone and the call was cut off: that proves nothing about the endpoint.
	if err := c.ctx().Err(); err != nil {
		return err
	}
	var refused answer
	if refusal != nil {
		refused = a.explain(c, refusal)
	}
	return a.writeWithoutDocument(c, func(ctx context.Context, tx *storage.Tx) (answer, error) {
		w, err := webhooks.lockForUpdate(ctx, tx, c)
		if err != nil {
			return answer{}, err
		}
		if refusal != nil {
			return refused, deliveries.NoteWebhookCheck(ctx, tx, w, code)
		}
		if err := deliveries.ActivateWebhook(ctx, tx, w.AccountID, w.ID, http.StatusOK); err != nil {
			return answer{}, err
		}
		if w, err = deliveries.Webhook(ctx, tx.Queries, w.AccountID, w.ID); err != nil {
			return answer{}, err
		}
		return webhooks.document(c, http.StatusOK, w), nil
	})
}

// check sends a test to the URL of a webhook, signed like a notification. It returns the status of
// the answer, or nil without an answer, and a finance.Invalid unless the status is 200.
func (a *API) check(ctx context.Context, h *finance.Webhook) (code *int64, refusal error) {
	format := wire.JSON
	if h.Format == wire.XML.String() {
		format = wire.XML
	}
	body := testDocument(format)
	r, err := outgoing.Post(ctx, h.URL, body)
	if err != nil {
		return nil, finance.Refuse("url", messages.NotURL)
	}
	requestID := random.Hex(16)
	for name, value := range h.Headers(requestID, "test_"+requestID, a.now(), body) {
		r.Header[name] = []string{value} // the spelling that receivers know, not Go's canonical one
	}
	r.Header.Set("Content-Type", format.ContentType())
	r.Header.Set("User-Agent", outgoing.UserAgent)
	res, err := a.Outgoing.Do(r)
	if err == nil {
		defer res.Body.Close()
		const most = 4 << 10 // bytes of an answer that are read
		if _, err = io.CopyN(io.Discard, res.Body, most); errors.Is(err, io.EOF) {
			err = nil // it is shorter
		}
	}
	if err != nil {
		return nil, finance.Refuse("url", outgoing.Cause(err).OfTest())
	}
	if res.StatusCode != http.StatusOK {
		refusal = finance.Refuse("url", messages.NotAnsweredWith.With(res.StatusCode))
	}
	status := int64(res.StatusCode)
	return &status, refusal
}

// testDocument is the body of a test request (docs/webhooks.md).
func testDocument(f wire.Format) []byte {
	w := wire.NewWriter(f, nil)
	defer w.Free()
	w.Document(func() { w.Bool("test", true) })
	return bytes.Clone(w.Bytes())
}
