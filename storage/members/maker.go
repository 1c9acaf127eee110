package members

import (
	"context"
	"errors"
	"time"

	"bordero/internal/db"
	"bordero/storage"
)

// ErrNoMaker is returned for a token that may not change the members and tokens of an account.
var ErrNoMaker = errors.New("the token is not one of a full administrator")

// LockMaker locks an account for changes of its members and tokens, and the token that makes them, until the
// transaction ends. It returns when the token expires: nothing that it makes opens the account for longer. A token that
// has less than all rights of an administrator of the account, or none any more, is ErrNoMaker.
func LockMaker(ctx context.Context, tx *storage.Tx, account int64, token string) (expires *time.Time, err error) {
	if err := lockMembers(ctx, tx, account); err != nil {
		return nil, err
	}
	sum := TokenSum(token)
	expires, err = db.One[*time.Time](ctx, tx.DB, `
		SELECT t.expires_at FROM memberships m JOIN tokens t ON t.user_id = m.user_id AND `+opens+`
		WHERE m.account_id = $1 AND t.sha256 = $2 AND m.administrator
			AND t.denied = '{}' AND t.entity_ids IS NULL AND NOT t.read_only AND `+valid+`
		FOR SHARE OF t`, account, sum[:])
	if errors.Is(err, storage.ErrNotFound) {
		err = ErrNoMaker
	}
	return expires, err
}
