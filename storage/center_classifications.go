package storage

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
)

// centerClassifications returns the column center_classifications of the record that a
// statement calls alias. Deleted centers are left out.
func (o Classified) centerClassifications(alias string) string {
	return strings.NewReplacer("{owner}", string(o), "{alias}", alias).Replace(`(
		SELECT coalesce(json_agg(json_build_object('ID', x.id, 'ClassificationCenterID', z.id, 'Name', z.name,
			'Amount', x.amount::text, 'Percentage', x.percentage::text) ORDER BY x.id), '[]')
		FROM {owner}_center_classifications x
		JOIN classification_centers z ON z.account_id = x.account_id AND z.id = x.classification_center_id
			AND z.deleted_at IS NULL
		WHERE x.account_id = {alias}.account_id AND x.{owner}_id = {alias}.id) AS center_classifications`)
}

// ShareCenterClassifications locks the centers of the new items (items without an id) FOR KEY SHARE
// until the transaction ends, against deletion. Centers that the entity does not have are a
// finance.Invalid with each of them.
func (tx *Tx) ShareCenterClassifications(ctx context.Context, s Scope, list finance.CenterClassifications) error {
	unknown, err := tx.shareCenters(ctx, s, list)
	if err != nil {
		return err
	}
	return unknownCenters(list, unknown)
}

// shareCenters locks the centers of the new items, and returns those that the entity does not have.
func (tx *Tx) shareCenters(ctx context.Context, s Scope, list finance.CenterClassifications) (unknown []int64,
	err error) {
	var ids []int64
	for _, c := range list {
		if c.ID == 0 {
			ids = append(ids, c.ClassificationCenterID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	held, err := db.Many[int64](ctx, tx.DB, `SELECT id FROM classification_centers
		WHERE account_id = $1 AND entity_id = $2 AND id = ANY($3) AND deleted_at IS NULL ORDER BY id FOR KEY SHARE`,
		s.AccountID, s.EntityID, ids)
	return Without(ids, held), err
}

// unknownCenters refuses the new items of the centers that are unknown.
func unknownCenters(list finance.CenterClassifications, unknown []int64) error {
	const attribute = finance.CenterClassificationsName
	var invalid finance.Invalid
	for i, c := range list {
		if id := c.ClassificationCenterID; c.ID == 0 && slices.Contains(unknown, id) {
			invalid.AddNamed(fmt.Sprintf("%s/%d/classification_center_id", attribute, i), attribute,
				messages.IDsNotExisting, strconv.FormatInt(id, 10))
		}
	}
	return invalid.Err()
}

// insertCenterClassifications adds the new items to each of the records. Their centers are
// locked.
func (tx *Tx) insertCenterClassifications(ctx context.Context, o Classified, account int64, ids []int64,
	list finance.CenterClassifications) error {
	var rows centerRows
	for _, id := range ids {
		rows.add(id, list)
	}
	return rows.insert(ctx, tx, o, account)
}

// centerRows are the rows of the new classifications of records by centers.
type centerRows struct{ classificationRows }

func (r *centerRows) add(record int64, list finance.CenterClassifications) {
	for _, c := range list {
		if c.ID == 0 {
			r.classificationRows.add(record, c.ClassificationCenterID, c.Amount, c.Percentage)
		}
	}
}

func (r *centerRows) insert(ctx context.Context, tx *Tx, o Classified, account int64) error {
	return r.classificationRows.insert(ctx, tx, o, "center_classifications", "classification_center_id", account)
}

// updateCenterClassifications replaces the list of the record, as updateCustomClassifications
// does.
func (tx *Tx) updateCenterClassifications(ctx context.Context, o Classified, account, id int64,
	list finance.CenterClassifications) error {
	var kept []int64
	for _, c := range list {
		if c.ID != 0 {
			kept = append(kept, c.ID)
		}
	}
	if err := tx.removeOtherClassifications(ctx, o, "center_classifications", account, id, kept); err != nil {
		return err
	}
	return tx.insertCenterClassifications(ctx, o, account, []int64{id}, list)
}
