package members

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"slices"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/storage"

	"github.com/lib/pq"
)

// ErrNoToken is returned for a token that is unknown, expired or revoked.
var ErrNoToken = errors.New("no such token")

// opens is the condition that a token t opens the account of a membership m of its user.
const opens = `(t.account_id IS NULL OR t.account_id = m.account_id) AND m.account_id <> ALL (t.barred_accounts)`

// accessesOfToken reads an access per account that a token opens, and the rights of the token. Every request
// pays for it: it reads one row of tokens and one of memberships, the row of account_quotas if there is one, and the
// entities of a member only if these are not all. The order and the names are left to the few readers that need them.
var accessesOfToken = `
	SELECT t.user_id, coalesce(m.account_id, 0), coalesce(m.administrator, false), m.denied,
		coalesce(m.read_only, false), coalesce(m.all_entities, false),
		CASE WHEN NOT m.all_entities THEN ARRAY(SELECT e.entity_id FROM membership_entities e
			WHERE e.account_id = m.account_id AND e.user_id = m.user_id ORDER BY e.entity_id) END,
		t.denied, t.entity_ids, t.read_only, ` + storage.SetQuotas + `,
		t.last_used_at IS NULL OR t.last_used_at < now() - interval '1 hour'
	FROM tokens t
	LEFT JOIN memberships m ON m.user_id = t.user_id AND ` + opens + `
	LEFT JOIN account_quotas q ON q.account_id = m.account_id
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
		var quotas pq.Int64Array
		err := rows.Scan(&userID, &a.AccountID, &a.Administrator, pq.Array(&a.Denied), &a.ReadOnly, &a.AllEntities,
			pq.Array(&a.EntityIDs), pq.Array(&rights.Denied), pq.Array(&rights.EntityIDs), &rights.ReadOnly,
			&quotas, &lastUsedStale)
		if err != nil {
			return 0, nil, err
		}
		a.Quotas = storage.QuotasOf(quotas)
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

// tokenPrefix is the number of characters of a token that are stored to identify it.
const tokenPrefix = 6

// TokenPrefix returns the characters of a token that identify it.
func TokenPrefix(token string) string { return token[:min(len(token), tokenPrefix)] }

// TokenSum returns the hash under which a token is stored.
func TokenSum(token string) [sha256.Size]byte { return sha256.Sum256([]byte(token)) }
