package api

import (
	"context"

	"bordero/api/openapi"
	"bordero/finance"
	"bordero/internal/paths"
	"bordero/internal/wire"
	"bordero/storage"
	"bordero/storage/list"
)

var customClassifiers = resource[finance.CustomClassifier]{
	root: "custom_classifier", plural: "custom_classifiers",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (
		list.Page[finance.CustomClassifier], error) {
		return q.CustomClassifiers(ctx, c.access.AccountID, l)
	},
	find: func(ctx context.Context, q storage.Queries, c *call, id int64) (*finance.CustomClassifier, error) {
		return q.CustomClassifier(ctx, c.access.AccountID, id)
	},
	lock: func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.CustomClassifier, error) {
		return tx.LockCustomClassifier(ctx, c.access.AccountID, id)
	},
	newRecord: func(c *call) *finance.CustomClassifier {
		return &finance.CustomClassifier{AccountID: c.access.AccountID}
	},
	assign:    func(in *wire.Input, k *finance.CustomClassifier) { in.String("name", &k.Name) },
	validate:  (*finance.CustomClassifier).Validate,
	conflicts: (*storage.Tx).CustomClassifierConflicts,
	insert:    inTurn((*storage.Tx).InsertCustomClassifier),
	update:    (*storage.Tx).UpdateCustomClassifier,
	remove:    (*storage.Tx).RemoveCustomClassifier,
	show: func(_ *call, w *wire.Writer, k *finance.CustomClassifier) {
		w.Int("id", k.ID)
		w.Int("account_id", k.AccountID)
		w.String("name", k.Name)
		w.Time("created_at", k.CreatedAt)
		w.Time("updated_at", k.UpdatedAt)
	},
	events: func(_ *call, k *finance.CustomClassifier, action finance.Action) []finance.Event {
		return []finance.Event{{Family: finance.CustomClassifiersFamily, Action: action, AccountID: k.AccountID,
			IDs: []int64{k.ID}}}
	},
	path: func(_ *call, k *finance.CustomClassifier) string { return paths.CustomClassifier(k.ID) },
}

var customClassifierValues = resource[finance.CustomClassifierValue]{
	root: "custom_classifier_value", plural: "custom_classifier_values",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (
		list.Page[finance.CustomClassifierValue], error) {
		return q.CustomClassifierValues(ctx, c.access.AccountID, c.pathID("custom_classifier_id"), l)
	},
	find: func(ctx context.Context, q storage.Queries, c *call, id int64) (*finance.CustomClassifierValue, error) {
		return q.CustomClassifierValue(ctx, c.access.AccountID, c.pathID("custom_classifier_id"), id)
	},
	parent: parent{
		check: func(ctx context.Context, q storage.Queries, c *call) error {
			id := c.pathID("custom_classifier_id")
			_, err := q.CustomClassifier(ctx, c.access.AccountID, id)
			return found(err, customClassifiers.root, id)
		},
		lock: func(ctx context.Context, tx *storage.Tx, c *call) error {
			id := c.pathID("custom_classifier_id")
			return found(tx.ShareCustomClassifier(ctx, c.access.AccountID, id), customClassifiers.root, id)
		},
	},
	lock: func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.CustomClassifierValue, error) {
		return tx.LockCustomClassifierValue(ctx, c.access.AccountID, c.pathID("custom_classifier_id"), id)
	},
	newRecord: func(c *call) *finance.CustomClassifierValue {
		return &finance.CustomClassifierValue{AccountID: c.access.AccountID,
			CustomClassifierID: c.pathID("custom_classifier_id")}
	},
	assign:    func(in *wire.Input, v *finance.CustomClassifierValue) { in.String("value", &v.Value) },
	validate:  (*finance.CustomClassifierValue).Validate,
	conflicts: (*storage.Tx).CustomClassifierValueConflicts,
	insert:    inTurn((*storage.Tx).InsertCustomClassifierValue),
	update:    (*storage.Tx).UpdateCustomClassifierValue,
	remove:    (*storage.Tx).RemoveCustomClassifierValue,
	show: func(_ *call, w *wire.Writer, v *finance.CustomClassifierValue) {
		w.Int("id", v.ID)
		w.Int("custom_classifier_id", v.CustomClassifierID)
		w.String("value", v.Value)
		w.Time("created_at", v.CreatedAt)
		w.Time("updated_at", v.UpdatedAt)
	},
	events: func(_ *call, v *finance.CustomClassifierValue, action finance.Action) []finance.Event {
		return []finance.Event{{
			Family: finance.CustomClassifierValuesFamily, Action: action, AccountID: v.AccountID,
			ParentID: v.CustomClassifierID, IDs: []int64{v.ID},
		}}
	},
	path: func(_ *call, v *finance.CustomClassifierValue) string {
		return paths.CustomClassifierValue(v.CustomClassifierID, v.ID)
	},
}

var customClassifierFields = openapi.Fields{
	"name": {Doc: "Its name.", In: "Unique in the account, whatever case and accents.",
		Example: "Projeto"},
	"custom_classifier_id": {Doc: "Its classifier."},
	"value": {Doc: "The value.", In: "Unique in the classifier, whatever case and accents.",
		Example: "Reforma da loja"},
}
