package storage

import (
	"context"

	"bordero/finance"
)

// Accounts are the accounts that the user belongs to, by id.
func (q Queries) Accounts(ctx context.Context, user int64) ([]finance.Account, error) {
	return many[finance.Account](ctx, q.q, `
		SELECT a.id, a.name, a.uuid, a.plan_slug, a.default_currency_id, a.created_at, a.updated_at
		FROM accounts a JOIN memberships m ON m.account_id = a.id
		WHERE m.user_id = $1 ORDER BY a.id`, user)
}

// InsertAccount keeps a new account with its first categories and returns its id.
func (tx *Tx) InsertAccount(ctx context.Context, name string) (int64, error) {
	id, err := one[int64](ctx, tx.q, `INSERT INTO accounts (name) VALUES ($1) RETURNING id`, name)
	if err != nil {
		return 0, err
	}
	return id, tx.insertDefaultCategories(ctx, id)
}
