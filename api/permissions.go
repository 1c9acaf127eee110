package api

import (
	"net/http"
	"slices"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/wire"
)

// showPermissions returns the rights of the token in each account that it opens. It works
// without choosing one.
func (a *API) showPermissions(c *call) error {
	entities, err := a.Store.VisibleEntities(c.ctx(), c.userID, c.accountIDs())
	if err != nil {
		return err
	}
	u := user{Accesses: c.accesses, Entities: entities}
	return c.send(c.answer(http.StatusOK, func(w *wire.Writer) {
		w.Object("user", func() { showUser(c, w, &u) })
	}))
}

// user has the rights of a token in each account that it opens, and the entities that it may use.
type user struct {
	Accesses []finance.Access
	Entities []finance.Entity
}

func showUser(_ *call, w *wire.Writer, u *user) {
	w.Objects("accounts", "account", len(u.Accesses), func(i int) {
		access := u.Accesses[i]
		showAccess(w, access, slices.DeleteFunc(slices.Clone(u.Entities), func(e finance.Entity) bool {
			return e.AccountID != access.AccountID || !access.CanSee(e.ID)
		}))
	})
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

var permissionFields = openapi.Fields{
	"accounts":                        {Doc: "The accounts that the token opens, by id."},
	"accounts.financial_transactions": {Doc: "Whether the token may see transactions and statements."},
	"accounts.payable_accounts":       {Doc: "Whether the token may see payable accounts."},
	"accounts.receivable_accounts":    {Doc: "Whether the token may see receivable accounts and sales."},
	"accounts.credit_cards":           {Doc: "Whether the token may see credit cards."},
	"accounts.cash_flows":             {Doc: "Whether the token may see cash flows."},
	"accounts.budgets":                {Doc: "Whether the token may see budgets."},
	"accounts.bank_slips":             {Doc: "A permission that nothing asks for yet."},
	"accounts.read_only":              {Doc: "Whether the token may only GET and HEAD."},
	"accounts.entities":               {Doc: "The entities that the token may see."},
}
