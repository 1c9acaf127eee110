package members

import (
	"context"

	"bordero/internal/db"
	"bordero/jobs"
	"bordero/storage"
)

// BeingDeleted reports whether an account is being deleted. The deletion may begin at any time, unless the
// account is locked (LockAccount).
func BeingDeleted(ctx context.Context, q storage.Queries, account int64) (bool, error) {
	return db.One[bool](ctx, q.DB, `
		SELECT EXISTS (SELECT FROM jobs WHERE kind = $2 AND account_id = $1 AND args::json ->> 'root' = 'accounts')`,
		account, jobs.DeleteCascadeKind.Name)
}

// RemoveAccount enqueues the removal of an account and everything in it. It removes the memberships
// at once, and the tokens for this account; users without another account also lose their tokens
// for all accounts. An account that does not exist or is already being deleted is ErrNotFound.
func RemoveAccount(ctx context.Context, tx *storage.Tx, account int64) error {
	if err := lockMembers(ctx, tx, account); err != nil {
		return err
	}
	_, err := db.Exec(ctx, tx.DB, `SELECT FROM memberships WHERE account_id = $1 ORDER BY user_id FOR UPDATE`, account)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, tx.DB, `
		DELETE FROM tokens WHERE account_id = $1
			OR (account_id IS NULL AND user_id IN (SELECT user_id FROM memberships WHERE account_id = $1)
				AND NOT EXISTS (SELECT FROM memberships m WHERE m.user_id = tokens.user_id AND m.account_id <> $1))`,
		account)
	if err != nil {
		return err
	}
	if _, err := db.Exec(ctx, tx.DB, `DELETE FROM memberships WHERE account_id = $1`, account); err != nil {
		return err
	}
	return tx.Destroy(ctx, "accounts", account, account)
}
