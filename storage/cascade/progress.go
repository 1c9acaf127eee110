package cascade

import (
	"context"

	"bordero/internal/db"
	"bordero/jobs"
	"bordero/storage"
)

// beginDeletion stores the estimated number of rows of each kind. It adds the rows that the
// cascade removed earlier, if it begins again.
func beginDeletion(ctx context.Context, tx *storage.Tx, of jobs.DeleteCascade, kinds []string, counts []int64) error {
	_, err := db.Exec(ctx, tx.DB, `
		INSERT INTO deletions AS d (account_id, root, record_id, kind, place, estimated)
		SELECT $1, $2, $3, kind, place, count FROM unnest($4::text[], $5::bigint[]) WITH ORDINALITY AS s (kind, count,
			place)
		ON CONFLICT (account_id, root, record_id, kind) DO UPDATE SET estimated = d.deleted + excluded.estimated`,
		of.AccountID, of.Root, of.ID, kinds, counts)
	return err
}

// countDeleted adds removed rows to the count of their kind.
func countDeleted(ctx context.Context, tx *storage.Tx, of jobs.DeleteCascade, kind string, rows int64) error {
	_, err := db.Exec(ctx, tx.DB, `
		UPDATE deletions SET deleted = deleted + $5 WHERE account_id = $1 AND root = $2 AND record_id = $3
			AND kind = $4`,
		of.AccountID, of.Root, of.ID, kind, rows)
	return err
}

// EndDeletion deletes the progress of a deletion; for a whole account, of all its deletions. Remove calls it; call it
// when Open returns storage.ErrNotFound, because another deletion may have removed the record of one that had begun.
func EndDeletion(ctx context.Context, tx *storage.Tx, of jobs.DeleteCascade) error {
	_, err := db.Exec(ctx, tx.DB, `DELETE FROM deletions WHERE account_id = $1 AND (root = $2 AND record_id = $3
		OR $2 = 'accounts')`,
		of.AccountID, of.Root, of.ID)
	return err
}
