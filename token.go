package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bordero/finance"
	"bordero/storage"
)

type tokenCommand struct {
	Create createTokenCommand `cmd:"" help:"Make a token for a user of an account, who becomes its member if need be."`
	List   listTokensCommand  `cmd:"" help:"List the tokens of an account's users."`
	Revoke revokeTokenCommand `cmd:"" help:"End a token at once, on every process."`
}

type createTokenCommand struct {
	memberFlags
	Member  bool          `help:"Make the user a member, not an administrator."`
	Expires time.Duration `placeholder:"DURATION" help:"How long the token is good, such as 720h; for ever when not given."`
	JSON    bool          `help:"Print JSON."`
	dataFlag
}

func (t createTokenCommand) Run(ctx context.Context) error {
	access, err := t.access(!t.Member, "go with --member")
	if err != nil {
		return err
	}
	if t.Expires < 0 {
		return errors.New("--expires must be positive")
	}
	s, err := t.store()
	if err != nil {
		return err
	}
	defer s.Close()
	made := struct {
		UserID int64  `json:"user_id"`
		Token  string `json:"token"`
	}{Token: newToken()}
	err = s.InTx(ctx, func(tx *storage.Tx) error {
		if made.UserID, err = tx.UpsertUser(ctx, t.Email); err != nil {
			return err
		}
		access.UserID = made.UserID
		if err := t.join(ctx, tx, access); err != nil {
			return err
		}
		var expires *time.Time
		if t.Expires > 0 {
			at := time.Now().Add(t.Expires)
			expires = &at
		}
		return tx.InsertToken(ctx, made.UserID, made.Token, expires)
	})
	if err != nil {
		return t.explain(err)
	}
	if t.JSON {
		return printJSON(made)
	}
	fmt.Printf("user %d\ntoken %s (shown this once)\n", made.UserID, made.Token)
	return nil
}

// join makes the user a member. One who is a member already stays what he is
// unless the flags say otherwise: another token makes nobody an administrator.
func (t createTokenCommand) join(ctx context.Context, tx *storage.Tx, access finance.Access) error {
	is, err := tx.Member(ctx, t.Account, access.UserID)
	if err != nil || is && !t.Member {
		return err
	}
	return tx.PutMembership(ctx, access)
}

type listTokensCommand struct {
	Account int64 `required:"" help:"Id of the account."`
	JSON    bool  `help:"Print JSON, one line a token."`
	dataFlag
}

func (t listTokensCommand) Run(ctx context.Context) error {
	s, err := t.store()
	if err != nil {
		return err
	}
	defer s.Close()
	tokens, err := s.Tokens(ctx, t.Account)
	if err != nil {
		return err
	}
	if t.JSON {
		for _, token := range tokens {
			err := printJSON(map[string]any{
				"prefix": token.Prefix, "email": token.Email, "created_at": token.CreatedAt,
				"expires_at": token.ExpiresAt, "revoked_at": token.RevokedAt, "last_used_at": token.LastUsedAt,
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	rows := [][]string{{"TOKEN", "EMAIL", "CREATED", "LAST USED", "EXPIRES", "REVOKED"}}
	for _, token := range tokens {
		rows = append(rows, []string{token.Prefix + "…", token.Email, moment(&token.CreatedAt), moment(token.LastUsedAt),
			moment(token.ExpiresAt), moment(token.RevokedAt)})
	}
	return printTable(rows)
}

// moment is a time for a table; none is a dash.
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
	err = s.InTx(ctx, func(tx *storage.Tx) error { return tx.RevokeToken(ctx, t.Token) })
	if errors.Is(err, storage.ErrNotFound) {
		return errors.New("no live token begins so; bordero token list shows them")
	}
	if err == nil {
		fmt.Println("revoked")
	}
	return err
}
