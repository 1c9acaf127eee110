package storage

import (
	"context"

	"bordero/finance"
	"bordero/internal/db"
)

// Accounts lists the accounts that the user belongs to, by id.
func (q Queries) Accounts(ctx context.Context, user int64, l List) (Listed[finance.Account], error) {
	return list[finance.Account](ctx, q.DB, l, map[string]filter{"updated_at_gte": changedSince},
		`id, name, uuid, plan_slug, default_currency_id, created_at, updated_at`,
		`accounts WHERE id IN (SELECT account_id FROM memberships WHERE user_id = $1)`, "id", user)
}

// InsertAccount inserts an account with the default categories and returns its id.
func (tx *Tx) InsertAccount(ctx context.Context, name string) (int64, error) {
	id, err := db.One[int64](ctx, tx.DB, `INSERT INTO accounts (name) VALUES ($1) RETURNING id`, name)
	if err != nil {
		return 0, err
	}
	return id, tx.insertDefaultCategories(ctx, id)
}
