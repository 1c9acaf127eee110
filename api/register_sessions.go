package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
	"bordero/storage/members"
)

// registerSessions only lists sessions; openRegister and closeRegister make and end them.
var registerSessions = resource[finance.RegisterSession]{
	root: "register_session", plural: "register_sessions",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (
		list.Page[finance.RegisterSession], error) {
		return q.RegisterSessions(ctx, c.scope(), c.pathID("deposit_account_id"), l)
	},
	parent: depositAccountParent,
	show: func(_ *call, w *wire.Writer, s *finance.RegisterSession) {
		w.Int("id", s.ID)
		w.Int("deposit_account_id", s.DepositAccountID)
		showSession(w, s)
	},
}

// openRegister opens the cash register of a deposit account of type 8: 200 with the account. An
// open register is refused.
func (a *API) openRegister(c *call) error {
	return a.register(c, openingFields, func(ctx context.Context, tx *storage.Tx, in *wire.Input,
		d *finance.DepositAccount) error {
		var s finance.RegisterSession
		assignOpening(in, &s)
		if err := c.defaultResponsible(ctx, tx, &s.OpeningResponsibleID, &s.OpeningResponsibleName); err != nil {
			return err
		}
		if err := checked(in, s.Validate()); err != nil {
			return joined(func() error { return err }, func() error { return tx.RegisterConflicts(ctx, d) })
		}
		return tx.OpenRegister(ctx, d, &s)
	})
}

// closeRegister closes the cash register: 200 with the account. A closed register is refused.
func (a *API) closeRegister(c *call) error {
	return a.register(c, closingFields, func(ctx context.Context, tx *storage.Tx, in *wire.Input,
		d *finance.DepositAccount) error {
		s, err := tx.OpenRegisterSession(ctx, d.AccountID, d.ID)
		if errors.Is(err, storage.ErrNotFound) {
			var s finance.RegisterSession
			assignClosing(in, &s)
			err = finance.ErrRegisterClosed
			return joined(func() error { return err }, func() error { return checked(in, s.Validate()) })
		}
		if err != nil {
			return err
		}
		before := registerSessions.rendered(c, s)
		assignClosing(in, s)
		if err := c.defaultResponsible(ctx, tx, &s.ClosingResponsibleID, &s.ClosingResponsibleName); err != nil {
			return err
		}
		if err := checked(in, s.Validate()); err != nil {
			return err
		}
		_, attributes := changedAttributes(before, registerSessions.rendered(c, s))
		return tx.CloseRegister(ctx, d, s, attributes)
	})
}

var (
	openingFields = []string{"opened_at", "opening_responsible_id", "opening_responsible_name"}
	closingFields = []string{"closed_at", "closing_responsible_id", "closing_responsible_name"}
)

// assignOpening assigns the time of an opening, now by default, and the person responsible.
func assignOpening(in *wire.Input, s *finance.RegisterSession) {
	var at *time.Time
	in.Time("opened_at", &at)
	if s.OpenedAt = in.Now; at != nil {
		s.OpenedAt = *at
	}
	in.StringPtr("opening_responsible_id", &s.OpeningResponsibleID)
	in.StringPtr("opening_responsible_name", &s.OpeningResponsibleName)
}

// assignClosing assigns the time of a closing, now by default, and the person responsible. If the clock of the process
// is up to a minute behind that of the process that opened the register, the default is the opening.
func assignClosing(in *wire.Input, s *finance.RegisterSession) {
	if in.Time("closed_at", &s.ClosedAt); s.ClosedAt == nil {
		s.ClosedAt = &in.Now
		if ahead := s.OpenedAt.Sub(in.Now); ahead > 0 && ahead <= time.Minute {
			s.ClosedAt = &s.OpenedAt
		}
	}
	in.StringPtr("closing_responsible_id", &s.ClosingResponsibleID)
	in.StringPtr("closing_responsible_name", &s.ClosingResponsibleName)
}

// defaultResponsible makes the user responsible for an opening or closing without a responsible
// person, by id or by name: the user's id beside another name would be two people.
func (c *call) defaultResponsible(ctx context.Context, tx *storage.Tx, id, name **string) error {
	if *id != nil || *name != nil {
		return nil
	}
	email, err := members.Email(ctx, tx.Queries, c.access.UserID)
	text := strconv.FormatInt(c.access.UserID, 10)
	*id, *name = &text, &email
	return err
}

// register opens or closes a register by move, with the fields that were sent.
func (a *API) register(c *call, fields []string, move func(context.Context, *storage.Tx, *wire.Input,
	*finance.DepositAccount) error) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, in *wire.Input) (answer, error) {
		d, err := depositAccounts.lockForUpdate(ctx, tx, c)
		if err != nil {
			return answer{}, err
		}
		if err := d.Registers(); err != nil {
			return answer{}, err
		}
		in, err = bareOrRooted(in, fields)
		if err != nil {
			return answer{}, err
		}
		if err := move(ctx, tx, in, d); err != nil {
			return answer{}, err
		}
		return depositAccounts.document(c, http.StatusOK, d), depositAccounts.emit(ctx, tx, c, d, finance.Updated)
	})
}

// bareOrRooted returns the fields that were sent, all of which are optional: under the root key of
// a deposit account, or bare. In XML, bare fields are within the root element hash. Other documents
// are refused.
func bareOrRooted(in *wire.Input, fields []string) (*wire.Input, error) {
	if root, ok := in.Root(depositAccounts.root); ok {
		return root, nil
	}
	if in.Empty() || slices.ContainsFunc(fields, in.Has) {
		return in, nil
	}
	return nil, rootMissing{
		messages.NoRoot.Hinted(fmt.Sprintf(messages.BareOrRootedf, strings.Join(fields, ", "), depositAccounts.root)),
		depositAccounts.root}
}

// showSession writes the opening and the closing of a session, or nulls if it is nil.
func showSession(w *wire.Writer, s *finance.RegisterSession) {
	var opened *time.Time
	if s == nil {
		s = &finance.RegisterSession{}
	} else {
		opened = &s.OpenedAt
	}
	w.TimePtr("opened_at", opened)
	w.StringPtr("opening_responsible_id", s.OpeningResponsibleID)
	w.StringPtr("opening_responsible_name", s.OpeningResponsibleName)
	w.TimePtr("closed_at", s.ClosedAt)
	w.StringPtr("closing_responsible_id", s.ClosingResponsibleID)
	w.StringPtr("closing_responsible_name", s.ClosingResponsibleName)
}

const ofResponsible = "The id and e-mail of the user, if neither id nor name is sent; null if only the other is sent."

// registerFields describe a cash register: its deposit account and its last session.
var registerFields = fieldsOf(depositAccountFields, registerSessionFields, openapi.Fields{
	"register_status": {Doc: "Whether a cash register (type 8) is open. Only cash registers have this field and the " +
		"fields of its last session.", Enum: openapi.Enum{Name: "RegisterStatus", Values: finance.RegisterStatuses}},
	"opened_at": {Doc: "When the last session began; null if the register was never opened.",
		In: "A time; now, when absent."},
	"closed_at": {Doc: "When the last session ended; null while the register is open.",
		In: "A time; now, when absent."},
})

var registerSessionFields = openapi.Fields{
	"opened_at": {Doc: "When the register was opened."},
	"opening_responsible_id": {Doc: "The id of the user responsible for the opening, as sent; null if only a name " +
		"was given.", In: ofResponsible},
	"opening_responsible_name": {Doc: "The name of the user responsible for the opening, as sent; null if only an id " +
		"was given.", In: ofResponsible},
	"closed_at": {Doc: "When the register was closed; null while it is open."},
	"closing_responsible_id": {Doc: "The id of the user responsible for the closing, as sent; null if only a name " +
		"was given.", In: ofResponsible},
	"closing_responsible_name": {Doc: "The name of the user responsible for the closing, as sent; null if only an id " +
		"was given.", In: ofResponsible},
}
