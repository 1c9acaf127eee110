package storage

import (
	"context"

	"bordero/internal/db"
)

// hide removes a record from every list at once, and enqueues a job that clears references
// to it and removes it with all that belongs to it. It waits for open transactions that
// share the record (FOR KEY SHARE) to refer to it; later ones do not find it.
func (tx *Tx) hide(ctx context.Context, table string, account, id int64) error {
	_, err := db.Exec(ctx, tx.DB, `UPDATE `+table+` SET deleted_at = now(), updated_at = now() WHERE account_id = $1
		AND id = (SELECT id FROM `+table+` WHERE account_id = $1 AND id = $2 FOR UPDATE)`, account, id)
	if err != nil {
		return err
	}
	return tx.destroy(ctx, table, account, id)
}
