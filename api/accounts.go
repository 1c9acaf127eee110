package api

import (
	"context"

	"bordero/finance"
	"bordero/internal/wire"
	"bordero/storage"
)

// accounts are listed without ACCOUNT_ID: clients find the id to choose in this list.
var accounts = resource[finance.Account]{
	root: "account", plural: "accounts", model: "Account",
	list: func(ctx context.Context, q storage.Queries, c *call, l storage.List) (storage.Listed[finance.Account], error) {
		return q.Accounts(ctx, c.userID, l)
	},
	show: func(_ *call, w *wire.Writer, t *finance.Account) {
		if w.XML() { // XML has only these fields
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
	},
}
