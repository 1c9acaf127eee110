package api

import (
	"context"
	"errors"

	"bordero/finance"
	"bordero/internal/messages"
	"bordero/internal/wire"
	"bordero/storage"
)

// assignReferences reads the category, person and center of a financial record. A category is
// sent by its id or by its full name, which has precedence.
func assignReferences(in *wire.Input, r *finance.References) {
	if in.Has("category_full_name") { // null clears, like category_id
		r.CategoryID = nil
		in.StringPtr("category_full_name", &r.CategoryFullName)
	}
	in.IntPtr("category_id", &r.CategoryID)
	in.IntPtr("person_id", &r.PersonID)
	in.IntPtr("classification_center_id", &r.ClassificationCenterID)
}

// referDepositAccount locks the deposit account of the entity in which money is
// expected FOR KEY SHARE, if it has changed.
func referDepositAccount(ctx context.Context, tx *storage.Tx, s storage.Scope, id, before *int64) error {
	if id == nil || finance.SameID(id, before) {
		return nil
	}
	err := tx.ShareDepositAccount(ctx, s, *id)
	if errors.Is(err, storage.ErrNotFound) {
		return finance.Refuse("expected_deposit_account", messages.NotExisting)
	}
	return err
}
