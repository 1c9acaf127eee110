package storage

import (
	"context"
	"errors"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/storage/list"
)

const classificationCenterColumns = `id, account_id, entity_id, external_id, name, cost_center, revenue_center, ` +
	`use_count, created_at, updated_at`

// visibleCenters selects the centers of the entities that the user may see.
const visibleCenters = `classification_centers WHERE account_id = @account AND deleted_at IS NULL
	AND (@sees_all OR entity_id = ANY(@entities))`

var (
	readCenter = db.Named("classification_centers.read",
		`SELECT `+classificationCenterColumns+` FROM `+visibleCenters+` AND id = @id`)
	lockCenter = db.Named("classification_centers.lock",
		`SELECT `+classificationCenterColumns+` FROM `+visibleCenters+` AND id = @id FOR NO KEY UPDATE`)
	insertCenters = db.Named("classification_centers.insert",
		`INSERT INTO classification_centers (account_id, `+insertedCenterColumns.List("")+`)
		SELECT @account, `+insertedCenterColumns.List("n.")+`
		FROM json_populate_recordset(NULL::classification_centers, @centers) WITH ORDINALITY n ORDER BY n.ordinality
		RETURNING `+classificationCenterColumns)
)

var insertedCenterColumns = db.ColumnsOf[finance.ClassificationCenter](
	`entity_id, external_id, name, cost_center, revenue_center`)

var classificationCenterFilters = list.Table("ClassificationCenter", map[string]list.Filter{
	"entity_id_equals": list.Where("entity_id = ?", list.ID, "Of this entity."),
	"name_equals":      list.Where("name = ?", list.Text, "Exact name."),
	"name_contains": list.Where("fold(name) LIKE fold(?)", list.Containing,
		"Part of the name, whatever its case and accents."),
	"external_id_equals": list.ExternalID(""),
	"updated_at_gte":     list.ChangedSince(""),
})

// ClassificationCenters lists the centers of the entities that the user may see, by name
// without regard to case and accents.
func (q Queries) ClassificationCenters(ctx context.Context, a finance.Access,
	l list.Query) (list.Page[finance.ClassificationCenter], error) {
	return list.Read[finance.ClassificationCenter](ctx, q.DB, l, classificationCenterFilters,
		classificationCenterColumns,
		visibleCenters, list.By("id", list.TextKey("fold(name)")), accessArgs(a))
}

// ClassificationCenter reads one center of an entity that the user may see.
func (q Queries) ClassificationCenter(ctx context.Context, a finance.Access, id int64) (*finance.ClassificationCenter,
	error) {
	z, err := db.OneNamed[finance.ClassificationCenter](ctx, q.DB, readCenter, accessArgs(a), db.Args{"id": id})
	return &z, err
}

// LockClassificationCenter reads one center of an entity that the user may see and locks it
// FOR NO KEY UPDATE, to change it.
func (tx *Tx) LockClassificationCenter(ctx context.Context, a finance.Access, id int64) (*finance.ClassificationCenter,
	error) {
	z, err := db.OneNamed[finance.ClassificationCenter](ctx, tx.DB, lockCenter, accessArgs(a), db.Args{"id": id})
	return &z, err
}

// InsertClassificationCenters stores new centers of one account and fills in the columns that the database sets.
func (tx *Tx) InsertClassificationCenters(ctx context.Context, centers []*finance.ClassificationCenter) error {
	rows, err := insertedCenterColumns.JSON(dereferenced(centers))
	if err != nil {
		return err
	}
	stored, err := db.ManyNamed[finance.ClassificationCenter](ctx, tx.DB, insertCenters, db.Args{
		"account": centers[0].AccountID, "centers": string(rows),
	})
	for i := range stored {
		*centers[i] = stored[i]
	}
	return err
}

// UpdateClassificationCenter stores the changes of a center. A change of its entity is a
// finance.Invalid.
func (tx *Tx) UpdateClassificationCenter(ctx context.Context, z *finance.ClassificationCenter) (err error) {
	*z, err = db.One[finance.ClassificationCenter](ctx, tx.DB, `
		UPDATE classification_centers SET name = $4, cost_center = $5, revenue_center = $6, external_id = $7,
			updated_at = now()
		WHERE account_id = $1 AND id = $2 AND entity_id = $3 RETURNING `+classificationCenterColumns,
		z.AccountID, z.ID, z.EntityID, z.Name, z.CostCenter, z.RevenueCenter, z.ExternalID)
	if errors.Is(err, ErrNotFound) {
		return finance.Refuse("entity", messages.Unchangeable)
	}
	return err
}

// RemoveClassificationCenter hides a center and enqueues its removal.
func (tx *Tx) RemoveClassificationCenter(ctx context.Context, z *finance.ClassificationCenter) error {
	return tx.Hide(ctx, "classification_centers", z.AccountID, z.ID)
}
