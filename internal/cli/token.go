package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/members"
)

type tokenCommand struct {
	Create createTokenCommand `cmd:"" help:"Create a token that opens one account. Its user, if not a member, becomes a plain one; an existing membership stays as it is."`
	List   listTokensCommand  `cmd:"" help:"List the tokens that open an account."`
	Revoke revokeTokenCommand `cmd:"" help:"Revoke a token, at once on every process."`
}

type createTokenCommand struct {
	memberFlags
	Administrator bool           `help:"Somebody who is not a member becomes an administrator." xor:"role"`
	Member        bool           `hidden:"" help:"The default, said." xor:"role"`
	AllAccounts   bool           `help:"The token opens every account of the user, also later ones, and chooses one by the header ACCOUNT_ID."`
	ReadOnly      bool           `help:"The token may only read."`
	Name          *string        `placeholder:"NAME" help:"What the token is for, as the lists show it."`
	Expires       *time.Duration `placeholder:"DURATION" help:"How long the token is valid, such as 720h; forever if not given."`
	JSON          bool           `help:"Print JSON."`
	dataFlag
}

func (t createTokenCommand) Run(ctx context.Context) error {
	narrow, err := t.access(false)
	if err != nil {
		return err
	}
	if t.Name != nil {
		if err := wrongFlag((&members.Token{Name: t.Name}).Validate()); err != nil {
			return err
		}
	}
	if t.Expires != nil && *t.Expires <= 0 {
		return wrongUsage("--expires must be positive")
	}
	if t.AllAccounts && len(t.Entity) > 0 {
		return wrongUsage("--entity names entities of account %d alone: it cannot be combined with --all-accounts",
			t.Account)
	}
	c, err := t.config()
	if err != nil {
		return err
	}
	s, err := t.store(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	made := newToken{NewToken: members.NewToken{
		Name: t.Name, Rights: finance.Rights{Denied: narrow.Denied, EntityIDs: narrow.EntityIDs, ReadOnly: t.ReadOnly},
	}}
	if !t.AllAccounts {
		made.AccountID = &t.Account
	}
	if t.Expires != nil {
		made.ExpiresAt = new(time.Now().In(c.Timezone).Add(*t.Expires).Truncate(time.Microsecond)) // as it is stored
	}
	err = s.InTx(ctx, func(tx *storage.Tx) error {
		if made.UserID, err = members.UpsertUser(ctx, tx, t.Email); err != nil {
			return err
		}
		if made.needHeader, err = members.TokensNeedingHeader(ctx, tx.Queries, t.Account, made.UserID); err != nil {
			return err
		}
		if made.user, err = t.join(ctx, tx, made.UserID); err != nil {
			return err
		}
		made.token, _, err = members.MakeToken(ctx, tx, made.NewToken)
		if errors.Is(err, storage.ErrNotFound) { // removed since join
			err = noMember(t.Account, t.Email)
		}
		return err
	})
	if err != nil {
		return t.explain(err)
	}
	return lost(made.print(t.JSON), "the token exists: bordero token revoke %s", members.TokenPrefix(made.token))
}

// lost adds a remedy, or what exists, to the error of writing the only copy of something, such as a secret; nil stays
// nil.
func lost(err error, remedy string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w; "+remedy, append([]any{err}, args...)...)
}

// newToken is the output of `token create`, the only place that shows the token.
type newToken struct {
	token string
	members.NewToken
	user       finance.Access
	needHeader int64 // other tokens of the user
}

func (n newToken) print(asJSON bool) error {
	narrowed := n.user.Narrowed(n.Rights)
	if asJSON {
		return printJSON(map[string]any{
			"user_id": n.UserID, "account_id": n.AccountID, "token": n.token, "expires_at": n.ExpiresAt,
			"user": memberOf(n.user), "may": memberOf(narrowed), "tokens_needing_header": n.needHeader,
		})
	}
	accounts, expiry := "", "never expires"
	if n.AccountID == nil {
		accounts = " for every account of the user"
	}
	if n.ExpiresAt != nil {
		expiry = "expires " + moment(n.ExpiresAt)
	}
	_, err := fmt.Printf("user %d: %s\ntoken %s%s (shown only once): %s, %s\n", n.UserID, may(n.user), n.token,
		accounts, may(narrowed), expiry)
	warnNeedingHeader(n.user.UserEmail, n.needHeader)
	return err
}

// warnNeedingHeader warns that tokens now need the header ACCOUNT_ID, because their user has joined another account.
func warnNeedingHeader(email string, tokens int64) {
	switch tokens {
	case 0:
	case 1:
		fmt.Fprintf(os.Stderr, "1 token that opens all accounts of %s now needs the header ACCOUNT_ID\n", email)
	default:
		fmt.Fprintf(os.Stderr, "%d tokens that open all accounts of %s now need the header ACCOUNT_ID\n", tokens, email)
	}
}

// join makes the user a member. An existing membership stays unchanged: a new token must not widen the
// rights of existing tokens.
func (t createTokenCommand) join(ctx context.Context, tx *storage.Tx, id int64) (finance.Access, error) {
	user := finance.Access{UserID: id, UserEmail: t.Email, AccountID: t.Account, Administrator: t.Administrator,
		AllEntities: true}
	all, err := members.List(ctx, tx.Queries, t.Account)
	if err != nil {
		return user, err
	}
	for _, m := range all {
		if m.UserID != user.UserID {
			continue
		}
		if t.Administrator && !m.Administrator {
			return m, fmt.Errorf("%s is a plain member; bordero member add --administrator changes that", t.Email)
		}
		return m, nil
	}
	return user, members.PutMembership(ctx, tx, user)
}

type listTokensCommand struct {
	Account int64 `required:"" placeholder:"ID" help:"Id of the account."`
	JSON    bool  `help:"Print JSON, one line per token."`
	dataFlag
}

func (t listTokensCommand) Run(ctx context.Context) error {
	s, err := t.store(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := checkAccount(ctx, s, t.Account); err != nil {
		return err
	}
	all, err := members.Tokens(ctx, s.Queries, t.Account)
	if err != nil {
		return err
	}
	return listing[shownToken]{
		json: t.JSON, none: fmt.Sprintf("no token opens account %d", t.Account),
		columns: []string{"PREFIX", "EMAIL", "CREATED", "LAST USED", "EXPIRES", "REVOKED", "TAKEN AWAY", "ACCOUNTS",
			"NAME"},
		row: func(s shownToken) []string {
			accounts := "all"
			if s.AccountID != nil {
				accounts = fmt.Sprint(*s.AccountID)
			}
			return []string{
				s.Prefix, s.Email, moment(&s.CreatedAt), moment(s.LastUsedAt), moment(s.ExpiresAt), moment(s.RevokedAt),
				takenAway(s.rights), accounts, cmp.Or(finance.OrZero(s.Name), "-"),
			}
		},
	}.print(each(all, tokenOf))
}

// shownToken is a token as JSON for scripts.
type shownToken struct {
	Prefix     string     `json:"prefix"`
	Email      string     `json:"email"`
	AccountID  *int64     `json:"account_id"` // null means all accounts of the user
	CreatedAt  time.Time  `json:"created_at"`
	ExpiresAt  *time.Time `json:"expires_at"`
	RevokedAt  *time.Time `json:"revoked_at"`
	LastUsedAt *time.Time `json:"last_used_at"`
	Denied     []string   `json:"denied"`
	Entities   []int64    `json:"entities"` // null means all entities
	ReadOnly   bool       `json:"read_only"`
	Name       *string    `json:"name"`
	rights     finance.Rights
}

func tokenOf(t members.Token) shownToken {
	return shownToken{
		Prefix: t.Prefix, Email: t.Email, AccountID: t.AccountID, CreatedAt: t.CreatedAt, ExpiresAt: t.ExpiresAt,
		RevokedAt:  t.RevokedAt,
		LastUsedAt: t.LastUsedAt, Denied: append([]string{}, t.Denied...), Entities: t.EntityIDs, ReadOnly: t.ReadOnly,
		Name: t.Name, rights: t.Rights(),
	}
}

// takenAway lists, for a table, the rights that a member lacks, or a token of the rights of its user.
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
	s, err := t.store(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	err = s.InTx(ctx, func(tx *storage.Tx) error {
		return members.RevokeToken(ctx, tx, strings.TrimSuffix(t.Token, "…"))
	})
	if errors.Is(err, storage.ErrNotFound) {
		return errors.New("no valid token begins with that; bordero token list shows them")
	}
	if err == nil {
		fmt.Println("revoked")
	}
	return err
}
