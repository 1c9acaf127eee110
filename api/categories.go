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

var categories = resource[finance.Category]{
	root: "category", plural: "categories",
	list: func(ctx context.Context, q storage.Queries, c *call, l list.Query) (list.Page[finance.Category],
		error) {
		return q.Categories(ctx, c.access.AccountID, l)
	},
	find: func(ctx context.Context, q storage.Queries, c *call, id int64) (*finance.Category, error) {
		return q.Category(ctx, c.access.AccountID, id)
	},
	lock: func(ctx context.Context, tx *storage.Tx, c *call, id int64) (*finance.Category, error) {
		return tx.LockCategory(ctx, c.access.AccountID, id)
	},
	newRecord: func(c *call) *finance.Category {
		return &finance.Category{AccountID: c.access.AccountID, CreatorID: &c.userID, Revenue: true, Cost: true}
	},
	assign: func(in *wire.Input, k *finance.Category) {
		assignCategory(in, k)
		in.Alias("parent_full_name", "parent")
		if in.Has("parent_full_name") { // null clears, like parent_id
			k.ParentID = nil
			in.StringPtr("parent_full_name", &k.ParentFullName)
		}
		in.IntPtr("parent_id", &k.ParentID)
	},
	validate: (*finance.Category).Validate,
	identity: func(_ *call, k *finance.Category) identity {
		return identity{storage.CategoryIDs, storage.Scope{AccountID: k.AccountID}, k.ID, k.ExternalID}
	},
	conflicts: (*storage.Tx).CategoryConflicts,
	insert:    inTurn((*storage.Tx).InsertCategory),
	update:    (*storage.Tx).UpdateCategory,
	remove:    (*storage.Tx).RemoveCategory,
	referred:  func(k *finance.Category) (string, []int64) { return "category_id", append(k.Below, k.ID) },
	events: func(_ *call, k *finance.Category, action finance.Action) []finance.Event {
		e := finance.Event{Family: finance.CategoriesFamily, Action: action, AccountID: k.AccountID,
			IDs: append(k.Below, k.ID)}
		if action != finance.Updated || len(k.Below) == 0 {
			return []finance.Event{e}
		}
		own := e // only an event of one record has attributes
		own.IDs, e.IDs = []int64{k.ID}, k.Below
		return []finance.Event{own, e}
	},
	show: showCategory,
	path: func(_ *call, k *finance.Category) string { return paths.Category(k.ID) },
}

// createSubcategory creates a category below the category of the path, and ignores the parent in
// the body: 201 with its Location and the category.
func (a *API) createSubcategory(c *call) error {
	return a.write(c, func(ctx context.Context, tx *storage.Tx, in *wire.Input) (answer, error) {
		id := c.id()
		if _, err := tx.LockCategory(ctx, c.access.AccountID, id); err != nil {
			return answer{}, found(err, categories.root, id)
		}
		below := categories
		below.assign = assignCategory
		k := below.newRecord(c)
		k.ParentID = &id
		if err := below.apply(ctx, tx, c, in, k); err != nil {
			return answer{}, err
		}
		return below.created(ctx, tx, c, k)
	})
}

func assignCategory(in *wire.Input, k *finance.Category) {
	assignExternalID(in, &k.ExternalID)
	in.String("name", &k.Name)
	in.BoolOr("revenue", &k.Revenue, !in.Changes)
	in.BoolOr("cost", &k.Cost, !in.Changes)
	in.Bool("force_destroy", &k.ForceDestroy)
}

func showCategory(_ *call, w *wire.Writer, k *finance.Category) {
	w.Int("id", k.ID)
	w.StringPtr("external_id", k.ExternalID)
	w.Int("account_id", k.AccountID)
	w.String("name", k.Name)
	w.String("full_name", k.FullName)
	w.IntPtr("parent_id", k.ParentID)
	w.Bool("revenue", k.Revenue)
	w.Bool("cost", k.Cost)
	w.Bool("force_destroy", k.ForceDestroy)
	showInterestedUsers(w, k.CreatorID)
	w.Int("use_count", k.UseCount)
	showSource(w)
	w.Time("created_at", k.CreatedAt)
	w.Time("updated_at", k.UpdatedAt)
}

var categoryFields = openapi.Fields{
	"name": {
		Doc:     "Its name.",
		In:      "Unique among the categories of one parent. The full name has at most 255 characters, too.",
		Example: "Salários",
	},
	"full_name": {Doc: "The names from the root, with ` / ` between them.", Example: "Pessoal / Salários"},
	"parent_id": {Doc: "The category above; null for a root.",
		In: "Neither the category itself nor one below it."},
	"parent_full_name": {In: "Names the parent instead of `parent_id`."},
	"revenue":          {Doc: "Whether the category is for income."},
	"cost":             {Doc: "Whether the category is for expenses."},
}
