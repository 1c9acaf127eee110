package storage

import "context"

// RemoveAccount has an account go with all that it holds, in the background. From
// now on nobody enters it; tokens of users who have no other account are gone.
// ErrNotFound when there is no such account, or it is going already.
func (tx *Tx) RemoveAccount(ctx context.Context, account int64) error {
	if err := tx.lockMembers(ctx, account); err != nil {
		return err
	}
	_, err := exec(ctx, tx.q, `
		DELETE FROM tokens WHERE user_id IN (SELECT user_id FROM memberships WHERE account_id = $1)
			AND NOT EXISTS (SELECT FROM memberships m WHERE m.user_id = tokens.user_id AND m.account_id <> $1)`, account)
	if err != nil {
		return err
	}
	if _, err := exec(ctx, tx.q, `DELETE FROM memberships WHERE account_id = $1`, account); err != nil {
		return err
	}
	return tx.destroy(ctx, "accounts", account, account)
}
