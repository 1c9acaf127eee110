package api

import (
	"net/http"

	"bordero/internal/wire"
)

// listAccounts lists the user's accounts. It works without choosing one: clients
// call it to find the id to choose.
func (a *API) listAccounts(c *call) error {
	accounts, err := a.Store.Accounts(c.ctx(), c.userID)
	if err != nil {
		return err
	}
	return c.send(c.answer(http.StatusOK, func(w *wire.Writer) {
		w.List("account", "accounts", len(accounts), func(i int) {
			t := accounts[i]
			if w.XML() { // spec.md, Account: the XML list carries no more
				w.Int("id", t.ID)
				w.String("name", t.Name)
				return
			}
			w.Bool("beta", false)
			w.Bool("blocked", false)
			w.Null("canceled_at")
			w.Null("cancellation_reason")
			w.Null("charging_uuid")
			w.Time("created_at", t.CreatedAt)
			w.Int("default_currency_id", t.DefaultCurrencyID)
			w.Null("ecommerce_response")
			w.Int("id", t.ID)
			w.Null("invite")
			w.Bool("is_trial", false)
			w.String("name", t.Name)
			w.Null("payment_method")
			w.String("plan_slug", t.PlanSlug)
			w.Null("referral_code")
			w.Null("referrer_id")
			w.Time("updated_at", t.UpdatedAt)
			w.String("uuid", t.UUID)
			w.Bool("waiting_payment", false)
		})
	}))
}
