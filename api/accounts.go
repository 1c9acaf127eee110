package api

import (
	"context"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
)

// accounts are listed without ACCOUNT_ID: clients find the id to choose in this list.
var accounts = resource[finance.Account]{
	root: "account", plural: "accounts",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (list.Page[finance.Account],
		error) {
		return q.Accounts(ctx, c.accountIDs(), l)
	},
	show: func(_ *call, w *wire.Writer, t *finance.Account) {
		if w.XML() { // XML has only these fields
			w.Int("id", t.ID)
			w.String("name", t.Name)
			return
		}
		w.Bool("beta", false)
		w.Bool("blocked", false)
		w.TimePtr("canceled_at", nil)
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
		w.IntPtr("referrer_id", nil)
		w.Bool("sandbox", t.Sandbox)
		w.Time("updated_at", t.UpdatedAt)
		w.String("uuid", t.UUID)
		w.Bool("waiting_payment", false)
	},
}

// accountFields describe a tenant. Fields that nothing sets yet are false or null.
var accountFields = openapi.Fields{
	"beta":                {Doc: alwaysFalse},
	"blocked":             {Doc: alwaysFalse},
	"canceled_at":         {Doc: alwaysNull},
	"cancellation_reason": {Doc: alwaysNull},
	"charging_uuid":       {Doc: alwaysNull},
	"default_currency_id": {Doc: "The currency of its money; 1 is the Brazilian real."},
	"ecommerce_response":  {Doc: alwaysNull},
	"invite":              {Doc: alwaysNull},
	"is_trial":            {Doc: alwaysFalse},
	"name":                {Doc: "Its name.", Example: "Padaria"},
	"payment_method":      {Doc: alwaysNull},
	"plan_slug":           {Doc: "Its plan.", Example: "max"},
	"referral_code":       {Doc: alwaysNull},
	"referrer_id":         {Doc: alwaysNull},
	"sandbox": {Doc: "Whether the account is for tests: its administrators may delete all its records " +
		"(`POST /sandbox/reset`). It never changes."},
	"uuid":            {Doc: "Its id for other systems.", Format: "uuid"},
	"waiting_payment": {Doc: alwaysFalse},
}
