package members

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/storage"

	"github.com/lib/pq"
)

// ErrNoToken is returned for a token that is unknown, expired or revoked.
var ErrNoToken = errors.New("no such token")

// opens is the condition that a token t opens the account of a membership m of its user.
const opens = `(t.account_id IS NULL OR t.account_id = m.account_id) AND m.account_id <> ALL (t.barred_accounts)`

// accessesOfToken reads an access per account that a token opens, and the rights of the token. Every request
// pays for it: it reads one row of tokens and one of memberships, and the entities of a member only if these
// are not all. The order and the names are left to the few readers that need them.
const accessesOfToken = `
	SELECT t.user_id, coalesce(m.account_id, 0), coalesce(m.administrator, false), m.denied,
		coalesce(m.all_entities, false),
		CASE WHEN NOT m.all_entities THEN ARRAY(SELECT e.entity_id FROM membership_entities e
			WHERE e.account_id = m.account_id AND e.user_id = m.user_id ORDER BY e.entity_id) END,
		t.denied, t.entity_ids, t.read_only, t.last_used_at IS NULL OR t.last_used_at < now() - interval '1 hour'
	FROM tokens t
	LEFT JOIN memberships m ON m.user_id = t.user_id AND ` + opens + `
	WHERE t.sha256 = $1 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())`

// Accesses reads the rights of a token: one element per account that the token opens, ordered by
// account, and an empty list if its user is a member of no such account. Nothing is cached, so a
// revoked token fails at once in every process. Accesses sends one query, and once an hour a second
// one that stores the time of use. An invalid token is ErrNoToken.
func Accesses(ctx context.Context, s *storage.Store, token string) (userID int64, accesses []finance.Access,
	err error) {
	sum := TokenSum(token)
	rows, err := db.Rows(ctx, s.DB, accessesOfToken, sum[:])
	if err != nil {
		return 0, nil, err
	}
	defer rows.Close()
	var lastUsedStale bool
	var rights finance.Rights
	for rows.Next() {
		var a finance.Access
		err := rows.Scan(&userID, &a.AccountID, &a.Administrator, pq.Array(&a.Denied), &a.AllEntities,
			pq.Array(&a.EntityIDs), pq.Array(&rights.Denied), pq.Array(&rights.EntityIDs), &rights.ReadOnly,
			&lastUsedStale)
		if err != nil {
			return 0, nil, err
		}
		if a.UserID = userID; a.AccountID != 0 {
			accesses = append(accesses, a.Narrowed(rights))
		}
	}
	if err := rows.Err(); err != nil {
		return 0, nil, err
	}
	if userID == 0 {
		return 0, nil, ErrNoToken
	}
	slices.SortFunc(accesses, func(a, b finance.Access) int { return cmp.Compare(a.AccountID, b.AccountID) })
	if lastUsedStale {
		touchLastUsed(ctx, s, sum[:])
	}
	return userID, accesses, nil
}

// touchLastUsed stores that a token was used. Best effort: it skips a locked row and ignores
// errors; the next request tries again.
func touchLastUsed(ctx context.Context, s *storage.Store, sum []byte) {
	_, _ = db.Exec(ctx, s.DB, `
		UPDATE tokens SET last_used_at = now() WHERE sha256 = (
			SELECT sha256 FROM tokens WHERE sha256 = $1
				AND (last_used_at IS NULL OR last_used_at < now() - interval '1 hour')
			FOR NO KEY UPDATE SKIP LOCKED)`, sum)
}

// Token describes a token. The database stores only a hash of the token itself.
type Token struct {
	Prefix     string // its first six characters
	Email      string
	AccountID  *int64 // nil: all accounts of the user
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

// Tokens lists the tokens that open an account, oldest first.
func Tokens(ctx context.Context, q storage.Queries, account int64) ([]Token, error) {
	return db.Many[Token](ctx, q.DB, `
		SELECT t.prefix, u.email, t.account_id, t.created_at, t.expires_at, t.revoked_at, t.last_used_at,
			t.denied, t.entity_ids, t.read_only
		FROM memberships m JOIN users u ON u.id = m.user_id
		JOIN tokens t ON t.user_id = m.user_id AND `+opens+`
		WHERE m.account_id = $1 ORDER BY t.created_at, t.prefix`, account)
}

// TokensNeedingHeader counts the valid tokens of a user that open all accounts and need the header
// ACCOUNT_ID as soon as the user, a member of another account, becomes a member of this one. The
// count is 0 if the user is a member already.
func TokensNeedingHeader(ctx context.Context, q storage.Queries, account, user int64) (int64, error) {
	return db.One[int64](ctx, q.DB, `
		SELECT count(*) FROM tokens
		WHERE user_id = $2 AND account_id IS NULL AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
			AND EXISTS (SELECT FROM memberships WHERE user_id = $2)
			AND NOT EXISTS (SELECT FROM memberships WHERE user_id = $2 AND account_id = $1)`, account, user)
}

// tokenPrefix is the number of characters of a token that are stored to identify it.
const tokenPrefix = 6

// TokenPrefix returns the characters of a token that identify it.
func TokenPrefix(token string) string { return token[:min(len(token), tokenPrefix)] }

// TokenSum returns the hash under which a token is stored.
func TokenSum(token string) [sha256.Size]byte { return sha256.Sum256([]byte(token)) }

// NewToken describes a token to insert.
type NewToken struct {
	UserID    int64
	AccountID *int64 // nil: all accounts of the user
	finance.Rights
	ExpiresAt *time.Time // nil: never
}

// InsertToken stores the hash of a token, and emits the event. An entity that the token's account does not
// have is a finance.Invalid; a token for all accounts has no entities.
func InsertToken(ctx context.Context, tx *storage.Tx, token string, n NewToken) error {
	known, err := db.Many[int64](ctx, tx.DB,
		`SELECT id FROM entities WHERE account_id = $1 AND id = ANY($2) ORDER BY id`,
		n.AccountID, n.EntityIDs)
	if err != nil {
		return err
	}
	if len(storage.Without(n.EntityIDs, known)) > 0 {
		return finance.Refuse("entity", messages.NotExisting)
	}
	sum := TokenSum(token)
	id, err := db.One[int64](ctx, tx.DB, insertToken.SQL, insertToken.Args(db.Args{
		"sum": sum[:], "user": n.UserID, "account": n.AccountID, "prefix": TokenPrefix(token),
		"denied":   pq.Array(n.Denied),
		"entities": pq.Array(n.EntityIDs), "read_only": n.ReadOnly, "expires": n.ExpiresAt,
	})...)
	if err != nil {
		return err
	}
	return emitTokens(ctx, tx, finance.Created, []int64{id}, "")
}

var insertToken = db.Named("tokens.insert", `
	INSERT INTO tokens (sha256, user_id, account_id, prefix, denied, entity_ids, read_only, expires_at)
	VALUES (@sum, @user, @account, @prefix, coalesce(@denied, '{}'::text[]), @entities, @read_only, @expires)
		RETURNING id`)

// RevokeToken revokes the one unrevoked token that is given by its first six characters or as
// a whole, with its sessions, and emits the event. No such token is ErrNotFound; several
// are an error.
func RevokeToken(ctx context.Context, tx *storage.Tx, token string) error {
	if len(token) < tokenPrefix {
		return fmt.Errorf("a token is named by its first %d characters", tokenPrefix)
	}
	sum := TokenSum(token)
	ids, err := db.Many[int64](ctx, tx.DB, `
		SELECT id FROM tokens
		WHERE revoked_at IS NULL AND (sha256 = $1 OR (length($2) = $3 AND prefix = $2)) FOR UPDATE`,
		sum[:], token, tokenPrefix)
	switch {
	case err != nil:
		return err
	case len(ids) == 0:
		return storage.ErrNotFound
	case len(ids) > 1:
		return errors.New("several tokens begin so: revoke by the whole token")
	}
	return revoke(ctx, tx, ids[0])
}

// revoke revokes a token, which the transaction has locked, with its sessions, and emits the event.
func revoke(ctx context.Context, tx *storage.Tx, id int64) error {
	ids, err := db.Many[int64](ctx, tx.DB, `
		UPDATE tokens SET revoked_at = now() WHERE (id = $1 OR session_of = $1) AND revoked_at IS NULL
			RETURNING id`, id)
	if err != nil {
		return err
	}
	return emitTokens(ctx, tx, finance.Destroyed, ids, "")
}

// emitTokens emits a change of tokens in each account that they open.
func emitTokens(ctx context.Context, tx *storage.Tx, action finance.Action, ids []int64, attributes string) error {
	type opened struct {
		AccountID int64
		IDs       pq.Int64Array
	}
	accounts, err := db.Many[opened](ctx, tx.DB, `
		SELECT m.account_id, array_agg(t.id ORDER BY t.id) AS ids
		FROM tokens t JOIN memberships m ON m.user_id = t.user_id AND `+opens+`
		WHERE t.id = ANY($1) GROUP BY m.account_id ORDER BY m.account_id`, pq.Array(ids))
	if err != nil {
		return err
	}
	for _, of := range accounts {
		if err := tx.Emit(ctx, finance.Event{Family: finance.TokensFamily, Action: action, AccountID: of.AccountID,
			IDs: of.IDs, Attributes: attributes}); err != nil {
			return err
		}
	}
	return nil
}
