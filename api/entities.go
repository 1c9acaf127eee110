package api

import (
	"cmp"
	"context"
	"net/http"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
)

var entities = resource[finance.Entity]{
	root: "entity", plural: "entities",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (list.Page[finance.Entity],
		error) {
		return q.Entities(ctx, c.access, l)
	},
	find: func(ctx context.Context, q storage.Queries, c *call, _ int64) (*finance.Entity, error) {
		return q.Entity(ctx, c.scope())
	},
	lock: func(ctx context.Context, tx *storage.Tx, c *call, _ int64) (*finance.Entity, error) {
		return tx.LockEntity(ctx, c.scope())
	},
	newRecord: func(c *call) *finance.Entity {
		e := finance.NewEntity(c.access.AccountID, "")
		return &e
	},
	assign: func(in *wire.Input, e *finance.Entity) {
		in.String("name", &e.Name)
		in.StringPtr("federation_subscription_number", &e.FederationSubscriptionNumber)
		in.Bool("force_destroy", &e.ForceDestroy)
		assignLateCharges(in, &e.LateCharges)
	},
	validate: (*finance.Entity).Validate,
	// force_destroy turns off the checks that refuse a deletion.
	lockReferences: func(_ context.Context, _ *storage.Tx, c *call, e *finance.Entity, before finance.Entity) error {
		if e.ForceDestroy != before.ForceDestroy && !c.access.Administrator {
			return messages.Forbidden.Hinted(messages.NeedsForceDestroy)
		}
		return nil
	},
	insert: inTurn((*storage.Tx).InsertEntity),
	update: (*storage.Tx).UpdateEntity,
	show: func(_ *call, w *wire.Writer, e *finance.Entity) {
		w.Int("id", e.ID)
		w.Int("account_id", e.AccountID)
		w.String("name", e.Name)
		w.StringPtr("federation_subscription_number", e.FederationSubscriptionNumber)
		w.Bool("force_destroy", e.ForceDestroy)
		showLateCharges(w, e.LateCharges)
		w.Time("created_at", e.CreatedAt)
		w.Time("updated_at", e.UpdatedAt)
		w.TimePtr("deleted_at", e.DeletedAt)
	},
	events: func(_ *call, e *finance.Entity, action finance.Action) []finance.Event {
		return []finance.Event{{Family: finance.EntitiesFamily, Action: action, AccountID: e.AccountID, EntityID: e.ID,
			IDs: []int64{e.ID}}}
	},
	path: func(_ *call, e *finance.Entity) string { return paths.Entity(e.ID) },
}

// newEntity answers with the template of an entity: defaults, everything else null.
func (a *API) newEntity(c *call) error {
	return c.send(c.answer(http.StatusOK, func(w *wire.Writer) {
		w.Object(entities.root, func() { showEntityTemplate(c, w, &c.access) })
	}))
}

func showEntityTemplate(_ *call, w *wire.Writer, a *finance.Access) {
	w.IntPtr("id", nil)
	w.Int("account_id", a.AccountID)
	w.Null("name")
	w.Null("federation_subscription_number")
	w.Bool("force_destroy", false)
	showLateCharges(w, finance.DefaultLateCharges)
	w.TimePtr("created_at", nil)
	w.TimePtr("updated_at", nil)
	w.TimePtr("deleted_at", nil)
}

// assignLateCharges reads the bounds of late charges; null restores the default of one.
func assignLateCharges(in *wire.Input, l *finance.LateCharges) {
	fine, interest := &l.SuggestedFinePercentage, &l.SuggestedMonthlyInterestPercentage
	wire.DecodeIntoPtr(in, "suggested_fine_percentage", &fine)
	wire.DecodeIntoPtr(in, "suggested_monthly_interest_percentage", &interest)
	l.SuggestedFinePercentage = *cmp.Or(fine, &finance.DefaultLateCharges.SuggestedFinePercentage)
	l.SuggestedMonthlyInterestPercentage = *cmp.Or(interest,
		&finance.DefaultLateCharges.SuggestedMonthlyInterestPercentage)
}

func showLateCharges(w *wire.Writer, l finance.LateCharges) {
	wire.Decimal(w, "suggested_fine_percentage", l.SuggestedFinePercentage)
	wire.Decimal(w, "suggested_monthly_interest_percentage", l.SuggestedMonthlyInterestPercentage)
}

var entityFields = openapi.Fields{
	"name": {Doc: "Its name.", Example: "Padaria da Praça Ltda."},
	"federation_subscription_number": {
		Doc: "CPF or CNPJ, as typed.",
		In: "A CPF or a CNPJ, the alphanumeric one too, valid by its check digits, with or without punctuation. " +
			"Blank is null. " +
			"Stored as typed, searched by its letters and digits.",
		Example: "12.ABC.345/01DE-35",
	},
	"suggested_fine_percentage": {
		Doc: "The highest fine for a late payment that suggestions of reconciliation expect.",
		In:  "0 to 100; 2 where absent on creation, or null.", Format: "percentage", Example: "2.0"},
	"suggested_monthly_interest_percentage": {
		Doc: "The highest interest for each month of a late payment that suggestions of reconciliation expect.",
		In:  "0 to 100; 1 where absent on creation, or null.", Format: "percentage", Example: "1.0"},
	"deleted_at": {Doc: "When the deletion was requested; only while the deletion is pending."},
}
