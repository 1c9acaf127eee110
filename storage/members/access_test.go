package members_test

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"testing"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/members"
	"bordero/storage/storagetest"
)

func TestATokenIsListedInTheAccountsThatItOpens(t *testing.T) {
	t.Parallel()
	s := storagetest.New(t)
	one, other := storagetest.NewTenant(t, s), storagetest.NewTenant(t, s)
	join := func(account int64) {
		t.Helper()
		err := s.InTx(t.Context(), func(tx *storage.Tx) error {
			return members.PutMembership(t.Context(), tx, finance.Access{UserID: one.UserID, AccountID: account,
				Administrator: true, AllEntities: true})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	all := storagetest.NewToken(t, s, members.NewToken{UserID: one.UserID})
	needing := func(account, want int64) {
		t.Helper()
		if n, err := members.TokensNeedingHeader(t.Context(), s.Queries, account, one.UserID); err != nil || n != want {
			t.Errorf("%d tokens need the header with account %d, %v, want %d", n, account, err, want)
		}
	}
	needing(one.AccountID, 0)
	needing(other.AccountID, 1)
	barred := storagetest.NewToken(t, s, members.NewToken{UserID: one.UserID})
	needing(other.AccountID, 2)
	change := func(statement string, args ...any) {
		t.Helper()
		if _, err := s.DB.ExecContext(t.Context(), statement, args...); err != nil {
			t.Fatal(err)
		}
	}
	change(`UPDATE tokens SET barred_accounts = ARRAY[$1::bigint] WHERE prefix = $2`, other.AccountID, barred[:6])
	needing(other.AccountID, 1)
	join(other.AccountID)
	needing(other.AccountID, 0)
	third := storagetest.NewTenant(t, s)
	needing(third.AccountID, 1) // the barred one: all others open two accounts already
	change(`DELETE FROM tokens WHERE prefix = $1`, barred[:6])
	needing(third.AccountID, 0)
	listed := func(account int64, want ...string) {
		t.Helper()
		tokens, err := members.Tokens(t.Context(), s.Queries, account)
		var got []string
		for _, token := range tokens {
			if (token.AccountID == nil) != (token.Prefix == all[:6]) || token.AccountID != nil &&
				*token.AccountID != account {
				t.Errorf("%+v of account %d", token, account)
			}
			got = append(got, token.Prefix)
		}
		for i, token := range want {
			want[i] = token[:6]
		}
		slices.Sort(got)
		slices.Sort(want)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("account %d: %v, %v, want %v", account, got, err, want)
		}
	}
	listed(one.AccountID, one.Token, all)
	listed(other.AccountID, other.Token, all)
	second := storagetest.NewToken(t, s, members.NewToken{UserID: one.UserID, AccountID: &other.AccountID})
	listed(other.AccountID, other.Token, all, second)
	listed(one.AccountID, one.Token, all)

	storagetest.NewUser(t, s, finance.Access{AccountID: one.AccountID, Administrator: true, AllEntities: true})
	err := s.InTx(t.Context(), func(tx *storage.Tx) error {
		return members.RemoveMembership(t.Context(), tx, one.AccountID, one.UserID)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := members.Accesses(t.Context(), s, one.Token); !errors.Is(err, members.ErrNoToken) {
		t.Errorf("without its membership a token of the account: %v", err)
	}
	for token, want := range map[string][]int64{second: {other.AccountID}, all: {other.AccountID}} {
		user, accesses, err := members.Accesses(t.Context(), s, token)
		var got []int64
		for _, a := range accesses {
			got = append(got, a.AccountID)
		}
		if err != nil || user != one.UserID || !slices.Equal(got, want) {
			t.Errorf("without its membership a token opens %v, %v, want %v", got, err, want)
		}
	}
	needing(one.AccountID, 1) // that again opens two accounts
}

// Among many users, tokens and memberships, one of each is read.
func TestATokenIsLookedUpByIndexes(t *testing.T) {
	t.Parallel()
	plan := storagetest.NewPlans(t, storagetest.DatabaseURL(t),
		`INSERT INTO accounts (name) SELECT 'Conta' FROM generate_series(1, 2000)`,
		`INSERT INTO users (email) SELECT i || '@example.com' FROM generate_series(1, 2000) i`,
		`INSERT INTO memberships (account_id, user_id, administrator) SELECT a.id, u.id, true
			FROM accounts a JOIN users u ON u.id BETWEEN a.id AND a.id + 4`,
		`INSERT INTO tokens (sha256, user_id, account_id, prefix) SELECT sha256(convert_to(m::text, 'UTF8')), user_id,
			account_id, 'prefix' FROM memberships m`,
		`INSERT INTO tokens (sha256, user_id, prefix) SELECT sha256(convert_to(email, 'UTF8')), id,`+
			` 'prefix' FROM users`,
		`ANALYZE accounts, users, memberships, tokens`,
		`PREPARE lookup (bytea) AS `+members.AccessesOfToken,
	).Of(`lookup ('\x00')`)
	for _, unwanted := range []string{"Seq Scan", "Hash", "Sort", "users_pkey", "accounts_pkey"} {
		if strings.Contains(plan, unwanted) || !strings.Contains(plan, "tokens_pkey") {
			t.Errorf("%s in %s", unwanted, plan)
		}
	}
}

// The rights of a token are read anew by each request, from where they are stored.
func TestChangedRightsActAtOnce(t *testing.T) {
	t.Parallel()
	s := storagetest.New(t)
	first, tenant := storagetest.NewTenant(t, s), storagetest.NewTenant(t, s)
	account := tenant.AccountID
	user, _ := storagetest.NewUser(t, s, finance.Access{AccountID: account, AllEntities: true})
	token := storagetest.NewToken(t, s, members.NewToken{UserID: user})
	put := func(a finance.Access) func(*storage.Tx) error {
		a.UserID, a.AccountID = user, cmp.Or(a.AccountID, account)
		return func(tx *storage.Tx) error { return members.PutMembership(t.Context(), tx, a) }
	}
	entity := []int64{tenant.EntityID}
	for _, c := range []struct {
		name   string
		change func(*storage.Tx) error
		want   []finance.Access
	}{
		{"a permission is denied", put(finance.Access{AllEntities: true, Denied: []string{"budgets"}}),
			[]finance.Access{{AccountID: account, AllEntities: true, Denied: []string{"budgets"}}}},
		{"one entity remains", put(finance.Access{EntityIDs: entity}),
			[]finance.Access{{AccountID: account, EntityIDs: entity}}},
		{"no entity remains", put(finance.Access{}), []finance.Access{{AccountID: account}}},
		{"an administrator", put(finance.Access{Administrator: true, AllEntities: true}),
			[]finance.Access{{AccountID: account, Administrator: true, AllEntities: true}}},
		{"a second account, with a lower id", put(finance.Access{AccountID: first.AccountID, AllEntities: true}),
			[]finance.Access{{AccountID: first.AccountID, AllEntities: true},
				{AccountID: account, Administrator: true, AllEntities: true}}},
		{"no longer a member", func(tx *storage.Tx) error {
			return members.RemoveMembership(t.Context(), tx, account, user)
		}, []finance.Access{{AccountID: first.AccountID, AllEntities: true}}},
		{"a member again", put(finance.Access{AllEntities: true}),
			[]finance.Access{{AccountID: first.AccountID, AllEntities: true}, {AccountID: account, AllEntities: true}}},
		{"the account is deleted", func(tx *storage.Tx) error {
			return members.RemoveAccount(t.Context(), tx, first.AccountID)
		}, []finance.Access{{AccountID: account, AllEntities: true}}},
		{"the token is revoked", func(tx *storage.Tx) error {
			return members.RevokeToken(t.Context(), tx, token)
		}, nil},
	} {
		if err := s.InTx(t.Context(), c.change); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		_, accesses, err := members.Accesses(t.Context(), s, token)
		for i := range c.want {
			c.want[i].UserID = user
		}
		same := slices.EqualFunc(accesses, c.want, func(got, want finance.Access) bool {
			return got.UserID == want.UserID && got.AccountID == want.AccountID &&
				got.Administrator == want.Administrator && got.AllEntities == want.AllEntities &&
				slices.Equal(got.Denied, want.Denied) && slices.Equal(got.EntityIDs, want.EntityIDs)
		})
		if (err == nil) != (c.want != nil) || !same {
			t.Errorf("%s: %+v, %v, want %+v", c.name, accesses, err, c.want)
		}
	}
}
