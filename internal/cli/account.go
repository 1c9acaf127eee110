package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/members"
)

type accountCommand struct {
	List   listAccountsCommand  `cmd:"" help:"List the accounts."`
	Create createAccountCommand `cmd:"" help:"Create an account with its first entity, an administrator and a token that opens only this account."`
	Link   linkAccountCommand   `cmd:"" help:"Print the address of the console with a code that logs a member in once, within ten minutes."`
	Delete deleteAccountCommand `cmd:"" help:"Delete an account and all its records."`
}

type listAccountsCommand struct {
	JSON bool `help:"Print JSON, one line per account."`
	dataFlag
}

func (a listAccountsCommand) Run(ctx context.Context) error {
	s, err := a.store(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	all, err := s.AllAccounts(ctx)
	if err != nil {
		return err
	}
	return listing[storage.AccountRow]{
		json: a.JSON, none: "no accounts", columns: []string{"ID", "NAME", "SANDBOX", "CREATED", "ENTITIES", "MEMBERS"},
		row: func(r storage.AccountRow) []string {
			return []string{fmt.Sprint(r.ID), r.Name, map[bool]string{true: "yes"}[r.Sandbox], moment(&r.CreatedAt),
				fmt.Sprint(r.Entities), fmt.Sprint(r.Members)}
		},
	}.print(all)
}

type createAccountCommand struct {
	Name  string `required:"" placeholder:"NAME" help:"Name of the account, and of its first entity."`
	Email string `required:"" placeholder:"EMAIL" help:"E-mail of the administrator."`

	Sandbox bool `help:"Let its administrators delete all records of the account (POST /sandbox/reset). No later command changes this."`
	JSON    bool `help:"Print JSON."`
	dataFlag
}

// newAccount is the output of `account create`, the only place that shows the token.
type newAccount struct {
	AccountID  int64  `json:"account_id"`
	EntityID   int64  `json:"entity_id"`
	UserID     int64  `json:"user_id"`
	Token      string `json:"token"`
	NeedHeader int64  `json:"tokens_needing_header"` // other tokens of the user
}

func (a createAccountCommand) Run(ctx context.Context) error {
	s, err := a.store(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	made, err := createAccount(ctx, s, a.Name, a.Email, a.Sandbox)
	if err != nil {
		return err
	}
	const remedy = "account %d exists: give its administrator a token by bordero token create"
	if a.JSON {
		return lost(printJSON(made), remedy, made.AccountID)
	}
	kind := "account"
	if a.Sandbox {
		kind = "sandbox account"
	}
	_, err = fmt.Printf("%s %d with entity %d\nuser %d, administrator\ntoken %s (shown only once)\n",
		kind, made.AccountID, made.EntityID, made.UserID, made.Token)
	warnNeedingHeader(a.Email, made.NeedHeader)
	return lost(err, remedy, made.AccountID)
}

type linkAccountCommand struct {
	Account int64  `required:"" placeholder:"ID" help:"Id of the account."`
	Email   string `required:"" placeholder:"EMAIL" help:"E-mail of the member."`
	JSON    bool   `help:"Print JSON."`
	dataFlag
}

// Run prints the only copy of the code. It is the fragment of the address, which browsers do not send, so that no
// log of a proxy has it.
func (l linkAccountCommand) Run(ctx context.Context) error {
	c, err := l.config()
	if err != nil {
		return err
	}
	s, err := l.store(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	var code string
	err = s.InTx(ctx, func(tx *storage.Tx) error {
		user, err := members.MemberID(ctx, tx.Queries, l.Account, l.Email)
		if err != nil {
			return err
		}
		code, err = members.NewLoginCode(ctx, tx, l.Account, user, nil)
		return err
	})
	if errors.Is(err, storage.ErrNotFound) {
		return cmp.Or(checkAccount(ctx, s, l.Account), noMember(l.Account, l.Email))
	}
	if err != nil {
		return err
	}
	address := strings.TrimRight(c.PublicURL, "/") + "/console/login"
	if l.JSON {
		return printJSON(map[string]any{
			"url": address + "#" + code, "code": code, "valid_seconds": members.LoginCodeFor.Seconds(),
		})
	}
	_, err = fmt.Printf("%s#%s\ncode %s (valid for %.0f minutes, once; %s asks for it)\n", address, code, code,
		members.LoginCodeFor.Minutes(), address)
	return err
}

type deleteAccountCommand struct {
	ID  int64 `arg:"" help:"Id of the account."`
	Yes bool  `help:"Confirm the deletion, which cannot be undone."`
	dataFlag
}

// Run closes the account at once. A job deletes its records afterwards.
func (a deleteAccountCommand) Run(ctx context.Context) error {
	if !a.Yes {
		return wrongUsage("account %d would be deleted with all its records: confirm with --yes", a.ID)
	}
	s, err := a.store(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	err = s.InTx(ctx, func(tx *storage.Tx) error { return members.RemoveAccount(ctx, tx, a.ID) })
	if errors.Is(err, storage.ErrNotFound) {
		return fmt.Errorf("no account %d, or it is being deleted already", a.ID)
	}
	if err != nil {
		return err
	}
	fmt.Printf("account %d is closed and being deleted; bordero jobs list --account %[1]d shows the progress\n", a.ID)
	return nil
}

// createAccount creates an account, a sandbox or not, with an entity, an administrator and a token.
func createAccount(ctx context.Context, s *storage.Store, name, email string, sandbox bool) (made newAccount,
	err error) {
	entity := finance.NewEntity(0, strings.TrimSpace(name))
	if err := wrongFlag(entity.Validate()); err != nil {
		return made, err
	}
	if err := validEmail(email); err != nil {
		return made, err
	}
	err = s.InTx(ctx, func(tx *storage.Tx) error {
		if made.AccountID, err = tx.InsertAccount(ctx, entity.Name, sandbox); err != nil {
			return err
		}
		first, err := tx.InsertFirstEntity(ctx, made.AccountID, entity.Name)
		if err != nil {
			return err
		}
		made.EntityID = first.ID
		if made.UserID, err = members.UpsertUser(ctx, tx, email); err != nil {
			return err
		}
		if made.NeedHeader, err = members.TokensNeedingHeader(ctx, tx.Queries, made.AccountID,
			made.UserID); err != nil {
			return err
		}
		err = members.PutMembership(ctx, tx, finance.Access{UserID: made.UserID, AccountID: made.AccountID,
			Administrator: true,
			AllEntities:   true})
		if err != nil {
			return err
		}
		made.Token, _, err = members.MakeToken(ctx, tx, members.NewToken{
			UserID: made.UserID, AccountID: &made.AccountID})
		return err
	})
	return made, err
}

func validEmail(email string) error { return wrongFlag((&members.Member{Email: email}).Validate()) }
