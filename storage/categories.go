package storage

import (
	"context"
	"errors"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/storage/list"

	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
)

const categoryColumns = `id, account_id, external_id, parent_id, name, full_name, revenue, cost, force_destroy,
	creator_id, use_count, created_at, updated_at`

var categoryFilters = list.Table("Category", map[string]list.Filter{
	"name":               list.Where("name = ?", list.Text, "Exact name."),
	"full_name_equals":   list.Where("full_name = ?", list.Text, "Exact full name."),
	"parent_id_equals":   list.Where("parent_id = ?", list.ID, "Directly below this category."),
	"external_id_equals": list.ExternalID(""),
	"updated_at_gte":     list.ChangedSince(""),
})

// categoryTree selects a category by its @id and all categories below it, each
// with the full name that results from the names above it.
const categoryTree = `WITH RECURSIVE tree AS (
		SELECT id, full_name FROM categories WHERE account_id = @account AND id = @id
		UNION ALL
		SELECT c.id, tree.full_name || '` + finance.CategorySeparator + `' || c.name
		FROM tree JOIN categories c ON c.account_id = @account AND c.parent_id = tree.id AND c.deleted_at IS NULL)`

var (
	renameBelow = db.Named("categories.rename_below", categoryTree+`
		UPDATE categories c SET full_name = tree.full_name, updated_at = now()
		FROM tree WHERE c.account_id = @account AND c.id = tree.id AND c.full_name <> tree.full_name RETURNING c.id`)
	isBelow = db.Named("categories.is_below", categoryTree+`
		SELECT EXISTS (SELECT FROM tree WHERE id = @parent)`)
	hideTree = db.Named("categories.hide", categoryTree+`, locked_categories AS (
			SELECT id FROM categories WHERE account_id = @account AND id IN (SELECT id FROM tree)
			ORDER BY id FOR UPDATE),
		hidden AS (
			UPDATE categories SET deleted_at = now(), updated_at = now()
			WHERE account_id = @account AND id IN (SELECT id FROM locked_categories) RETURNING id)
		SELECT id FROM hidden WHERE id <> @id ORDER BY id`)
)

// Categories reads one page of the account's categories, ordered by name (not full name)
// regardless of case and accents.
func (q Queries) Categories(ctx context.Context, account int64, l list.Query) (list.Page[finance.Category], error) {
	return list.Read[finance.Category](ctx, q.DB, l, categoryFilters, categoryColumns,
		`categories WHERE account_id = @account AND deleted_at IS NULL`, list.By("id", list.TextKey("fold(name)")),
		db.Args{"account": account})
}

// Category reads one category of the account.
func (q Queries) Category(ctx context.Context, account, id int64) (*finance.Category, error) {
	c, err := db.One[finance.Category](ctx, q.DB, `SELECT `+categoryColumns+`
		FROM categories WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL`, account, id)
	return &c, err
}

// ShareCategory locks a category of the account FOR KEY SHARE and reads it. It finds it by its
// full name, regardless of case and accents, or by its id if fullName is nil.
func (tx *Tx) ShareCategory(ctx context.Context, account int64, id *int64, fullName *string) (*finance.Category,
	error) {
	named, by := `id = $2`, any(id)
	if fullName != nil {
		named, by = `fold(full_name) = fold($2)`, *fullName
	}
	c, err := db.One[finance.Category](ctx, tx.DB, `SELECT `+categoryColumns+`
		FROM categories WHERE account_id = $1 AND deleted_at IS NULL AND `+named+` FOR KEY SHARE`, account, by)
	return &c, err
}

// LockCategory locks the category tree of the account, then locks one category FOR NO KEY
// UPDATE and reads it.
func (tx *Tx) LockCategory(ctx context.Context, account, id int64) (*finance.Category, error) {
	if err := tx.lockCategories(ctx, account); err != nil {
		return nil, err
	}
	c, err := db.One[finance.Category](ctx, tx.DB, `SELECT `+categoryColumns+`
		FROM categories WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE`, account, id)
	return &c, err
}

// lockCategories serialises changes of an account's category tree until the end of the
// transaction: full names and the absence of cycles depend on several rows.
func (tx *Tx) lockCategories(ctx context.Context, account int64) error {
	return tx.LockAccount(ctx, account)
}

var categoryWritable = db.ColumnsOf[finance.Category](
	`external_id, parent_id, name, full_name, revenue, cost, force_destroy`)

var updateCategory = db.Named("categories.update",
	`UPDATE categories SET `+categoryWritable.Assignments()+`, updated_at = now()
	WHERE account_id = @account AND id = @id RETURNING `+categoryColumns)

// UpdateCategory stores a changed category, updates the full names below it, and sets c.Below to
// the ids of the categories that changed. It has the refusals of PlaceCategories, and refuses a
// parent that is the category itself or below it, and a name that makes a full name below too long.
func (tx *Tx) UpdateCategory(ctx context.Context, c *finance.Category) error {
	if err := tx.place(ctx, c); err != nil {
		return err
	}
	kept, err := db.OneNamed[finance.Category](ctx, tx.DB, updateCategory, categoryWritable.Args(c), db.Args{
		"account": c.AccountID, "id": c.ID,
	})
	if err != nil {
		return refused(err)
	}
	*c = kept
	c.Below, err = db.ManyNamed[int64](ctx, tx.DB, renameBelow, db.Args{"account": c.AccountID, "id": c.ID})
	if e := pq.As(err, pqerror.CheckViolation); e != nil && e.Constraint == "categories_full_name_length" {
		return finance.Refuse("name", messages.TooLongBelow.With(255))
	}
	return refused(err)
}

// place finds the parent of the category and sets its full name.
func (tx *Tx) place(ctx context.Context, c *finance.Category) error {
	c.FullName = c.Name
	if c.ParentID == nil && c.ParentFullName == nil {
		return nil
	}
	parent, err := tx.ShareCategory(ctx, c.AccountID, c.ParentID, c.ParentFullName)
	if errors.Is(err, ErrNotFound) {
		return finance.Refuse("parent", messages.NotExisting)
	}
	if err != nil {
		return err
	}
	within, err := db.OneNamed[bool](ctx, tx.DB, isBelow,
		db.Args{"account": c.AccountID, "id": c.ID, "parent": parent.ID})
	if err != nil {
		return err
	}
	if within {
		return finance.Refuse("parent", messages.ParentBelow)
	}
	c.ParentID, c.FullName = &parent.ID, parent.FullName+finance.CategorySeparator+c.Name
	return nil
}

// RemoveCategory hides a category and all categories below it, as hide does, and sets c.Below
// to the ids of the latter.
func (tx *Tx) RemoveCategory(ctx context.Context, c *finance.Category) (err error) {
	c.Below, err = db.ManyNamed[int64](ctx, tx.DB, hideTree, db.Args{"account": c.AccountID, "id": c.ID})
	if err != nil {
		return err
	}
	return tx.Destroy(ctx, "categories", c.AccountID, c.ID)
}

// insertDefaultCategories inserts the first categories of an account, and emits their events.
func (tx *Tx) insertDefaultCategories(ctx context.Context, account int64) error {
	var parents, names []string
	var revenue []bool
	for _, c := range finance.DefaultCategories() {
		parents, names, revenue = append(parents, c.Parent), append(names, c.Name), append(revenue, c.Revenue)
	}
	_, err := db.Exec(ctx, tx.DB, `
		WITH sent AS (SELECT * FROM unnest($2::text[], $3::text[], $4::boolean[]) WITH ORDINALITY AS s (parent, name,
			revenue, line)),
		roots AS (
			INSERT INTO categories (account_id, name, full_name, revenue, cost)
			SELECT $1, name, name, revenue, NOT revenue FROM sent WHERE parent = '' ORDER BY line RETURNING id, name)
		INSERT INTO categories (account_id, parent_id, name, full_name, revenue, cost)
		SELECT $1, r.id, s.name, r.name || '`+finance.CategorySeparator+`' || s.name, s.revenue, NOT s.revenue
		FROM sent s JOIN roots r ON r.name = s.parent ORDER BY s.line`, account, parents, names, revenue)
	if err != nil {
		return err
	}
	return tx.EmitRecords(ctx, finance.Event{Family: finance.CategoriesFamily, Action: finance.Created,
		AccountID: account}, emitCategories, nil)
}
