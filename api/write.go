package api

import (
	"cmp"
	"context"
	"errors"

	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/wire"
	"bordero/storage"
)

// write reads the document of a write, if any, and runs do in a transaction that shares the entity
// of the path, which then cannot be deleted. The answer is rendered inside the transaction and sent
// after the commit. do may run more than once, so each run must make all its decisions again.
func (a *API) write(c *call, do func(context.Context, *storage.Tx, *wire.Input) (answer, error)) error {
	in, err := c.input()
	if err != nil {
		return err
	}
	return a.writeWithoutDocument(c, func(ctx context.Context, tx *storage.Tx) (answer, error) {
		out, err := do(ctx, tx, in)
		if err == nil {
			err = checked(in, nil) // of attributes that do did not read
		}
		return out, err
	})
}

// writeWithoutDocument is write without a document. A file may have arrived before it, or an endpoint have been called.
func (a *API) writeWithoutDocument(c *call, do func(context.Context, *storage.Tx) (answer, error)) error {
	_, err := a.writeOrRepeat(c, do)
	return err
}

// writeOrRepeat is writeWithoutDocument. It also reports whether the last attempt ran do without an error; it did not
// if the answer of an Idempotency-Key is repeated.
func (a *API) writeOrRepeat(c *call, do func(context.Context, *storage.Tx) (answer, error)) (done bool, err error) {
	if err := c.enter(); err != nil {
		return false, err
	}
	if err := a.renewRights(c); err != nil { // they may be lost while the request waits for a place
		return false, err
	}
	ctx, cancel := c.bounded()
	defer cancel()
	var out answer
	err = a.Store.InTxBelow(ctx, c.scope(), func(tx *storage.Tx, shared bool) (err error) {
		done = false // an attempt before this one was rolled back
		out, err = c.once(ctx, tx, func() (answer, error) {
			if !shared {
				if err := c.shareEntity(ctx, tx); err != nil {
					return answer{}, err
				}
			}
			out, err := do(ctx, tx)
			done = err == nil
			return out, cmp.Or(err, out.unsendable)
		})
		return c.withStray(err)
	})
	if err != nil {
		return done, err
	}
	return done, c.send(out)
}

// shareEntity locks the entity of the path FOR KEY SHARE, and refuses an entity that is being
// deleted.
func (c *call) shareEntity(ctx context.Context, tx *storage.Tx) error {
	if c.entityID == 0 {
		return nil
	}
	e, err := tx.ShareEntity(ctx, c.scope())
	if err != nil {
		return found(err, "entity", c.entityID)
	}
	return e.Writable()
}

// shareEntityByID locks the entity of an account-level record, as shareEntity does. An entity that
// is hidden from the user is refused like a missing one.
func (c *call) shareEntityByID(ctx context.Context, tx *storage.Tx, id int64) error {
	e, err := tx.ShareEntity(ctx, storage.Scope{AccountID: c.access.AccountID, EntityID: id})
	if errors.Is(err, storage.ErrNotFound) || !c.access.CanSee(id) {
		return finance.Refuse("entity", messages.NotExisting)
	}
	if err != nil {
		return err
	}
	return e.Writable()
}
