package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"bordero/finance"
	"bordero/internal/wire"
	"bordero/storage"
)

// openRegister opens the cash register of a deposit account of type 8: 200 with the account and
// the opening. An open register is refused.
func (a *API) openRegister(c *call) error {
	return a.register(c, func(ctx context.Context, tx *storage.Tx, in *wire.Input, d *finance.DepositAccount) (*finance.RegisterSession, error) {
		id, email := c.responsible()
		at := c.api.now()
		opened := &at
		s := &finance.RegisterSession{
			AccountID: d.AccountID, DepositAccountID: d.ID, OpeningResponsibleID: id, OpeningResponsibleName: email,
		}
		in.Time("opened_at", &opened)
		in.StringPtr("opening_responsible_id", &s.OpeningResponsibleID)
		in.StringPtr("opening_responsible_name", &s.OpeningResponsibleName)
		if opened != nil {
			at = *opened
		}
		s.OpenedAt = at
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
		at := c.api.now()
		s.ClosedAt = &at
		s.ClosingResponsibleID, s.ClosingResponsibleName = c.responsible()
		in.Time("closed_at", &s.ClosedAt)
		in.StringPtr("closing_responsible_id", &s.ClosingResponsibleID)
		in.StringPtr("closing_responsible_name", &s.ClosingResponsibleName)
		if s.ClosedAt == nil {
			s.ClosedAt = &at
		}
		if err := checked(in, s.Validate()); err != nil {
			return nil, err
		}
		return s, tx.CloseRegister(ctx, s)
	})
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
				showDepositAccount(c, w, d)
				showRegisterSession(w, s)
			})
		})
		return out, tx.Emit(ctx, depositAccountEvent(c, d, finance.Updated))
	})
}

func showRegisterSession(w *wire.Writer, s *finance.RegisterSession) {
	w.Time("opened_at", s.OpenedAt)
	w.StringPtr("opening_responsible_id", s.OpeningResponsibleID)
	w.StringPtr("opening_responsible_name", s.OpeningResponsibleName)
	w.TimePtr("closed_at", s.ClosedAt)
	w.StringPtr("closing_responsible_id", s.ClosingResponsibleID)
	w.StringPtr("closing_responsible_name", s.ClosingResponsibleName)
}
