package api

import (
	"net/http"
	"slices"

	"bordero/finance"
	"bordero/internal/wire"
)

// showPermissions returns the rights of the token in each account of its user. It works
// without choosing one.
func (a *API) showPermissions(c *call) error {
	entities, err := a.Store.VisibleEntities(c.ctx(), c.userID)
	if err != nil {
		return err
	}
	return c.send(c.answer(http.StatusOK, func(w *wire.Writer) {
		w.Object("user", func() {
			w.Objects("accounts", "account", len(c.accesses), func(i int) {
				access := c.accesses[i]
				showAccess(w, access, slices.DeleteFunc(slices.Clone(entities), func(e finance.Entity) bool {
					return e.AccountID != access.AccountID || !access.CanSee(e.ID)
				}))
			})
		})
	}))
}

func showAccess(w *wire.Writer, access finance.Access, entities []finance.Entity) {
	w.Int("id", access.AccountID)
	for _, p := range finance.Permissions {
		w.Bool(string(p), access.Allows(p))
	}
	w.Bool("read_only", access.ReadOnly)
	w.Objects("entities", "entity", len(entities), func(i int) {
		w.Int("id", entities[i].ID)
		w.String("name", entities[i].Name)
	})
}
