package members_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"bordero/finance"
	"bordero/storage"
	"bordero/storage/members"
	"bordero/storage/storagetest"
)

// loginCode makes a code for a user of an account.
func loginCode(t *testing.T, s *storage.Store, account, user int64, sessionEnd *time.Time) (code string) {
	t.Helper()
	err := s.InTx(t.Context(), func(tx *storage.Tx) (err error) {
		code, err = members.NewLoginCode(t.Context(), tx, account, user, sessionEnd)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// session starts a session by Redeem or NewSession.
func session(t *testing.T, s *storage.Store, start func(context.Context, *storage.Tx, string) (members.Session, error),
	secret string) (made members.Session, err error) {
	t.Helper()
	err = s.InTx(t.Context(), func(tx *storage.Tx) (err error) {
		made, err = start(t.Context(), tx, secret)
		return err
	})
	return made, err
}

func TestALoginCodeStartsOneSession(t *testing.T) {
	t.Parallel()
	url := storagetest.DatabaseURL(t)
	s, owner := storagetest.Open(t, url, storage.Options{}), storagetest.DB(t, url)
	first, tenant := storagetest.NewTenant(t, s), storagetest.NewTenant(t, s)
	account := tenant.AccountID
	user, _ := storagetest.NewUser(t, s, finance.Access{AccountID: account, Denied: []string{"budgets"},
		EntityIDs: []int64{tenant.EntityID}})
	err := s.InTx(t.Context(), func(tx *storage.Tx) error { // the session does not open this account
		return members.PutMembership(t.Context(), tx, finance.Access{UserID: user, AccountID: first.AccountID,
			Administrator: true, AllEntities: true})
	})
	if err != nil {
		t.Fatal(err)
	}
	code := loginCode(t, s, account, user, nil)
	made, err := session(t, s, members.Redeem, code)
	if err != nil || made.UserID != user || made.AccountID == nil || *made.AccountID != account {
		t.Fatalf("%+v, %v", made, err)
	}
	if left := time.Until(made.ExpiresAt); left > 12*time.Hour || left < 12*time.Hour-time.Minute {
		t.Errorf("the session lasts for %s", left)
	}
	_, accesses, err := members.Accesses(t.Context(), s, made.Token)
	if err != nil || len(accesses) != 1 || accesses[0].AccountID != account || accesses[0].Administrator ||
		!slices.Equal(accesses[0].Denied, []string{"budgets"}) ||
		!slices.Equal(accesses[0].EntityIDs, []int64{tenant.EntityID}) {
		t.Errorf("the session opens %+v, %v", accesses, err)
	}
	stored := owner.QueryRowContext(t.Context(), `SELECT count(*) FROM login_codes`)
	if left := -1; stored.Scan(&left) != nil || left != 0 {
		t.Errorf("%d codes are left", left)
	}

	expired, removed := loginCode(t, s, account, user, nil), loginCode(t, s, account, tenant.UserID, nil)
	sum := members.TokenSum(expired)
	if _, err := owner.ExecContext(t.Context(), `UPDATE login_codes SET expires_at = now() WHERE sha256 = $1`,
		sum[:]); err != nil {
		t.Fatal(err)
	}
	storagetest.NewUser(t, s, finance.Access{AccountID: account, Administrator: true, AllEntities: true})
	if err := s.InTx(t.Context(), func(tx *storage.Tx) error {
		return members.RemoveMembership(t.Context(), tx, account, tenant.UserID)
	}); err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-time.Minute)
	for what, code := range map[string]string{
		"used": code, "expired": expired, "unknown": "0123", "empty": "", "a token": made.Token,
		"of a removed member": removed, "whose session has ended": loginCode(t, s, account, user, &past),
	} {
		if _, err := session(t, s, members.Redeem, code); !errors.Is(err, members.ErrNoLoginCode) {
			t.Errorf("a code that is %s: %v", what, err)
		}
	}
	soon := time.Now().Add(time.Hour).Truncate(time.Microsecond)
	if made, err := session(t, s, members.Redeem, loginCode(t, s, account, user, &soon)); err != nil ||
		!made.ExpiresAt.Equal(soon) {
		t.Errorf("the session ends at %s, %v, want %s", made.ExpiresAt, err, soon)
	}
	err = s.InTx(t.Context(), func(tx *storage.Tx) error {
		_, err := members.NewLoginCode(t.Context(), tx, account, first.UserID, nil)
		return err
	})
	if !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("a code for a user of another account: %v", err)
	}
}

func TestOfConcurrentUsesOfACodeOneStartsASession(t *testing.T) {
	t.Parallel()
	s := storagetest.New(t)
	tenant := storagetest.NewTenant(t, s)
	code := loginCode(t, s, tenant.AccountID, tenant.UserID, nil)
	var all sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		all.Go(func() { _, errs[i] = session(t, s, members.Redeem, code) })
	}
	all.Wait()
	started := 0
	for _, err := range errs {
		switch {
		case err == nil:
			started++
		case !errors.Is(err, members.ErrNoLoginCode):
			t.Error(err)
		}
	}
	if started != 1 {
		t.Errorf("%d sessions", started)
	}
}

// A session of a token has what the token has, and ends with it.
func TestASessionOfATokenIsNoMoreThanTheToken(t *testing.T) {
	t.Parallel()
	s := storagetest.New(t)
	tenant := storagetest.NewTenant(t, s)
	soon := time.Now().Add(time.Hour).Truncate(time.Microsecond)
	for name, n := range map[string]members.NewToken{
		"one account":  {AccountID: &tenant.AccountID},
		"all accounts": {},
		"narrowed": {AccountID: &tenant.AccountID, ExpiresAt: &soon, Rights: finance.Rights{
			Denied: []string{"budgets"}, EntityIDs: []int64{tenant.EntityID}, ReadOnly: true}},
	} {
		n.UserID = tenant.UserID
		token := storagetest.NewToken(t, s, n)
		first, err := session(t, s, members.NewSession, token)
		if err != nil {
			t.Fatal(name, err)
		}
		second, err := session(t, s, members.NewSession, first.Token)
		if err != nil {
			t.Fatal(name, err)
		}
		_, want, err := members.Accesses(t.Context(), s, token)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, made := range []members.Session{first, second} {
			_, got, err := members.Accesses(t.Context(), s, made.Token)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v, %v, want %+v", name, got, err, want)
			}
			if made.ExpiresAt.After(time.Now().Add(12*time.Hour)) || n.ExpiresAt != nil && !made.ExpiresAt.Equal(soon) {
				t.Errorf("%s: expires at %s", name, made.ExpiresAt)
			}
		}
		if err := s.InTx(t.Context(), func(tx *storage.Tx) error {
			return members.RevokeToken(t.Context(), tx, token)
		}); err != nil {
			t.Fatal(err)
		}
		for what, secret := range map[string]string{"token": token, "session": first.Token, "second": second.Token} {
			if _, _, err := members.Accesses(t.Context(), s, secret); !errors.Is(err, members.ErrNoToken) {
				t.Errorf("%s: the %s after the token was revoked: %v", name, what, err)
			}
			if _, err := session(t, s, members.NewSession, secret); !errors.Is(err, members.ErrNoToken) {
				t.Errorf("%s: a session of the revoked %s: %v", name, what, err)
			}
		}
	}
}
