package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/wire"
	"bordero/storage"
)

// openRegister opens the cash register of a deposit account of type 8: 200 with the account and
// the opening. An open register is refused.
func (a *API) openRegister(c *call) error {
	return a.register(c, func(ctx context.Context, tx *storage.Tx, in *wire.Input, d *finance.DepositAccount) (*finance.RegisterSession, error) {
		id, email := c.responsible()
		s := &finance.RegisterSession{
			AccountID: d.AccountID, DepositAccountID: d.ID, OpeningResponsibleID: id, OpeningResponsibleName: email,
		}
		assignOpening(in, s)
		if err := checked(in, nil); err != nil {
			return nil, err
		}
		return s, tx.OpenRegister(ctx, s)
	})
}

// closeRegister closes the cash register: 200 with the account, its opening and its closing. A
// closed register is refused.
func (a *API) closeRegister(c *call) error {
	return a.register(c, func(ctx context.Context, tx *storage.Tx, in *wire.Input, d *finance.DepositAccount) (*finance.RegisterSession, error) {
		s, err := tx.OpenRegisterSession(ctx, d.AccountID, d.ID)
		if errors.Is(err, storage.ErrNotFound) {
			err = finance.ErrRegisterClosed
		}
		if err != nil {
			return nil, err
		}
		s.ClosingResponsibleID, s.ClosingResponsibleName = c.responsible()
		assignClosing(in, s)
		if err := checked(in, s.Validate()); err != nil {
			return nil, err
		}
		return s, tx.CloseRegister(ctx, s)
	})
}

// assignOpening assigns when a register was opened, now by default, and by whom.
func assignOpening(in *wire.Input, s *finance.RegisterSession) {
	var at *time.Time
	in.Time("opened_at", &at)
	if s.OpenedAt = in.Now; at != nil {
		s.OpenedAt = *at
	}
	in.StringPtr("opening_responsible_id", &s.OpeningResponsibleID)
	in.StringPtr("opening_responsible_name", &s.OpeningResponsibleName)
}

// assignClosing assigns when a register was closed, now by default, and by whom.
func assignClosing(in *wire.Input, s *finance.RegisterSession) {
	if in.Time("closed_at", &s.ClosedAt); s.ClosedAt == nil {
		s.ClosedAt = &in.Now
	}
	in.StringPtr("closing_responsible_id", &s.ClosingResponsibleID)
	in.StringPtr("closing_responsible_name", &s.ClosingResponsibleName)
}

// responsible returns the user: by default the person responsible for an opening or closing.
func (c *call) responsible() (id, name *string) {
	text := strconv.FormatInt(c.access.UserID, 10)
	return &text, &c.access.UserEmail
}

func (a *API) register(c *call, move func(context.Context, *storage.Tx, *wire.Input, *finance.DepositAccount) (*finance.RegisterSession, error)) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, in *wire.Input) (answer, error) {
		d, err := depositAccounts.lockForUpdate(ctx, tx, c)
		if err != nil {
			return answer{}, err
		}
		if err := d.Registers(); err != nil {
			return answer{}, err
		}
		root, _ := in.Root(depositAccounts.root) // every field is optional, the root too
		s, err := move(ctx, tx, root, d)
		if err != nil {
			return answer{}, err
		}
		out := c.answer(http.StatusOK, func(w *wire.Writer) {
			w.Object(depositAccounts.root, func() {
				showRegister(c, w, &register{*d, *s})
			})
		})
		return out, depositAccounts.emit(ctx, tx, c, d, finance.Updated)
	})
}

// register is a cash register in an answer: its account and its last session.
type register struct {
	Account finance.DepositAccount
	Session finance.RegisterSession
}

func showRegister(c *call, w *wire.Writer, r *register) {
	showDepositAccount(c, w, &r.Account)
	s := &r.Session
	w.Time("opened_at", s.OpenedAt)
	w.StringPtr("opening_responsible_id", s.OpeningResponsibleID)
	w.StringPtr("opening_responsible_name", s.OpeningResponsibleName)
	w.TimePtr("closed_at", s.ClosedAt)
	w.StringPtr("closing_responsible_id", s.ClosingResponsibleID)
	w.StringPtr("closing_responsible_name", s.ClosingResponsibleName)
}

// registerFields describe a cash register: its deposit account and its last session.
var registerFields = fieldsOf(depositAccountFields, openapi.Fields{
	"opened_at":                {Doc: "When it was opened.", In: "A time; now, when absent."},
	"opening_responsible_id":   {Doc: "Who opened it.", In: "The user's id, when absent."},
	"opening_responsible_name": {Doc: "The name of who opened it.", In: "The user's e-mail, when absent."},
	"closed_at":                {Doc: "When it was closed; null while it is open.", In: "A time; now, when absent."},
	"closing_responsible_id":   {Doc: "Who closed it.", In: "The user's id, when absent."},
	"closing_responsible_name": {Doc: "The name of who closed it.", In: "The user's e-mail, when absent."},
})
