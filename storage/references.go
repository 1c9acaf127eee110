package storage

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"bordero/finance"
	"bordero/internal/messages"
)

// ShareReferences finds the records that a record of the entity refers to, and locks them FOR KEY
// SHARE, against deletion, until the transaction ends. A reference that is the same as before stays,
// even to a record hidden meanwhile. A reference to a record that the account (for a center,
// the entity) does not have is a finance.Invalid under the association's name.
func (tx *Tx) ShareReferences(ctx context.Context, s Scope, r *finance.References, before finance.References) error {
	var invalid finance.Invalid
	if r.CategoryFullName != nil || r.CategoryID != nil && !finance.SameID(r.CategoryID, before.CategoryID) {
		c, err := tx.ShareCategory(ctx, s.AccountID, r.CategoryID, r.CategoryFullName)
		if err := missing(&invalid, "category", err); err != nil {
			return err
		}
		r.CategoryID = &c.ID
	}
	if r.PersonID != nil && !finance.SameID(r.PersonID, before.PersonID) {
		if err := missing(&invalid, "person", tx.sharePerson(ctx, s.AccountID, *r.PersonID)); err != nil {
			return err
		}
	}
	if r.ClassificationCenterID != nil && !finance.SameID(r.ClassificationCenterID, before.ClassificationCenterID) {
		err := tx.shareClassificationCenter(ctx, s, *r.ClassificationCenterID)
		if err := missing(&invalid, "classification_center", err); err != nil {
			return err
		}
	}
	return invalid.Err()
}

// missing turns ErrNotFound into a message under the association's name, and returns every
// other error.
func missing(invalid *finance.Invalid, association string, err error) error {
	if !errors.Is(err, ErrNotFound) {
		return err
	}
	invalid.Add(association, messages.NotExisting)
	return nil
}

// addUnknown adds a message for each of the ids of a list that do not exist.
func addUnknown(invalid *finance.Invalid, list string, unknown []int64) {
	for _, id := range unknown {
		invalid.AddNamed(fmt.Sprintf("%s/=%d", list, id), list, messages.IDsNotExisting, strconv.FormatInt(id, 10))
	}
}
