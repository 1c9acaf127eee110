package members

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"bordero/finance"
	"bordero/internal/db"
	"bordero/internal/messages"
	"bordero/internal/tokens"
	"bordero/storage"
	"bordero/storage/list"

	"github.com/lib/pq"
)

// Token describes a token. The database stores only a hash of the token itself.
type Token struct {
	ID         int64
	UserID     int64
	Prefix     string // its first six characters
	Name       *string
	Email      string
	AccountID  *int64 // nil: all accounts of the user
	CreatedAt  time.Time
	ExpiresAt  *time.Time
	RevokedAt  *time.Time
	LastUsedAt *time.Time // accurate to an hour
	Denied     pq.StringArray
	EntityIDs  pq.Int64Array // nil: all entities of the user
	ReadOnly   bool

	// The rights of the user in the account for which the token was read.
	Administrator  bool
	UserDenied     pq.StringArray
	AllEntities    bool
	UserEntityIDs  pq.Int64Array
	UserIsReadOnly bool
}

// Rights returns the restrictions of the token compared with its user.
func (t *Token) Rights() finance.Rights {
	return finance.Rights{Denied: t.Denied, EntityIDs: t.EntityIDs, ReadOnly: t.ReadOnly}
}

// Access returns what the token may do in the account for which it was read.
func (t *Token) Access() finance.Access {
	return finance.Access{
		UserID: t.UserID, Administrator: t.Administrator, Denied: t.UserDenied, AllEntities: t.AllEntities,
		EntityIDs: t.UserEntityIDs, ReadOnly: t.UserIsReadOnly,
	}.Narrowed(t.Rights())
}

// maxText is the number of characters of a name or an e-mail.
const maxText = 255

// Validate refuses a token without a name, and a name that is too long.
func (t *Token) Validate() error {
	var invalid finance.Invalid
	validateName(&invalid, t.Name)
	return invalid.Err()
}

func validateName(invalid *finance.Invalid, name *string) {
	switch {
	case name == nil || strings.TrimSpace(*name) == "":
		invalid.Add("name", messages.Blank)
	case utf8.RuneCountInString(*name) > maxText:
		invalid.Add("name", messages.TooLong.With(maxText))
	}
}

const tokenColumns = `t.id, t.user_id, t.prefix, t.name, lower(u.email) AS email, t.account_id, t.created_at,
	t.expires_at, t.revoked_at, t.last_used_at, t.denied, t.entity_ids, t.read_only, m.administrator,
	m.denied AS user_denied, m.all_entities,
	ARRAY(SELECT e.entity_id FROM membership_entities e
		WHERE e.account_id = m.account_id AND e.user_id = m.user_id ORDER BY e.entity_id) AS user_entity_ids,
	m.read_only AS user_is_read_only`

// tokensOf are the tokens that open accounts, with their users.
const tokensOf = `memberships m JOIN users u ON u.id = m.user_id JOIN tokens t ON t.user_id = m.user_id AND ` + opens

// valid is the condition that a token t is neither revoked nor expired.
const valid = `t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())`

// Tokens lists the tokens that open an account, or did so until they expired or were revoked, oldest first. It is
// for operators.
func Tokens(ctx context.Context, q storage.Queries, account int64) ([]Token, error) {
	return db.Many[Token](ctx, q.DB, `
		SELECT `+tokenColumns+` FROM `+tokensOf+` WHERE m.account_id = $1 ORDER BY t.created_at, t.prefix`, account)
}

var tokenFilters = list.Table("Token", map[string]list.Filter{
	"user_id_equals": list.Where("m.user_id = ?", list.ID, "Of this member."),
})

// ValidTokens lists the valid tokens that open an account, by id.
func ValidTokens(ctx context.Context, q storage.Queries, account int64, l list.Query) (list.Page[Token], error) {
	return list.Read[Token](ctx, q.DB, l, tokenFilters, tokenColumns,
		tokensOf+` WHERE m.account_id = @account AND `+valid, list.By("t.id"), db.Args{"account": account})
}

// ValidToken reads a valid token that opens an account. Any other is ErrNotFound.
func ValidToken(ctx context.Context, q storage.Queries, account, id int64) (*Token, error) {
	t, err := db.One[Token](ctx, q.DB, `
		SELECT `+tokenColumns+` FROM `+tokensOf+` WHERE m.account_id = $1 AND t.id = $2 AND `+valid, account, id)
	return &t, err
}

// LockToken is ValidToken with a lock, for a change of the token by a transaction that has locked the account.
func LockToken(ctx context.Context, tx *storage.Tx, account, id int64) (*Token, error) {
	t, err := db.One[Token](ctx, tx.DB, `
		SELECT `+tokenColumns+` FROM `+tokensOf+` WHERE m.account_id = $1 AND t.id = $2 AND `+valid+`
		FOR NO KEY UPDATE OF t`, account, id)
	return &t, err
}

// TokensNeedingHeader counts the valid tokens of a user that open one account and need the header ACCOUNT_ID as soon as
// the user becomes a member of this one too. The count is 0 if the user is a member already.
func TokensNeedingHeader(ctx context.Context, q storage.Queries, account, user int64) (int64, error) {
	return db.One[int64](ctx, q.DB, `
		SELECT count(*) FROM tokens t
		WHERE t.user_id = $2 AND t.account_id IS NULL AND $1 <> ALL (t.barred_accounts) AND `+valid+`
			AND (SELECT count(*) FROM memberships m WHERE m.user_id = $2 AND `+opens+`) = 1
			AND NOT EXISTS (SELECT FROM memberships WHERE user_id = $2 AND account_id = $1)`, account, user)
}

// NewToken describes a token to insert.
type NewToken struct {
	Name      *string
	UserID    int64
	AccountID *int64 // nil: all accounts of the user
	finance.Rights
	ExpiresAt *time.Time // nil: never
}

// MakeToken makes a token, stores its hash, and emits the event. The token is returned here only. An entity that the
// token's account does not have is a finance.Invalid; a token for all accounts has no entities. A user without a
// membership of the account is storage.ErrNotFound.
func MakeToken(ctx context.Context, tx *storage.Tx, n NewToken) (token string, id int64, err error) {
	token = tokens.New()
	id, err = insert(ctx, tx, token, n)
	return token, id, err
}

// InsertToken is MakeToken for a token that exists.
func InsertToken(ctx context.Context, tx *storage.Tx, token string, n NewToken) error {
	_, err := insert(ctx, tx, token, n)
	return err
}

func insert(ctx context.Context, tx *storage.Tx, token string, n NewToken) (id int64, err error) {
	if err := entitiesExist(ctx, tx, n.AccountID, n.EntityIDs); err != nil {
		return 0, err
	}
	sum := TokenSum(token)
	id, err = db.OneNamed[int64](ctx, tx.DB, insertToken, db.Args{
		"sum": sum[:], "user": n.UserID, "account": n.AccountID, "prefix": TokenPrefix(token), "name": n.Name,
		"denied": pq.Array(n.Denied), "entities": pq.Array(n.EntityIDs), "read_only": n.ReadOnly,
		"expires": n.ExpiresAt,
	})
	if err != nil {
		return 0, err
	}
	return id, emitTokens(ctx, tx, finance.Created, []int64{id}, "")
}

// insertToken keeps the membership until the token is stored: the removal of the member comes before, or finds it.
var insertToken = db.Named("tokens.insert", `
	WITH member AS (
		SELECT user_id FROM memberships WHERE account_id = @account AND user_id = @user FOR KEY SHARE
	)
	INSERT INTO tokens (sha256, user_id, account_id, prefix, name, denied, entity_ids, read_only, expires_at)
	SELECT @sum, @user, @account, @prefix, @name, coalesce(@denied, '{}'::text[]), @entities, @read_only, @expires
	WHERE @account::bigint IS NULL OR EXISTS (SELECT FROM member)
	RETURNING id`)

// entitiesExist refuses ids that no entity of the account has; without an account, all ids. It locks the entities FOR
// KEY SHARE, so that they exist until the end of the transaction.
func entitiesExist(ctx context.Context, tx *storage.Tx, account *int64, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	known, err := db.Many[int64](ctx, tx.DB, `
		SELECT id FROM entities WHERE account_id = $1 AND id = ANY($2) ORDER BY id FOR KEY SHARE`, account,
		pq.Array(ids))
	if err != nil {
		return err
	}
	var invalid finance.Invalid
	for _, id := range storage.Without(ids, known) {
		invalid.AddNamed(fmt.Sprintf("entities/=%d", id), "entities", messages.IDsNotExisting,
			strconv.FormatInt(id, 10))
	}
	return invalid.Err()
}

// RenameToken stores the name of a token that LockToken has locked. Other accounts would read the name of a token
// for all accounts: it is refused.
func RenameToken(ctx context.Context, tx *storage.Tx, t *Token) error {
	if t.AccountID == nil {
		return finance.Refuse("name", messages.SharedToken)
	}
	_, err := db.Exec(ctx, tx.DB, `UPDATE tokens SET name = $3 WHERE account_id = $1 AND id = $2`, *t.AccountID, t.ID,
		t.Name)
	return err
}

// EndToken revokes a token that LockToken has locked, at once in every process. A token for all accounts is barred
// from this account alone. Its sessions end likewise. EndToken emits the event.
func EndToken(ctx context.Context, tx *storage.Tx, account int64, t *Token) error {
	if t.AccountID != nil {
		return revoke(ctx, tx, t.ID)
	}
	ids, err := db.Many[int64](ctx, tx.DB, `
		UPDATE tokens t SET barred_accounts = array_append(t.barred_accounts, $1)
		WHERE t.user_id = $2 AND (t.id = $3 OR t.session_of = $3) AND $1 <> ALL (t.barred_accounts) AND `+valid+`
			RETURNING t.id`, account, t.UserID, t.ID)
	if err != nil {
		return err
	}
	return tx.Emit(ctx, finance.Event{Family: finance.TokensFamily, Action: finance.Destroyed, AccountID: account,
		IDs: ids})
}

// RevokeToken revokes the one valid token that is given by its first six characters or as a whole, with its sessions,
// and emits the event. No such token is ErrNotFound; several, or a part of another length, are an error, and none is
// revoked.
func RevokeToken(ctx context.Context, tx *storage.Tx, token string) error {
	if len(token) != tokenPrefix && !tokens.Possible(token) {
		return fmt.Errorf("a token is named by its first %d characters or by all, and these are %d", tokenPrefix,
			utf8.RuneCountInString(token))
	}
	sum := TokenSum(token)
	ids, err := db.Many[int64](ctx, tx.DB, `
		SELECT t.id FROM tokens t
		WHERE `+valid+` AND (t.sha256 = $1 OR (length($2) = $3 AND t.prefix = $2)) FOR UPDATE`,
		sum[:], token, tokenPrefix)
	switch {
	case err != nil:
		return err
	case len(ids) == 0:
		return storage.ErrNotFound
	case len(ids) > 1:
		return fmt.Errorf("%d valid tokens begin with %s: revoke one by the whole token, or by its id with DELETE "+
			"/tokens/{id}", len(ids), token)
	}
	return revoke(ctx, tx, ids[0])
}

// revoke revokes a token, which the transaction has locked, with its sessions, and emits the event.
func revoke(ctx context.Context, tx *storage.Tx, id int64) error {
	ids, err := db.ManyNamed[int64](ctx, tx.DB, revokeToken, db.Args{"token": id})
	if err != nil {
		return err
	}
	return emitTokens(ctx, tx, finance.Destroyed, ids, "")
}

// The sessions of a token are of its user, whose valid tokens are few: those that have ended may be a million.
var revokeToken = db.Named("tokens.revoke", `
	UPDATE tokens t SET revoked_at = now()
	WHERE t.user_id = (SELECT user_id FROM tokens WHERE id = @token) AND (t.id = @token OR t.session_of = @token)
		AND `+valid+`
	RETURNING t.id`)

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
