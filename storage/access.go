package storage

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// ErrNoToken is returned for a token that is unknown, expired or revoked.
var ErrNoToken = errors.New("no such token")

// accessColumns are the columns that access scans, of users u, memberships m and accounts a.
const accessColumns = `u.id, u.email, coalesce(m.account_id, 0), coalesce(a.name, ''), coalesce(m.administrator, false), m.denied,
	coalesce(m.all_entities, false),
	ARRAY(SELECT e.entity_id FROM membership_entities e WHERE e.account_id = m.account_id AND e.user_id = u.id ORDER BY e.entity_id)`

// access scans the current row: accessColumns, then more.
func access(rows *sqlx.Rows, more ...any) (a finance.Access, err error) {
	err = rows.Scan(append([]any{&a.UserID, &a.UserEmail, &a.AccountID, &a.AccountName, &a.Administrator, pq.Array(&a.Denied),
		&a.AllEntities, pq.Array(&a.EntityIDs)}, more...)...)
	return a, err
}

// Accesses reads the rights of a token: one element per account of the user, ordered by
// account; none if the user has no account. Nothing is cached, so a revoked token fails at
// once in every process. It is one query, and once an hour a second that stores the time of
// use. An invalid token is ErrNoToken.
func (s *Store) Accesses(ctx context.Context, token string) (userID int64, accesses []finance.Access, err error) {
	sum := TokenSum(token)
	rows, err := db.Rows(ctx, s.DB, `
		SELECT `+accessColumns+`, t.denied, t.entity_ids, t.read_only, t.last_used_at IS NULL OR t.last_used_at < now() - interval '1 hour'
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
	var lastUsedStale bool
	var rights finance.Rights
	for rows.Next() {
		a, err := access(rows, pq.Array(&rights.Denied), pq.Array(&rights.EntityIDs), &rights.ReadOnly, &lastUsedStale)
		if err != nil {
			return 0, nil, err
		}
		userID = a.UserID
		if a.AccountID != 0 {
			accesses = append(accesses, a.Narrowed(rights))
		}
	}
	if err := rows.Err(); err != nil {
		return 0, nil, err
	}
	if userID == 0 {
		return 0, nil, ErrNoToken
	}
	if lastUsedStale {
		s.touchLastUsed(ctx, sum[:])
	}
	return userID, accesses, nil
}

// touchLastUsed stores that a token was used. Best effort: it skips a locked row and ignores
// errors; the next request tries again.
func (s *Store) touchLastUsed(ctx context.Context, sum []byte) {
	_, _ = db.Exec(ctx, s.DB, `
		UPDATE tokens SET last_used_at = now() WHERE sha256 = (
			SELECT sha256 FROM tokens WHERE sha256 = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 hour')
			FOR NO KEY UPDATE SKIP LOCKED)`, sum)
}

// Token describes a token. Of the token itself only a hash is stored.
type Token struct {
	Prefix     string // its first six characters
	Email      string
	CreatedAt  time.Time
	ExpiresAt  *time.Time
	RevokedAt  *time.Time
	LastUsedAt *time.Time // accurate to an hour
	Denied     pq.StringArray
	EntityIDs  pq.Int64Array // nil: all entities of the user
	ReadOnly   bool
}

// Rights returns the restrictions of the token compared with its user.
func (t Token) Rights() finance.Rights {
	return finance.Rights{Denied: t.Denied, EntityIDs: t.EntityIDs, ReadOnly: t.ReadOnly}
}

// Tokens lists the tokens of the members of an account, oldest first.
func (q Queries) Tokens(ctx context.Context, account int64) ([]Token, error) {
	return db.Many[Token](ctx, q.DB, `
		SELECT t.prefix, u.email, t.created_at, t.expires_at, t.revoked_at, t.last_used_at, t.denied, t.entity_ids, t.read_only
		FROM tokens t JOIN users u ON u.id = t.user_id JOIN memberships m ON m.user_id = u.id
		WHERE m.account_id = $1 ORDER BY t.created_at, t.prefix`, account)
}

// tokenPrefix is the number of characters of a token that are stored to identify it.
const tokenPrefix = 6

// TokenPrefix returns the characters of a token that identify it.
func TokenPrefix(token string) string { return token[:min(len(token), tokenPrefix)] }

// TokenSum returns the hash under which a token is stored.
func TokenSum(token string) [sha256.Size]byte { return sha256.Sum256([]byte(token)) }

// InsertToken stores the hash of a token for a user, with all rights of the user, and emits the
// event in each account of the user.
func (tx *Tx) InsertToken(ctx context.Context, userID int64, token string, expiresAt *time.Time) error {
	sum := TokenSum(token)
	id, err := db.One[int64](ctx, tx.DB, `INSERT INTO tokens (sha256, user_id, prefix, expires_at) VALUES ($1, $2, $3, $4) RETURNING id`,
		sum[:], userID, TokenPrefix(token), expiresAt)
	if err != nil {
		return err
	}
	return tx.emitToken(ctx, finance.Created, id)
}

// NarrowToken replaces the restrictions of a token. An entity that the account does not have
// is a finance.Invalid, an unknown token ErrNotFound. It emits the event in each account of the user.
func (tx *Tx) NarrowToken(ctx context.Context, account int64, token string, r finance.Rights) error {
	known, err := db.Many[int64](ctx, tx.DB, `SELECT id FROM entities WHERE account_id = $1 AND id = ANY($2) ORDER BY id`, account, r.EntityIDs)
	if err != nil {
		return err
	}
	if len(without(r.EntityIDs, known)) > 0 {
		return finance.Refuse("entity", messages.NotExisting)
	}
	sum := TokenSum(token)
	id, err := db.One[int64](ctx, tx.DB, `
		UPDATE tokens SET denied = coalesce($2, '{}'::text[]), entity_ids = $3, read_only = $4 WHERE sha256 = $1 RETURNING id`,
		sum[:], pq.Array(r.Denied), pq.Array(r.EntityIDs), r.ReadOnly)
	if err != nil {
		return err
	}
	return tx.emitToken(ctx, finance.Updated, id)
}

// RevokeToken revokes the one unrevoked token that is given by its first six characters or as
// a whole, and emits the event in each account of its user. No such token is ErrNotFound; several
// are an error.
func (tx *Tx) RevokeToken(ctx context.Context, token string) error {
	if len(token) < tokenPrefix {
		return fmt.Errorf("a token is named by its first %d characters", tokenPrefix)
	}
	sum := TokenSum(token)
	hashes, err := db.Many[[]byte](ctx, tx.DB, `
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
	id, err := db.One[int64](ctx, tx.DB, `UPDATE tokens SET revoked_at = now() WHERE sha256 = $1 RETURNING id`, hashes[0])
	if err != nil {
		return err
	}
	return tx.emitToken(ctx, finance.Destroyed, id)
}

// emitToken emits the event of a token in each account of its user.
func (tx *Tx) emitToken(ctx context.Context, action finance.Action, id int64) error {
	accounts, err := db.Many[int64](ctx, tx.DB, `
		SELECT m.account_id FROM tokens t JOIN memberships m ON m.user_id = t.user_id WHERE t.id = $1 ORDER BY m.account_id`, id)
	if err != nil {
		return err
	}
	for _, account := range accounts {
		if err := tx.Emit(ctx, finance.Event{Family: finance.TokensFamily, Action: action, AccountID: account, IDs: []int64{id}}); err != nil {
			return err
		}
	}
	return nil
}
