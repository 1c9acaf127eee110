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
// transaction ends. It returns the latest end of what the token makes; nil for none. That is the expiry of the token
// or, for a session, of what started the session: else nobody could make a lasting token in the console. A token that
// has less than all rights of an administrator of the account, or none any more, is ErrNoMaker.
func LockMaker(ctx context.Context, tx *storage.Tx, account int64, token string) (until *time.Time, err error) {
	if err := lockMembers(ctx, tx, account); err != nil {
		return nil, err
	}
	sum := TokenSum(token)
	until, err = db.One[*time.Time](ctx, tx.DB, `
		SELECT nullif(coalesce(t.makes_until, t.expires_at), 'infinity')
		FROM memberships m JOIN tokens t ON t.user_id = m.user_id AND `+opens+`
		WHERE m.account_id = $1 AND t.sha256 = $2 AND m.administrator
			AND t.denied = '{}' AND t.entity_ids IS NULL AND NOT t.read_only AND `+valid+`
		FOR SHARE OF t`, account, sum[:])
	if errors.Is(err, storage.ErrNotFound) {
		err = ErrNoMaker
	}
	return until, err
}
