package storage

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"bordero/finance"

	"github.com/lib/pq"
)

// ErrNoToken is the error of a token that is unknown, expired or revoked.
var ErrNoToken = errors.New("no such token")

// Accesses reads what the bearer of a token may do, one row per account that the
// user belongs to, by account. It looks at the database every time, so that a
// revoked token fails at once on every process. A user without accounts has none.
func (q Queries) Accesses(ctx context.Context, token string) (userID int64, accesses []finance.Access, err error) {
	sum := sha256.Sum256([]byte(token))
	rows, err := q.q.QueryxContext(ctx, `
		SELECT u.id, u.email, coalesce(m.account_id, 0), coalesce(a.name, ''), coalesce(m.administrator, false), m.denied,
		       coalesce(m.all_entities, false),
		       ARRAY(SELECT e.entity_id FROM membership_entities e WHERE e.account_id = m.account_id AND e.user_id = u.id)
		FROM tokens t
		JOIN users u ON u.id = t.user_id
		LEFT JOIN memberships m ON m.user_id = u.id
		LEFT JOIN accounts a ON a.id = m.account_id
		WHERE t.sha256 = $1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
		ORDER BY m.account_id`, sum[:])
	if err != nil {
		return 0, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var a finance.Access
		err := rows.Scan(&a.UserID, &a.UserEmail, &a.AccountID, &a.AccountName, &a.Administrator, pq.Array(&a.Denied),
			&a.AllEntities, pq.Array(&a.EntityIDs))
		if err != nil {
			return 0, nil, err
		}
		userID = a.UserID
		if a.AccountID != 0 {
			accesses = append(accesses, a)
		}
	}
	if err := rows.Err(); err != nil {
		return 0, nil, err
	}
	if userID == 0 {
		return 0, nil, ErrNoToken
	}
	return userID, accesses, nil
}

// Token is what is known of a token; the token itself is not kept.
type Token struct {
	Prefix    string // its first six characters
	Email     string
	CreatedAt time.Time
	ExpiresAt *time.Time
	RevokedAt *time.Time
}

// Tokens are the tokens of the users of an account, oldest first.
func (q Queries) Tokens(ctx context.Context, account int64) ([]Token, error) {
	return many[Token](ctx, q.q, `
		SELECT t.prefix, u.email, t.created_at, t.expires_at, t.revoked_at
		FROM tokens t JOIN users u ON u.id = t.user_id JOIN memberships m ON m.user_id = u.id
		WHERE m.account_id = $1 ORDER BY t.created_at, t.prefix`, account)
}

// tokenPrefix is how many characters of a token are kept to name it by.
const tokenPrefix = 6

// InsertToken keeps the hash of a token for a user.
func (tx *Tx) InsertToken(ctx context.Context, userID int64, token string, expiresAt *time.Time) error {
	sum := sha256.Sum256([]byte(token))
	_, err := exec(ctx, tx.q, `INSERT INTO tokens (sha256, user_id, prefix, expires_at) VALUES ($1, $2, $3, $4)`,
		sum[:], userID, token[:tokenPrefix], expiresAt)
	return err
}

// RevokeToken ends the one live token whose text begins with prefix (its first
// six characters, or the whole of it). None is ErrNotFound; several are an error.
func (tx *Tx) RevokeToken(ctx context.Context, token string) error {
	if len(token) < tokenPrefix {
		return fmt.Errorf("a token is named by its first %d characters", tokenPrefix)
	}
	sum := sha256.Sum256([]byte(token))
	hashes, err := many[[]byte](ctx, tx.q, `
		SELECT sha256 FROM tokens
		WHERE revoked_at IS NULL AND (sha256 = $1 OR (length($2) = $3 AND prefix = $2)) FOR UPDATE`,
		sum[:], token, tokenPrefix)
	switch {
	case err != nil:
		return err
	case len(hashes) == 0:
		return ErrNotFound
	case len(hashes) > 1:
		return errors.New("several tokens begin so: revoke by the whole token")
	}
	_, err = exec(ctx, tx.q, `UPDATE tokens SET revoked_at = now() WHERE sha256 = $1`, hashes[0])
	return err
}

// UpsertUser returns the id of the user with the e-mail, whom it makes if need be.
func (tx *Tx) UpsertUser(ctx context.Context, email string) (int64, error) {
	return one[int64](ctx, tx.q, `
		INSERT INTO users (email) VALUES ($1)
		ON CONFLICT (lower(email)) DO UPDATE SET email = users.email RETURNING id`, email)
}

// Member tells whether the user belongs to the account.
func (q Queries) Member(ctx context.Context, account, user int64) (bool, error) {
	return one[bool](ctx, q.q, `SELECT EXISTS (SELECT FROM memberships WHERE account_id = $1 AND user_id = $2)`, account, user)
}

// PutMembership sets what a user may do in an account. An entity that the
// account does not have is a finance.Invalid; an unknown account is ErrNotFound.
func (tx *Tx) PutMembership(ctx context.Context, a finance.Access) error {
	_, err := one[int64](ctx, tx.q, `SELECT id FROM accounts WHERE id = $1 FOR KEY SHARE`, a.AccountID)
	if err != nil {
		return err
	}
	_, err = exec(ctx, tx.q, `
		INSERT INTO memberships (account_id, user_id, administrator, denied, all_entities) VALUES ($1, $2, $3, coalesce($4, '{}'::text[]), $5)
		ON CONFLICT (account_id, user_id) DO UPDATE
		SET administrator = excluded.administrator, denied = excluded.denied, all_entities = excluded.all_entities`,
		a.AccountID, a.UserID, a.Administrator, pq.Array(a.Denied), a.AllEntities)
	if err != nil {
		return err
	}
	_, err = exec(ctx, tx.q, `DELETE FROM membership_entities WHERE account_id = $1 AND user_id = $2`, a.AccountID, a.UserID)
	if err != nil || len(a.EntityIDs) == 0 {
		return err
	}
	n, err := exec(ctx, tx.q, `
		INSERT INTO membership_entities (account_id, user_id, entity_id)
		SELECT account_id, $2, id FROM entities WHERE account_id = $1 AND id = ANY($3)`, a.AccountID, a.UserID, a.EntityIDs)
	if err == nil && n < int64(len(a.EntityIDs)) {
		err = finance.Refuse("entity", finance.MsgNotExisting)
	}
	return err
}
