package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"bordero/finance"
	"bordero/internal/tokens"
	"bordero/storage"
)

type tokenCommand struct {
	Create createTokenCommand `cmd:"" help:"Create a token for a user of an account. Somebody who is not a member becomes a plain one; an existing membership stays as it is."`
	List   listTokensCommand  `cmd:"" help:"List the tokens of an account's users."`
	Revoke revokeTokenCommand `cmd:"" help:"Revoke a token, at once on every process."`
}

type createTokenCommand struct {
	memberFlags
	Administrator bool           `help:"Somebody who is not a member becomes an administrator." xor:"role"`
	Member        bool           `hidden:"" help:"The default, said." xor:"role"`
	ReadOnly      bool           `help:"The token may only read."`
	Expires       *time.Duration `placeholder:"DURATION" help:"How long the token is valid, such as 720h; forever if not given."`
	JSON          bool           `help:"Print JSON."`
	dataFlag
}

func (t createTokenCommand) Run(ctx context.Context) error {
	narrow, err := t.access(false)
	if err != nil {
		return err
	}
	if t.Expires != nil && *t.Expires <= 0 {
		return wrongUsage("--expires must be positive")
	}
	s, err := t.store()
	if err != nil {
		return err
	}
	defer s.Close()
	rights := finance.Rights{Denied: narrow.Denied, EntityIDs: narrow.EntityIDs, ReadOnly: t.ReadOnly}
	token := tokens.New()
	var user finance.Access
	var expires *time.Time
	if t.Expires != nil {
		at := time.Now().Add(*t.Expires)
		expires = &at
	}
	err = s.InTx(ctx, func(tx *storage.Tx) error {
		if user, err = t.join(ctx, tx); err != nil {
			return err
		}
		if err := tx.InsertToken(ctx, user.UserID, token, expires); err != nil {
			return err
		}
		return tx.NarrowToken(ctx, t.Account, token, rights)
	})
	if err != nil {
		return t.explain(err)
	}
	narrowed := user.Narrowed(rights)
	if t.JSON {
		return printJSON(map[string]any{
			"user_id": user.UserID, "token": token, "user": memberOf(user), "may": memberOf(narrowed), "expires_at": expires,
		})
	}
	expiry := "never expires"
	if expires != nil {
		expiry = "expires " + moment(expires)
	}
	fmt.Printf("user %d: %s\ntoken %s (shown only once): %s, %s\n", user.UserID, may(user), token, may(narrowed), expiry)
	return nil
}

// join makes the user a member. An existing membership stays as it is: a new token must not
// widen the rights of existing ones.
func (t createTokenCommand) join(ctx context.Context, tx *storage.Tx) (finance.Access, error) {
	user := finance.Access{UserEmail: t.Email, AccountID: t.Account, Administrator: t.Administrator, AllEntities: true}
	var err error
	if user.UserID, err = tx.UpsertUser(ctx, t.Email); err != nil {
		return user, err
	}
	members, err := tx.Members(ctx, t.Account)
	if err != nil {
		return user, err
	}
	for _, m := range members {
		if m.UserID != user.UserID {
			continue
		}
		if t.Administrator && !m.Administrator {
			return m, fmt.Errorf("%s is a plain member; bordero member add --administrator changes that", t.Email)
		}
		return m, nil
	}
	return user, tx.PutMembership(ctx, user)
}

type listTokensCommand struct {
	Account int64 `required:"" placeholder:"ID" help:"Id of the account."`
	JSON    bool  `help:"Print JSON, one line per token."`
	dataFlag
}

func (t listTokensCommand) Run(ctx context.Context) error {
	s, err := t.store()
	if err != nil {
		return err
	}
	defer s.Close()
	all, err := s.Tokens(ctx, t.Account)
	if err != nil {
		return err
	}
	return listing[shownToken]{
		json: t.JSON, none: fmt.Sprintf("no user of account %d has a token", t.Account),
		columns: []string{"PREFIX", "EMAIL", "CREATED", "LAST USED", "EXPIRES", "REVOKED", "TAKEN AWAY"},
		row: func(s shownToken) []string {
			return []string{s.Prefix, s.Email, moment(&s.CreatedAt), moment(s.LastUsedAt), moment(s.ExpiresAt), moment(s.RevokedAt), takenAway(s.rights)}
		},
	}.print(each(all, tokenOf))
}

// shownToken is a token as JSON for scripts.
type shownToken struct {
	Prefix     string     `json:"prefix"`
	Email      string     `json:"email"`
	CreatedAt  time.Time  `json:"created_at"`
	ExpiresAt  *time.Time `json:"expires_at"`
	RevokedAt  *time.Time `json:"revoked_at"`
	LastUsedAt *time.Time `json:"last_used_at"`
	Denied     []string   `json:"denied"`
	Entities   []int64    `json:"entities"` // null means all
	ReadOnly   bool       `json:"read_only"`
	rights     finance.Rights
}

func tokenOf(t storage.Token) shownToken {
	return shownToken{
		Prefix: t.Prefix, Email: t.Email, CreatedAt: t.CreatedAt, ExpiresAt: t.ExpiresAt, RevokedAt: t.RevokedAt, LastUsedAt: t.LastUsedAt,
		Denied: append([]string{}, t.Denied...), Entities: t.EntityIDs, ReadOnly: t.ReadOnly, rights: t.Rights(),
	}
}

// takenAway lists, for a table, the rights of its user that a token lacks.
func takenAway(r finance.Rights) string {
	words := slices.Clone(r.Denied)
	if r.EntityIDs != nil {
		words = append(words, "all entities but "+sees(finance.Access{EntityIDs: r.EntityIDs}))
	}
	if r.ReadOnly {
		words = append(words, "changes")
	}
	if len(words) == 0 {
		return "-"
	}
	return strings.Join(words, ", ")
}

// moment formats a time for a table; nil is a dash.
func moment(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Format(time.DateTime)
}

type revokeTokenCommand struct {
	Token string `arg:"" name:"token-prefix" help:"The first six characters of the token, or all of it."`
	dataFlag
}

func (t revokeTokenCommand) Run(ctx context.Context) error {
	s, err := t.store()
	if err != nil {
		return err
	}
	defer s.Close()
	err = s.InTx(ctx, func(tx *storage.Tx) error { return tx.RevokeToken(ctx, strings.TrimSuffix(t.Token, "…")) })
	if errors.Is(err, storage.ErrNotFound) {
		return errors.New("no valid token begins with that; bordero token list shows them")
	}
	if err == nil {
		fmt.Println("revoked")
	}
	return err
}
