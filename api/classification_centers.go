package api

import (
	"context"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
)

var classificationCenters = resource[finance.ClassificationCenter]{
	root: "classification_center", plural: "classification_centers",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (
		list.Page[finance.ClassificationCenter], error) {
		return q.ClassificationCenters(ctx, c.access, l)
	},
	find: func(ctx context.Context, q storage.Queries, c *call, id int64) (*finance.ClassificationCenter, error) {
		return q.ClassificationCenter(ctx, c.access, id)
	},
	lock: func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.ClassificationCenter, error) {
		z, err := tx.LockClassificationCenter(ctx, c.access, id)
		if err != nil {
			return nil, err
		}
		return z, c.shareEntityByID(ctx, tx, z.EntityID)
	},
	newRecord: func(c *call) *finance.ClassificationCenter {
		return &finance.ClassificationCenter{AccountID: c.access.AccountID, CostCenter: true, RevenueCenter: true}
	},
	assign: func(in *wire.Input, z *finance.ClassificationCenter) {
		in.Int("entity_id", &z.EntityID)
		assignExternalID(in, &z.ExternalID)
		in.String("name", &z.Name)
		in.BoolOr("cost_center", &z.CostCenter, !in.Changes)
		in.BoolOr("revenue_center", &z.RevenueCenter, !in.Changes)
	},
	validate: (*finance.ClassificationCenter).Validate,
	identity: func(c *call, z *finance.ClassificationCenter) identity {
		if !c.access.CanSee(z.EntityID) { // lockReferences refuses it; a claim would tell if the id is taken
			return identity{}
		}
		scope := storage.Scope{AccountID: z.AccountID, EntityID: z.EntityID}
		return identity{storage.CenterIDs, scope, z.ID, z.ExternalID}
	},
	lockReferences: func(ctx context.Context, tx *storage.Tx, c *call, z *finance.ClassificationCenter,
		before finance.ClassificationCenter) error {
		if err := c.shareEntityByID(ctx, tx, z.EntityID); err != nil || z.ID == 0 || z.EntityID == before.EntityID {
			return err
		}
		return finance.Refuse("entity", messages.Unchangeable)
	},
	insert: (*storage.Tx).InsertClassificationCenters,
	update: (*storage.Tx).UpdateClassificationCenter,
	remove: (*storage.Tx).RemoveClassificationCenter,
	referred: func(z *finance.ClassificationCenter) (string, []int64) {
		return "classification_center_id", []int64{z.ID}
	},
	events: func(_ *call, z *finance.ClassificationCenter, action finance.Action) []finance.Event {
		return []finance.Event{{
			Family: finance.ClassificationCentersFamily, Action: action,
			AccountID: z.AccountID, EntityID: z.EntityID, IDs: []int64{z.ID},
		}}
	},
	show: func(_ *call, w *wire.Writer, z *finance.ClassificationCenter) {
		w.Int("id", z.ID)
		w.StringPtr("external_id", z.ExternalID)
		w.Int("account_id", z.AccountID)
		w.Int("entity_id", z.EntityID)
		w.String("name", z.Name)
		w.Bool("cost_center", z.CostCenter)
		w.Bool("revenue_center", z.RevenueCenter)
		w.Int("use_count", z.UseCount)
		showSource(w)
		w.Time("created_at", z.CreatedAt)
		w.Time("updated_at", z.UpdatedAt)
	},
	path: func(_ *call, z *finance.ClassificationCenter) string { return paths.ClassificationCenter(z.ID) },
}

var classificationCenterFields = openapi.Fields{
	"name":           {Doc: "Its name.", Example: "Loja da praça"},
	"cost_center":    {Doc: "Whether costs are assigned to it."},
	"revenue_center": {Doc: "Whether revenue is assigned to it."},
}
