package api

import (
	"context"
	"net/http"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/wire"
	"bordero/storage"
)

// destroyEntity starts the deletion of an entity and everything below it. The answer is 202 and
// empty, also for an entity that is already being deleted.
func (a *API) destroyEntity(c *call) error {
	scope := c.scope()
	c.entityID = 0 // LockEntityForDelete replaces the lock for writes below the entity
	return a.write(c, func(ctx context.Context, tx *storage.Tx, in *wire.Input) (answer, error) {
		e, err := tx.LockEntityForDelete(ctx, scope)
		if err != nil {
			return answer{}, found(err, entities.root, scope.EntityID)
		}
		if err := c.match(entities.root, func(w *wire.Writer) { entities.show(c, w, e) }); err != nil {
			return answer{}, err
		}
		accepted := c.answer(http.StatusAccepted, nil)
		if e.DeletedAt != nil {
			return accepted, nil
		}
		forced, err := c.forceDestroy(in, e.ForceDestroy)
		if err != nil {
			return answer{}, err
		}
		if !forced {
			contents, err := tx.EntityContents(ctx, scope)
			if err != nil {
				return answer{}, err
			}
			if err := contents.Removable(); err != nil {
				return answer{}, err
			}
		}
		if err := tx.RemoveEntity(ctx, e); err != nil {
			return answer{}, err
		}
		return accepted, entities.emit(ctx, tx, c, e, finance.Destroyed)
	})
}

// forceDestroy returns the force_destroy of the query or, without it, that of the document: below
// entity, below hash in XML, or without a root. Without both it returns the attribute of the
// record.
func (c *call) forceDestroy(in *wire.Input, attribute bool) (bool, error) {
	const name = "force_destroy"
	forced := attribute
	in.Bool(name, &forced)
	for _, key := range []string{"hash", entities.root} {
		if root, ok := in.Root(key); ok {
			root.Bool(name, &forced)
		}
	}
	if err := c.readableQuery(); err != nil {
		return false, err
	}
	if text, sent := c.GetQuery(name); sent {
		switch text {
		case "true", "1":
			forced = true
		case "false", "0", "":
			forced = false
		default:
			return false, finance.Refuse(name, messages.NotBoolean)
		}
	}
	return forced, checked(in, nil)
}

// showEntityDeletion answers with the progress of the deletion of an entity: 200. If the entity is
// not being deleted, the answer is its 404.
func (a *API) showEntityDeletion(c *call) error {
	d, err := a.Store.EntityDeletion(c.ctx(), c.scope())
	if err != nil {
		return found(err, entities.root, c.entityID)
	}
	return c.send(rootless(c, http.StatusOK, showDeletion, d))
}

func showDeletion(c *call, w *wire.Writer, d *storage.Deletion) {
	w.Int("entity_id", c.entityID)
	w.Time("started_at", d.StartedAt)
	w.Objects("kinds", "kind", len(d.Kinds), func(i int) {
		w.String("kind", d.Kinds[i].Kind)
		w.Int("deleted", d.Kinds[i].Deleted)
		w.Int("left", d.Kinds[i].Left)
	})
}

var entityDeletionFields = openapi.Fields{
	"entity_id":     {Doc: "The entity."},
	"kinds":         {Doc: "Its rows by table."},
	"kinds.kind":    {Doc: "The rows' table: `sales`, `financial_transactions`, …"},
	"kinds.deleted": {Doc: "Number of deleted rows."},
	"kinds.left":    {Doc: "Approximate number of remaining rows."},
}
