package api

import (
	"slices"
	"strconv"

	"bordero/finance"
	"bordero/internal/messages"
	"bordero/storage"
	"bordero/storage/list"
	"bordero/storage/reports"
)

// readReport reads a report on the entities of the call in one snapshot, once all parameters are right:
// invalid has the faults of the report's own.
func (c *call) readReport(invalid finance.Invalid, read func(*storage.Tx, reports.Scope) error) error {
	if err := invalid.Join(c.bodyFaults()); err != nil {
		return err
	}
	if c.sheet != nil {
		if err := c.beginExport(); err != nil {
			return err
		}
	}
	return c.api.Store.InSnapshot(c.ctx(), func(tx *storage.Tx) error {
		entities, unknown := c.reportEntities(tx.Queries)
		if err := invalid.Join(unknown); err != nil {
			return err
		}
		if err := c.withStray(invalid.Err()); err != nil {
			return err
		}
		return read(tx, c.reportScope(entities))
	})
}

// reportEntities returns the entities of a report: the entity of the path or, on a path without one, the
// entities that the user sees and that are not being deleted, narrowed by the parameter entities. An id that is not
// among them is refused.
func (c *call) reportEntities(q storage.Queries) ([]finance.Entity, error) {
	if c.entityID != 0 {
		e, err := q.Entity(c.ctx(), c.scope())
		if err != nil {
			return nil, found(err, entities.root, c.entityID)
		}
		return []finance.Entity{*e}, nil
	}
	all, err := q.VisibleEntities(c.ctx(), c.userID, []int64{c.access.AccountID})
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(e finance.Entity) bool { return e.DeletedAt != nil || !c.access.CanSee(e.ID) })
	text, narrowed := c.getParameter(entitiesParameter)
	if !narrowed {
		return all, nil
	}
	ids, err := list.IDs.Parse(text)
	if err != nil {
		return nil, finance.Refuse(entitiesParameter, messages.FaultOf(err))
	}
	var asked []finance.Entity
	var invalid finance.Invalid
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids.([]int64)))) {
		i := slices.IndexFunc(all, func(e finance.Entity) bool { return e.ID == id })
		if i < 0 {
			invalid.AddNamed(entitiesParameter, entitiesParameter, messages.IDsNotExisting, strconv.FormatInt(id, 10))
			continue
		}
		asked = append(asked, all[i])
	}
	return asked, invalid.Err()
}

// entitiesParameter narrows a report over the entities of an account.
const entitiesParameter = "entities"

// reportScope returns the scope of a report on entities.
func (c *call) reportScope(all []finance.Entity) reports.Scope {
	s := reports.Scope{AccountID: c.access.AccountID}
	for _, e := range all {
		s.EntityIDs = append(s.EntityIDs, e.ID)
	}
	return s
}
