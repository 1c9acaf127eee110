package api

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/wire"
	"bordero/storage"
)

// maxSelected is the maximum number of records in a selection.
const maxSelected = 1000

// settleAccount pays or receives an account: 200 with the account. It reads only the date and the
// amounts of the document.
func (a *API) settleAccount(r resource[finance.FinancialAccount]) func(*call) error {
	return func(c *call) error {
		return a.write(c, func(ctx context.Context, tx *storage.Tx, in *wire.Input) (answer, error) {
			f, err := r.lockForUpdate(ctx, tx, c)
			if err != nil {
				return answer{}, err
			}
			root, ok := in.Root(r.root)
			if !ok {
				return answer{}, c.noRoot(r.root)
			}
			before := *f
			assignAccountSettlement(root, f)
			if err := joined(
				func() error { return checked(in, f.Settle()) },
				func() error { return f.ValidateChange(before) },
			); err != nil {
				return answer{}, err
			}
			return r.updated(ctx, tx, c, f, withBody)
		})
	}
}

// reopenAccount undoes a payment or a receipt: 200 with the account. It reads no fields.
func (a *API) reopenAccount(r resource[finance.FinancialAccount]) func(*call) error {
	return func(c *call) error {
		return a.write(c, func(ctx context.Context, tx *storage.Tx, _ *wire.Input) (answer, error) {
			f, err := r.lockForUpdate(ctx, tx, c)
			if err != nil {
				return answer{}, err
			}
			if err := f.Reopen(); err != nil {
				return answer{}, err
			}
			return r.updated(ctx, tx, c, f, withBody)
		})
	}
}

// destroySeries removes the accounts of a series, except reconciled ones: 200, empty.
func (a *API) destroySeries(k accountKind, r resource[finance.FinancialAccount]) func(*call) error {
	lock := func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.FinancialAccount, error) {
		return tx.LockSeriesForDelete(ctx, c.scope(), k.AccountKind, id)
	}
	return func(c *call) error {
		return a.write(c, func(ctx context.Context, tx *storage.Tx, _ *wire.Input) (answer, error) {
			f, err := r.lockBy(ctx, tx, c, lock)
			if err != nil {
				return answer{}, err
			}
			if f.RecurrenceID == nil {
				return answer{}, finance.Refuse(finance.Base, messages.NoSeries)
			}
			ids, err := tx.RemoveSeries(ctx, f)
			if err != nil {
				return answer{}, err
			}
			return c.answer(http.StatusOK, nil), tx.Emit(ctx, k.event(f, finance.Destroyed, ids...))
		})
	}
}

// destroySelected removes all accounts in selected_ids, or refuses them all: 200, empty.
func (a *API) destroySelected(k accountKind) func(*call) error {
	return func(c *call) error {
		return a.write(c, func(ctx context.Context, tx *storage.Tx, in *wire.Input) (answer, error) {
			// A selection has no version: any If-Match but * is refused.
			if err := c.match(k.root(), func(*wire.Writer) {}); err != nil {
				return answer{}, err
			}
			ids, err := c.selected(in)
			if err != nil {
				return answer{}, err
			}
			if err := tx.RemoveFinancialAccounts(ctx, c.scope(), k.AccountKind, ids); err != nil {
				return answer{}, err
			}
			of := &finance.FinancialAccount{AccountID: c.access.AccountID, EntityID: c.entityID}
			return c.answer(http.StatusOK, nil), tx.Emit(ctx, k.event(of, finance.Destroyed, ids...))
		})
	}
}

// selectedIDs are the ids of records that go together.
const selectedIDs = "selected_ids"

// selected returns the selected_ids of the query or, because some clients send them there, of the
// body. It refuses an empty selection, and more than maxSelected ids.
func (c *call) selected(body *wire.Input) ([]int64, error) {
	const name = selectedIDs
	in, err := wire.Read("application/x-www-form-urlencoded", []byte(c.Request.URL.RawQuery))
	if err != nil {
		return nil, err
	}
	if !in.Has(name) {
		in = body
	} else if c.stray.Has(name, len(c.stray.Messages)) { // sent twice, which is refused already: any form will do
		all := slices.Concat(c.QueryArray(name), c.QueryArray(name+"[]"))
		if in, err = wire.Form(url.Values{name: {strings.Join(all, ",")}}); err != nil {
			return nil, err
		}
	}
	root, ok := in.Root("hash")
	if !ok {
		root = in
	}
	var ids []int64
	root.IDs(name, &ids)
	switch {
	case len(ids) == 0:
		err = finance.Refuse(name, messages.Blank)
	case len(ids) > maxSelected:
		err = finance.Refuse(name, messages.TooManyItems.With(maxSelected))
	}
	return ids, checked(in, err)
}
