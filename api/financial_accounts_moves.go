package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/wire"
	"bordero/storage"
)

// maxSelected is the most records that a selection may name.
const maxSelected = 1000

// settling returns r with an update that pays or receives an account. It reads only the fields
// of assignSettlement.
func settling(r resource[finance.FinancialAccount]) resource[finance.FinancialAccount] {
	r.assign, r.validate = assignSettlement, (*finance.FinancialAccount).Settle
	r.refer = func(_ context.Context, _ *storage.Tx, _ *call, f *finance.FinancialAccount, before finance.FinancialAccount) error {
		return f.ValidateChange(before)
	}
	return r
}

// reopening returns r with an update that undoes a payment or a receipt. It reads no fields.
func reopening(r resource[finance.FinancialAccount]) resource[finance.FinancialAccount] {
	r.rootless = true
	r.assign = func(*wire.Input, *finance.FinancialAccount, time.Time) {}
	r.validate, r.refer = (*finance.FinancialAccount).Reopen, nil
	return r
}

// destroySeries removes the accounts of a series, except reconciled ones: 200, empty.
func (a *API) destroySeries(k accountKind, r resource[finance.FinancialAccount]) func(*call) error {
	r.lock = func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.FinancialAccount, error) {
		return tx.LockSeriesForDelete(ctx, c.scope(), k.AccountKind, id)
	}
	return func(c *call) error {
		return a.write(c, func(ctx context.Context, tx *storage.Tx, _ *wire.Input) (answer, error) {
			f, err := r.lockForUpdate(ctx, tx, c)
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

// destroySelected removes the accounts that selected_ids names, all or none: 200, empty.
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

// selected returns the selected_ids of the query or, because some clients send them there, of
// the body. It refuses none, and more than maxSelected.
func (c *call) selected(body *wire.Input) ([]int64, error) {
	const name = "selected_ids"
	in, err := wire.Read("application/x-www-form-urlencoded", []byte(c.Request.URL.RawQuery))
	if err != nil {
		return nil, err
	}
	if !in.Has(name) {
		in = body
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
		err = finance.Refuse(name, fmt.Sprintf(messages.TooManyItemsf, maxSelected))
	}
	return ids, checked(in, err)
}
