package storage

import (
	"context"
	"time"

	"bordero/internal/db"
	"bordero/jobs"
)

// Deletion is the progress of the removal of a record and of everything below it.
type Deletion struct {
	StartedAt time.Time // of the request, until the worker has begun
	Kinds     []DeletedKind
}

// DeletedKind is a table that a deletion empties.
type DeletedKind struct {
	Kind      string
	Deleted   int64
	Left      int64 // estimated
	StartedAt time.Time
}

// EntityDeletion returns the progress of the deletion of the entity of the scope, or
// ErrNotFound if the entity is not being deleted.
func (q Queries) EntityDeletion(ctx context.Context, s Scope) (*Deletion, error) {
	asked, err := db.One[time.Time](ctx, q.DB, `SELECT deleted_at FROM entities WHERE account_id = $1 AND id = $2
		AND deleted_at IS NOT NULL`,
		s.AccountID, s.EntityID)
	if err != nil {
		return nil, err
	}
	d := Deletion{StartedAt: asked}
	d.Kinds, err = db.Many[DeletedKind](ctx, q.DB, `
		SELECT kind, deleted, greatest(estimated - deleted, 0) AS left, started_at FROM deletions
		WHERE account_id = $1 AND root = 'entities' AND record_id = $2 ORDER BY place`, s.AccountID, s.EntityID)
	if len(d.Kinds) > 0 {
		d.StartedAt = d.Kinds[0].StartedAt
	}
	return &d, err
}

// destroy enqueues the removal of a hidden record and of everything below it.
func (tx *Tx) destroy(ctx context.Context, root string, account, id int64) error {
	return tx.Enqueue(ctx, account, jobs.DeleteCascade{AccountID: account, Root: root, ID: id})
}

// BeginDeletion stores the estimated number of rows of each kind. It adds the rows that the
// cascade removed earlier, if it begins again.
func (tx *Tx) BeginDeletion(ctx context.Context, of jobs.DeleteCascade, kinds []string, counts []int64) error {
	_, err := db.Exec(ctx, tx.DB, `
		INSERT INTO deletions AS d (account_id, root, record_id, kind, place, estimated)
		SELECT $1, $2, $3, kind, place, count FROM unnest($4::text[], $5::bigint[]) WITH ORDINALITY AS s (kind, count,
			place)
		ON CONFLICT (account_id, root, record_id, kind) DO UPDATE SET estimated = d.deleted + excluded.estimated`,
		of.AccountID, of.Root, of.ID, kinds, counts)
	return err
}

// CountDeleted adds removed rows to the count of their kind.
func (tx *Tx) CountDeleted(ctx context.Context, of jobs.DeleteCascade, kind string, rows int64) error {
	_, err := db.Exec(ctx, tx.DB, `
		UPDATE deletions SET deleted = deleted + $5 WHERE account_id = $1 AND root = $2 AND record_id = $3
			AND kind = $4`,
		of.AccountID, of.Root, of.ID, kind, rows)
	return err
}

// EndDeletion deletes the progress of a deletion; for a whole account, of all its deletions.
func (tx *Tx) EndDeletion(ctx context.Context, of jobs.DeleteCascade) error {
	_, err := db.Exec(ctx, tx.DB, `DELETE FROM deletions WHERE account_id = $1 AND (root = $2 AND record_id = $3
		OR $2 = 'accounts')`,
		of.AccountID, of.Root, of.ID)
	return err
}
