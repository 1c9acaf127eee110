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
// ErrNotFound if the entity is not being deleted. After a reset of the account it is that of the reset.
func (q Queries) EntityDeletion(ctx context.Context, s Scope) (*Deletion, error) {
	asked, err := db.One[time.Time](ctx, q.DB, `SELECT deleted_at FROM entities WHERE account_id = $1 AND id = $2
		AND deleted_at IS NOT NULL`,
		s.AccountID, s.EntityID)
	if err != nil {
		return nil, err
	}
	d := Deletion{StartedAt: asked}
	d.Kinds, err = db.Many[DeletedKind](ctx, q.DB, `
		SELECT kind, sum(deleted)::bigint AS deleted, sum(greatest(estimated - deleted, 0))::bigint AS left,
			min(started_at) AS started_at
		FROM deletions
		WHERE account_id = $1 AND (root = 'entities' AND record_id = $2 OR root = 'sandboxes' AND record_id = $1)
		GROUP BY kind ORDER BY min(place)`, s.AccountID, s.EntityID)
	if len(d.Kinds) > 0 {
		d.StartedAt = d.Kinds[0].StartedAt
	}
	return &d, err
}

// Destroy enqueues the removal of a hidden record and of everything below it.
func (tx *Tx) Destroy(ctx context.Context, root string, account, id int64) error {
	return tx.Enqueue(ctx, account, jobs.DeleteCascade{AccountID: account, Root: root, ID: id})
}
