package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/members"
)

type memberCommand struct {
	Add    addMemberCommand    `cmd:"" help:"Add a user to an account, or change what a member may do."`
	List   listMembersCommand  `cmd:"" help:"List the members of an account and what each may do."`
	Remove removeMemberCommand `cmd:"" help:"Remove a user from an account, at once on every process. Tokens for this account are revoked; those that open all accounts of the user go on opening the others."`
}

// memberFlags name a user of an account and the rights that the member, or the token, lacks.
type memberFlags struct {
	Account int64    `required:"" placeholder:"ID" help:"Id of the account."`
	Email   string   `required:"" placeholder:"EMAIL" help:"E-mail of the user."`
	Deny    []string `placeholder:"PERMISSION" help:"Permission that the member, or the token, lacks; may be repeated."`
	Entity  []int64  `placeholder:"ID" help:"Entity that the member, or the token, sees, instead of all; may be repeated."`
}

// access returns the rights that the flags describe.
func (f memberFlags) access(administrator bool) (finance.Access, error) {
	entities := slices.Compact(slices.Sorted(slices.Values(f.Entity)))
	a := finance.Access{
		UserEmail: f.Email, AccountID: f.Account, Administrator: administrator,
		Denied: f.Deny, AllEntities: len(entities) == 0, EntityIDs: entities,
	}
	if administrator && (len(f.Deny) > 0 || len(f.Entity) > 0) {
		return a, wrongUsage("an administrator has every permission and sees every entity: --deny and --entity " +
			"cannot be combined with --administrator")
	}
	for _, p := range f.Deny {
		if !slices.Contains(finance.Permissions, finance.Permission(p)) {
			return a, wrongUsage("--deny %s: not one of %s", p, finance.Permissions)
		}
	}
	return a, validEmail(f.Email)
}

// explain translates an error of the store into an error about the flags.
func (f memberFlags) explain(err error) error {
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return noOpenAccount(f.Account)
	case errors.Is(err, members.ErrLastAdministrator):
		return fmt.Errorf("%s is the last administrator of account %d; make another one first", f.Email, f.Account)
	case errors.As(err, new(*finance.Invalid)):
		return fmt.Errorf("--entity: account %d does not have all of these entities: %v", f.Account, f.Entity)
	}
	return err
}

type addMemberCommand struct {
	memberFlags
	Administrator bool `help:"Make the user an administrator; a plain member if not given." xor:"role"`
	Member        bool `hidden:"" help:"The default, said." xor:"role"`
	ReadOnly      bool `help:"The member may only read."`
	JSON          bool `help:"Print JSON."`
	dataFlag
}

func (m addMemberCommand) Run(ctx context.Context) error {
	access, err := m.access(m.Administrator)
	if err != nil {
		return err
	}
	if access.ReadOnly = m.ReadOnly; m.Administrator && m.ReadOnly {
		return wrongUsage("an administrator writes: --read-only cannot be combined with --administrator")
	}
	s, err := m.store(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	var needHeader int64
	err = s.InTx(ctx, func(tx *storage.Tx) error {
		if access.UserID, err = members.UpsertUser(ctx, tx, m.Email); err != nil {
			return err
		}
		if needHeader, err = members.TokensNeedingHeader(ctx, tx.Queries, m.Account, access.UserID); err != nil {
			return err
		}
		return members.PutMembership(ctx, tx, access)
	})
	if err != nil {
		return m.explain(err)
	}
	if m.JSON {
		return printJSON(struct {
			shownMember
			NeedHeader int64 `json:"tokens_needing_header"`
		}{memberOf(access), needHeader})
	}
	fmt.Printf("user %d: %s\n", access.UserID, may(access))
	warnNeedingHeader(m.Email, needHeader)
	return nil
}

// may describes an access, for the end of a line.
func may(a finance.Access) string {
	permissions, changes := "all", "may change records"
	if len(a.Denied) > 0 {
		permissions = "all but " + strings.Join(a.Denied, ",")
	}
	if a.ReadOnly {
		changes = "read only"
	}
	return fmt.Sprintf("%s of account %d, permissions: %s, entities: %s, %s", role(a), a.AccountID, permissions,
		sees(a), changes)
}

// role returns the user's role in an account, in an operator's words.
func role(a finance.Access) string {
	if a.Administrator {
		return "administrator"
	}
	return "member"
}

// shownMember is a member as JSON for scripts.
type shownMember struct {
	UserID   int64    `json:"user_id"`
	Email    string   `json:"email"`
	Role     string   `json:"role"`
	Denied   []string `json:"denied"`
	Entities []int64  `json:"entities"` // null means all
	ReadOnly bool     `json:"read_only"`
	access   finance.Access
}

func memberOf(a finance.Access) shownMember {
	m := shownMember{UserID: a.UserID, Email: a.UserEmail, Role: role(a), Denied: append([]string{}, a.Denied...),
		ReadOnly: a.ReadOnly, access: a}
	if !a.AllEntities {
		m.Entities = append([]int64{}, a.EntityIDs...)
	}
	return m
}

type listMembersCommand struct {
	Account int64 `required:"" placeholder:"ID" help:"Id of the account."`
	JSON    bool  `help:"Print JSON, one line per member."`
	dataFlag
}

func (m listMembersCommand) Run(ctx context.Context) error {
	s, err := m.store(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := checkAccount(ctx, s, m.Account); err != nil {
		return err
	}
	members, err := members.List(ctx, s.Queries, m.Account)
	if err != nil {
		return err
	}
	return listing[shownMember]{
		json: m.JSON, none: fmt.Sprintf("account %d has no members", m.Account),
		columns: []string{"USER", "EMAIL", "ROLE", "LACKS", "ENTITIES"},
		row: func(m shownMember) []string {
			lacking := takenAway(finance.Rights{Denied: m.Denied, ReadOnly: m.ReadOnly})
			return []string{fmt.Sprint(m.UserID), m.Email, m.Role, lacking, sees(m.access)}
		},
	}.print(each(members, memberOf))
}

// sees lists, for a table, the entities that a member may see.
func sees(a finance.Access) string {
	switch {
	case a.CanSeeAll():
		return "all"
	case len(a.EntityIDs) == 0:
		return "none"
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(a.EntityIDs), " ", ","), "[]")
}

type removeMemberCommand struct {
	Account int64  `required:"" placeholder:"ID" help:"Id of the account."`
	Email   string `required:"" placeholder:"EMAIL" help:"E-mail of the user."`
	dataFlag
}

func (m removeMemberCommand) Run(ctx context.Context) error {
	s, err := m.store(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	err = s.InTx(ctx, func(tx *storage.Tx) error {
		user, err := members.MemberID(ctx, tx.Queries, m.Account, m.Email)
		if err != nil {
			return err
		}
		return members.RemoveMembership(ctx, tx, m.Account, user)
	})
	if errors.Is(err, storage.ErrNotFound) {
		return cmp.Or(checkAccount(ctx, s, m.Account), noMember(m.Account, m.Email))
	}
	if err != nil {
		return memberFlags{Account: m.Account, Email: m.Email}.explain(err)
	}
	fmt.Println("removed")
	return nil
}

// noMember is the error of an e-mail that is no member's.
func noMember(account int64, email string) error {
	return fmt.Errorf("account %d has no member %s; bordero member list shows them", account, email)
}
