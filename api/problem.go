package api

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"bordero/finance"
	"bordero/internal/blobs"
	"bordero/internal/messages"
	"bordero/internal/wire"
	"bordero/storage"
)

var errPanic = errors.New("panic")

// missing is the 404 of a record that does not exist or belongs to another tenant. root is the root
// key of its documents, "deposit_account"; id is the text or number in the request.
func missing(root string, id any) *messages.Fault {
	switch root { // sentences that clients rely on
	case "payable_account":
		return messages.MissingPayable
	case "receivable_account":
		return messages.MissingReceivable
	case "credit_card_transaction":
		return messages.MissingCardTransaction.With(id)
	}
	var model strings.Builder // DepositAccount
	for word := range strings.SplitSeq(root, "_") {
		model.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return messages.Missing.With(model.String(), id)
}

// found adds the name of the record to the error of a read that found no record.
func found(err error, root string, id int64) error {
	if errors.Is(err, storage.ErrNotFound) {
		return missing(root, id)
	}
	return err
}

// rootMissing is the 422 of a document without the root key of its record.
type rootMissing struct {
	*messages.Fault
	root string
}

func (n rootMissing) Unwrap() error { return n.Fault }

// noRoot returns the refusal of a document without the root key of its record.
func (c *call) noRoot(root string) error {
	hint := fmt.Sprintf(messages.SendRootf, root, strings.ReplaceAll(root, "_", "-"))
	if c.ContentType() == "application/x-www-form-urlencoded" { // curl -d sends this type by default
		hint += " " + messages.SentAsForm
	}
	return rootMissing{messages.NoRoot.Hinted(hint), root}
}

// lacking is the 403 of a user without permissions.
func lacking(needed ...finance.Permission) *messages.Fault {
	var names []string
	for _, p := range needed {
		names = append(names, string(p))
	}
	return messages.Forbidden.Hinted(fmt.Sprintf(messages.NeedsPermissionf, strings.Join(names, ", ")))
}

// lackingKinds is the 403 of a user without the permission to see financial accounts of both kinds.
func (c *call) lackingKinds() *messages.Fault {
	return lacking(slices.DeleteFunc([]finance.Permission{finance.PayableAccounts, finance.ReceivableAccounts},
		c.access.Allows)...)
}

// detailed is a refusal that says more than a sentence, in the document and in problem details.
type detailed interface {
	error
	body(w *wire.Writer)
	members() problemMembers
}

// noAccount is the 422 of a request that does not choose one of the accounts that its token opens.
type noAccount struct {
	*messages.Fault
	accounts []finance.Account // their ids and names
}

func (n noAccount) Unwrap() error { return n.Fault }

// problem turns an error into a status and a body. No other function does. An answer that is under way ends
// without its end, so that the client does not take it for a whole one.
func (a *API) problem(c *call, err error) {
	if c.Writer.Written() {
		status, level := http.StatusServiceUnavailable, slog.LevelInfo // the client is gone
		if fault := a.faultOf(c, err); fault != nil {
			status, level = fault.Status, slog.LevelWarn
		}
		requestMetaFrom(c.ctx()).interrupted = status
		a.Log.Log(c.ctx(), level, "answer interrupted", "request_id", c.requestID, "error", err)
		return
	}
	c.Writer.Header().Set("Cache-Control", "no-cache")
	_ = c.send(a.explain(c, err))
}

// explain returns the answer to a request that failed with err, and sets its headers.
func (a *API) explain(c *call, err error) answer {
	var invalid *finance.Invalid
	if errors.As(c.withStray(err), &invalid) {
		return c.refuse(invalid.Messages, problemMembers{}, func(w *wire.Writer) { w.Errors(invalid.All()) })
	}
	fault := a.faultOf(c, err)
	if fault == nil { // the client is gone and receives no answer
		return c.answer(http.StatusServiceUnavailable, nil)
	}
	h := c.Writer.Header()
	switch {
	case fault.Status == http.StatusUnauthorized:
		challenge(h)
	case fault.Status == http.StatusServiceUnavailable, fault == messages.KeyBusy, fault == messages.TooManyWaits,
		fault.Code == messages.TooManyAtOnce.Code, fault.Code == messages.TooManyExports.Code:
		h.Set("Retry-After", "2")
	}
	document, members := func(w *wire.Writer) { w.Error(fault.Text) }, problemMembers{}
	if more := detailed(nil); errors.As(err, &more) {
		document, members = more.body, more.members()
	}
	faults := []finance.Message{{Fault: fault}}
	if none := (rootMissing{}); errors.As(err, &none) {
		faults[0].Place = "/" + none.root
		var unknown *finance.Invalid
		if errors.As(c.withStray(checked(c.document, nil)), &unknown) {
			faults = append(faults, unknown.Messages...)
		}
	}
	return c.refuse(faults, members, document)
}

// faultOf returns the fault of a request that failed with err, and logs a failure of our own. It
// returns nil if the client is gone.
func (a *API) faultOf(c *call, err error) *messages.Fault {
	if over := c.overMemory(err); over != nil {
		return over
	}
	var fault *messages.Fault
	switch {
	case errors.As(err, &fault):
		return fault
	case errors.Is(err, storage.ErrKeyBusy):
		return messages.KeyBusy
	case errors.Is(err, storage.ErrKeyReused):
		return messages.KeyReused
	case errors.Is(err, blobs.ErrFull):
		a.Log.ErrorContext(c.ctx(), "no space for a file", "request_id", c.requestID, "error", err)
		return messages.StoreFull
	case c.ctx().Err() != nil && !errors.Is(err, errPanic):
		return nil
	case errors.Is(err, blobs.ErrUnavailable), errors.Is(err, blobs.ErrForeign):
		a.Log.ErrorContext(c.ctx(), "file store unavailable", "request_id", c.requestID, "error", err)
		return messages.Unavailable
	case storage.TimedOut(err):
		a.Log.ErrorContext(c.ctx(), "a statement took too long", "request_id", c.requestID, "error", err)
		return messages.TookTooLong
	case storage.Unavailable(err):
		a.Log.ErrorContext(c.ctx(), "database unavailable", "request_id", c.requestID, "error", err)
		return messages.Unavailable
	case !errors.Is(err, errPanic): // it is logged where it was caught
		a.Log.ErrorContext(c.ctx(), "request failed", "request_id", c.requestID, "error", err)
	}
	return messages.Failed.With(c.requestID)
}

func (n noAccount) body(w *wire.Writer) {
	w.Error(n.Error(), func() {
		w.String("status", "unprocessable_entity")
		w.List("account", "accounts", len(n.accounts), func(i int) {
			w.Int("id", n.accounts[i].ID)
			w.String("name", n.accounts[i].Name)
		})
	})
}

func (n noAccount) members() (m problemMembers) {
	for _, a := range n.accounts {
		m.Accounts = append(m.Accounts, namedAccount{accountName{a.ID, a.Name}})
	}
	return m
}

// checked joins the faults that the setters found with the faults of the record's own rules. It
// leaves out a rule about an unreadable attribute, and a rule about an attribute derived from an
// attribute that is unreadable or broke an earlier rule. An amount that was not sent is missing,
// not zero.
func checked(in *wire.Input, err error) error {
	var all finance.Invalid
	for _, m := range in.Messages() {
		attribute := m.Attribute
		// Clients know associations without _id; an external id is none.
		if m.Code != messages.UnknownAttribute.Code && attribute != "external_id" {
			attribute = strings.TrimSuffix(attribute, "_id")
		}
		all.Append(finance.Message{Attribute: attribute, Fault: m.Fault, Place: m.Pointer})
	}
	unread := len(all.Messages)
	var invalid *finance.Invalid
	if !errors.As(placed(in, err), &invalid) {
		if err != nil {
			return err
		}
		return all.Err()
	}
	for k, m := range invalid.Messages {
		wrong := func(attribute string) bool { return all.Has(attribute, unread) || invalid.Has(attribute, k) }
		same := func(known finance.Message) bool {
			if m.Place != "" {
				return known.Place == m.Place
			}
			return known.Attribute == m.Attribute || known.Attribute == in.OtherName(m.Attribute)
		}
		if slices.ContainsFunc(all.Messages[:unread], same) || slices.ContainsFunc(m.From, wrong) {
			continue
		}
		if m.Place == "" && (m.Fault == messages.NotPositive || m.Fault == messages.Zero) {
			if _, sent := in.Pointer(finance.PlaceOf(m.Attribute)); !sent {
				m.Fault = messages.Blank
			}
		}
		all.Append(m)
	}
	return all.Err()
}

// placed returns an error with pointers into the document for the places of a finance.Invalid.
func placed(in *wire.Input, err error) error {
	var invalid *finance.Invalid
	if !errors.As(err, &invalid) {
		return err
	}
	with := finance.Invalid{Messages: slices.Clone(invalid.Messages)}
	for i, m := range with.Messages {
		if m.Place != "" && !strings.HasPrefix(m.Place, "/") {
			with.Messages[i].Place, _ = in.Pointer(m.Place)
		}
	}
	return &with
}
