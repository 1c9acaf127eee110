package api

import (
	"context"

	"bordero/internal/wire"
	"bordero/storage"
)

// write is the way of every write: it reads the document, and runs do in a
// transaction that holds the entity of the path against its deletion. The answer
// is rendered inside the transaction and sent after its commit. do may run more
// than once, so all that it decides, it decides there.
func (a *API) write(c *call, do func(context.Context, *storage.Tx, *wire.Input) (answer, error)) error {
	in, err := c.input()
	if err != nil {
		return err
	}
	return a.keep(c, func(ctx context.Context, tx *storage.Tx) (answer, error) { return do(ctx, tx, in) })
}

// keep is write without a document.
func (a *API) keep(c *call, do func(context.Context, *storage.Tx) (answer, error)) error {
	var out answer
	err := a.Store.InTx(c.ctx(), func(tx *storage.Tx) error {
		if err := c.holdEntity(tx); err != nil {
			return err
		}
		var err error
		out, err = do(c.ctx(), tx)
		return err
	})
	if err != nil {
		return err
	}
	return c.send(out)
}

// holdEntity holds the entity that the path names until the transaction ends,
// and refuses one that is being deleted.
func (c *call) holdEntity(tx *storage.Tx) error {
	if c.entityID == 0 {
		return nil
	}
	e, err := tx.LockEntity(c.ctx(), c.scope())
	if err != nil {
		return found(err, "Entity", c.entityID)
	}
	return e.Writable()
}
