package api

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"bordero/finance"
	"bordero/internal/blobs"
	"bordero/internal/messages"
	"bordero/internal/wire"
	"bordero/storage"
)

// refusal is an error with a status and a sentence for the API user.
type refusal struct {
	status  int
	message string
}

func (r refusal) Error() string { return r.message }

var (
	errUnauthorized = refusal{http.StatusUnauthorized, messages.Unauthorized}
	errForbidden    = refusal{http.StatusForbidden, messages.Forbidden}
	errCrossSite    = refusal{http.StatusForbidden, messages.CrossSite}
	errNoRoute      = refusal{http.StatusNotFound, messages.NoRoute}
	errNoMethod     = refusal{http.StatusMethodNotAllowed, messages.NoMethod}
	errRoot         = refusal{http.StatusUnprocessableEntity, messages.NoRoot}
	errBody         = refusal{http.StatusBadRequest, messages.BodyEnded}
	errFormat       = refusal{http.StatusUnsupportedMediaType, messages.BodyOfType}
	errKey          = refusal{http.StatusBadRequest, messages.KeyLength}
	errPrecondition = refusal{http.StatusPreconditionFailed, messages.OtherVersion}
	errNotSigned    = refusal{http.StatusServiceUnavailable, messages.NotSigned}
	errBadAddress   = refusal{http.StatusForbidden, messages.BadAddress}
	errPanic        = errors.New("panic")
)

func tooLargeError(limit int64) error {
	return refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf(messages.BodyTooLargef, limit)}
}

// missing is the 404 of a record that does not exist or is another tenant's.
type missing struct {
	root string // of the record's documents: "deposit_account"
	id   int64
}

func (m missing) Error() string { return missingSentence(m.root, m.id) }

// missingText is the 404 of a record whose id is not a number.
type missingText struct{ root, id string }

func (m missingText) Error() string { return missingSentence(m.root, m.id) }

// missingSentences are the sentences of 404s that clients rely on, by root, with %v for the id.
var missingSentences = map[string]string{
	"payable_account": messages.MissingPayable, "receivable_account": messages.MissingReceivable, "credit_card_transaction": messages.MissingCardTransactionf,
}

func missingSentence(root string, id any) string {
	if text, known := missingSentences[root]; known {
		return strings.Replace(text, "%v", fmt.Sprint(id), 1)
	}
	var model strings.Builder // DepositAccount
	for word := range strings.SplitSeq(root, "_") {
		model.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return fmt.Sprintf(messages.Missingf, model.String(), id)
}

// found adds the name of the record to the error of a read that found none.
func found(err error, root string, id int64) error {
	if errors.Is(err, storage.ErrNotFound) {
		return missing{root, id}
	}
	return err
}

// noAccount is the 422 of a user of several accounts whose request does not choose one.
type noAccount struct{ accesses []finance.Access }

func (noAccount) Error() string { return messages.NoAccount }

// problem turns an error into a status and a body. Nothing else does.
func (a *API) problem(c *call, err error) {
	if c.Writer.Written() {
		a.Log.WarnContext(c.ctx(), "answer interrupted", "request_id", c.requestID, "error", err)
		return
	}
	c.Writer.Header().Set("Cache-Control", "no-cache")
	_ = c.send(a.explain(c, err))
}

func (a *API) explain(c *call, err error) answer {
	sentence := func(status int, message string) answer {
		return c.answer(status, func(w *wire.Writer) { w.Error(message) })
	}
	var (
		invalid *finance.Invalid
		refused refusal
		syntax  *wire.SyntaxError
		account noAccount
	)
	switch {
	case errors.As(err, &invalid):
		return c.answer(http.StatusUnprocessableEntity, func(w *wire.Writer) { w.Errors(invalid.All()) })
	case errors.As(err, &refused):
		if refused.status == http.StatusUnauthorized {
			challenge(c.Writer.Header())
		}
		if refused.status == http.StatusServiceUnavailable {
			c.Writer.Header().Set("Retry-After", "2")
		}
		return sentence(refused.status, refused.message)
	case errors.As(err, new(missing)), errors.As(err, new(missingText)):
		return sentence(http.StatusNotFound, err.Error())
	case errors.As(err, &syntax):
		return sentence(http.StatusBadRequest, syntax.Message)
	case errors.Is(err, wire.ErrUnsupported):
		return sentence(errFormat.status, errFormat.message)
	case errors.Is(err, storage.ErrKeyBusy):
		c.Writer.Header().Set("Retry-After", "2")
		return sentence(http.StatusConflict, messages.KeyBusy)
	case errors.Is(err, storage.ErrKeyReused):
		return sentence(http.StatusConflict, messages.KeyReused)
	case errors.Is(err, blobs.ErrFull):
		a.Log.ErrorContext(c.ctx(), "no space for a file", "request_id", c.requestID, "error", err)
		return sentence(http.StatusInsufficientStorage, messages.StoreFull)
	case errors.As(err, &account):
		return c.answer(http.StatusUnprocessableEntity, account.body)
	case c.ctx().Err() != nil: // the client is gone and receives no answer
		return c.answer(http.StatusServiceUnavailable, nil)
	case storage.Unavailable(err):
		a.Log.ErrorContext(c.ctx(), "database unavailable", "request_id", c.requestID, "error", err)
		c.Writer.Header().Set("Retry-After", "2")
		return sentence(http.StatusServiceUnavailable, messages.Unavailable)
	}
	if !errors.Is(err, errPanic) {
		a.Log.ErrorContext(c.ctx(), "request failed", "request_id", c.requestID, "error", err)
	}
	return sentence(http.StatusInternalServerError, fmt.Sprintf(messages.Failedf, c.requestID))
}

func (n noAccount) body(w *wire.Writer) {
	w.Error(n.Error(), func() {
		w.String("status", "unprocessable_entity")
		w.List("account", "accounts", len(n.accesses), func(i int) {
			w.Int("id", n.accesses[i].AccountID)
			w.String("name", n.accesses[i].AccountName)
		})
	})
}

// checked joins the errors of the setters with those of the record's own rules. It leaves out the
// rules about an attribute that could not be read, or that is derived from one.
func checked(in *wire.Input, err error) error {
	var all finance.Invalid
	for attribute, text := range in.Messages() {
		// Clients know associations without _id.
		all.Add(strings.TrimSuffix(attribute, "_id"), text)
	}
	unread := len(all.Messages)
	var invalid *finance.Invalid
	if !errors.As(err, &invalid) {
		if err != nil {
			return err
		}
		return all.Err()
	}
	unreadable := func(attribute string) bool { return all.Has(attribute, unread) }
	for _, m := range invalid.Messages {
		if !unreadable(m.Attribute) && !slices.ContainsFunc(m.From, unreadable) {
			all.Add(m.Attribute, m.Text)
		}
	}
	return all.Err()
}
