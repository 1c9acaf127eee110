package api

import (
	"net/http"

	"bordero/finance"
	"bordero/internal/wire"
)

// showPermissions tells what the user may do in each of his accounts. It works
// without choosing one.
func (a *API) showPermissions(c *call) error {
	entities, err := a.Store.VisibleEntities(c.ctx(), c.userID)
	if err != nil {
		return err
	}
	below := map[int64][]finance.Entity{} // by account
	for _, e := range entities {
		below[e.AccountID] = append(below[e.AccountID], e)
	}
	return c.send(c.answer(http.StatusOK, func(w *wire.Writer) {
		w.Object("user", func() {
			w.Objects("accounts", "account", len(c.accesses), func(i int) {
				showAccess(w, c.accesses[i], below[c.accesses[i].AccountID])
			})
		})
	}))
}

func showAccess(w *wire.Writer, access finance.Access, entities []finance.Entity) {
	w.Int("id", access.AccountID)
	for _, p := range finance.Permissions {
		w.Bool(string(p), access.Allows(p))
	}
	w.Objects("entities", "entity", len(entities), func(i int) {
		w.Int("id", entities[i].ID)
		w.String("name", entities[i].Name)
	})
}
