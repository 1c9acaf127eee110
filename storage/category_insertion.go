package storage

import (
	"context"
	"slices"
	"unicode/utf8"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
)

var (
	placedCategoryColumns   = db.ColumnsOf[finance.Category](`name, parent_id, parent_full_name`)
	insertedCategoryColumns = db.ColumnsOf[finance.Category](`id, ` + categoryWritable.List(""))
)

var (
	placeCategories = db.Named("categories.place", `
		SELECT nextval(pg_get_serial_sequence('categories', 'id')) AS id, fold(n.name) AS key, p.id AS parent_id,
			p.full_name AS parent, fold(coalesce(p.full_name, n.parent_full_name)) AS parent_key
		FROM ROWS FROM (json_to_recordset(@categories) AS (name text, parent_id bigint, parent_full_name text))
			WITH ORDINALITY n (name, parent_id, parent_full_name, line)
		LEFT JOIN LATERAL (
			SELECT c.id, c.full_name FROM categories c WHERE c.account_id = @account AND c.deleted_at IS NULL
				AND c.id = n.parent_id AND n.parent_full_name IS NULL
			UNION ALL
			SELECT c.id, c.full_name FROM categories c WHERE c.account_id = @account AND c.deleted_at IS NULL
				AND fold(c.full_name) = fold(n.parent_full_name)) p ON true
		ORDER BY n.line`)
	takenFullNames = db.Named("categories.taken", `
		SELECT fold(full_name) FROM categories
		WHERE account_id = @account AND deleted_at IS NULL AND fold(full_name) = ANY(@keys)`)
	insertCategories = db.Named("categories.insert", `
		INSERT INTO categories (account_id, creator_id, `+insertedCategoryColumns.List("")+`)
		SELECT @account, @creator, `+insertedCategoryColumns.List("n.")+`
		FROM json_populate_recordset(NULL::categories, @categories) WITH ORDINALITY n ORDER BY n.ordinality
		RETURNING `+categoryColumns)
)

// categoryPlace is the place of a new category in the tree. Keys are names as they are compared.
type categoryPlace struct {
	ID        int64
	Key       string  // of its name
	ParentID  *int64  // nil unless the parent is stored
	Parent    *string // full name
	ParentKey *string // of the full name of a parent that is stored or named
}

// InsertCategory is PlaceCategories and InsertCategories for one.
func (tx *Tx) InsertCategory(ctx context.Context, c *finance.Category) error {
	one := []*finance.Category{c}
	faults, err := tx.PlaceCategories(ctx, one)
	if err == nil {
		err = faults[0]
	}
	if err != nil {
		return err
	}
	return tx.InsertCategories(ctx, one)
}

// PlaceCategories locks the category tree of the account of new categories, and sets their ids, parents and full
// names, by a constant number of statements. A parent by name is a stored category or an earlier one of all. An
// unknown parent, a full name that is too long, and one that the account or an earlier category has, are a
// finance.Invalid in the place of the category.
func (tx *Tx) PlaceCategories(ctx context.Context, all []*finance.Category) ([]error, error) {
	account := all[0].AccountID
	if err := tx.lockCategories(ctx, account); err != nil {
		return nil, err
	}
	rows, err := placedCategoryColumns.JSON(dereferenced(all))
	if err != nil {
		return nil, err
	}
	places, err := db.ManyNamed[categoryPlace](ctx, tx.DB, placeCategories, db.Args{
		"account": account, "categories": string(rows),
	})
	if err != nil {
		return nil, err
	}
	faults, keys, placed := make([]error, len(all)), make([]string, len(all)), map[string]*finance.Category{}
	for i, c := range all {
		keys[i], faults[i] = placeCategory(c, places[i], placed)
		if faults[i] == nil {
			placed[keys[i]] = c
		}
	}
	taken, err := db.ManyNamed[string](ctx, tx.DB, takenFullNames, db.Args{"account": account, "keys": keys})
	for i, key := range keys {
		if faults[i] == nil && slices.Contains(taken, key) {
			faults[i] = finance.Refuse("name", messages.Taken)
		}
	}
	return faults, err
}

// placeCategory sets the id, the parent and the full name of a new category, whose parent may be an earlier one that
// was placed, by the key of its full name. It returns the key of the category's own full name.
func placeCategory(c *finance.Category, at categoryPlace, placed map[string]*finance.Category) (string, error) {
	c.ID, c.FullName = at.ID, c.Name
	key := at.Key
	if c.ParentID != nil || c.ParentFullName != nil {
		if at.ParentID == nil && at.ParentKey != nil && placed[*at.ParentKey] != nil {
			parent := placed[*at.ParentKey]
			at.ParentID, at.Parent = &parent.ID, &parent.FullName
		}
		if at.ParentID == nil {
			return "", finance.Refuse("parent", messages.NotExisting)
		}
		c.ParentID, c.FullName = at.ParentID, *at.Parent+finance.CategorySeparator+c.Name
		key = *at.ParentKey + finance.CategorySeparator + key
	}
	switch {
	case utf8.RuneCountInString(c.FullName) > 255:
		return key, finance.Refuse("full_name", messages.TooLong.With(255))
	case placed[key] != nil:
		return key, finance.Refuse("name", messages.Taken)
	}
	return key, nil
}

// InsertCategories stores new categories of one account and creator that PlaceCategories has placed, parents first,
// and fills in the columns that the database sets.
func (tx *Tx) InsertCategories(ctx context.Context, all []*finance.Category) error {
	rows, err := insertedCategoryColumns.JSON(dereferenced(all))
	if err != nil {
		return err
	}
	stored, err := db.ManyNamed[finance.Category](ctx, tx.DB, insertCategories, db.Args{
		"account": all[0].AccountID, "creator": all[0].CreatorID, "categories": string(rows),
	})
	for i := range stored {
		*all[i] = stored[i]
	}
	return refused(err)
}

// dereferenced returns copies of records.
func dereferenced[T any](all []*T) []T {
	records := make([]T, len(all))
	for i, record := range all {
		records[i] = *record
	}
	return records
}
